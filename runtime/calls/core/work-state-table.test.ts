import { expect, test } from 'vitest';
import { classify, effectOf, table, type Evidence } from './work-state-table.js';

/** Every combination of the values that each member can have. */
function everyCombination<T extends object>(values: { [K in keyof T]: readonly T[K][] }): T[] {
  let partial: Partial<T>[] = [{}];
  for (const name of Object.keys(values) as (keyof T)[])
    partial = partial.flatMap((begun) => values[name].map((value) => ({ ...begun, [name]: value })));
  return partial as T[];
}

const flag = [true, false] as const;
const deciding = everyCombination<Evidence['deciding']>({
  reconciled: ['served_without_response', 'not_served', null],
  delivery: ['complete', 'not_sent', 'broken', null],
  interpreted: flag,
  decision: ['retry', 'stop', null],
  completed: flag,
});
const everyEvidence = everyCombination<Evidence>({
  superseded: flag,
  completed: flag,
  preparationFailed: flag,
  manifest: flag,
  attempted: flag,
  unspentDecision: flag,
  unsettled: flag,
  asked: flag,
  honoursKey: flag,
  served: flag,
  passedOver: flag,
  deciding,
});

test('every combination of evidence has exactly one first row, and every row is somebody’s first', () => {
  expect(everyEvidence).toHaveLength(2 ** 11 * (3 * 4 * 2 * 3 * 2));
  const firsts = new Set<string>();
  let unmatched = 0;
  for (const evidence of everyEvidence) {
    const first = table.find((row) => row.matches(evidence));
    if (first === undefined || classify(evidence) !== first) unmatched += 1;
    else firsts.add(first.label);
  }
  expect(unmatched).toBe(0);
  expect(table.map((row) => row.label).join('')).toBe('ABCDELMNFPQGHIJK');
  expect([...firsts].toSorted()).toEqual(table.map((row) => row.label).toSorted());
});

/** The evidence for which a row is the first one. */
const leadingTo = (...labels: string[]): Evidence[] =>
  everyEvidence.filter((evidence) => labels.includes(classify(evidence).label));
const all = (evidence: readonly Evidence[], holds: (evidence: Evidence) => boolean): boolean => evidence.every(holds);

test('a request is started only where nothing can have been sent, or a decision, a finding or an honoured key allows it', () => {
  const operation = (name: string) => everyEvidence.filter((evidence) => classify(evidence).operation === name);
  expect(all(operation('start_call'), ({ attempted, manifest }) => !(attempted && manifest))).toBe(true);
  const allowed = ({ unsettled, unspentDecision, honoursKey, asked }: Evidence): boolean =>
    !unsettled || unspentDecision || (honoursKey && asked);
  expect(all(operation('start_next_attempt'), allowed)).toBe(true);
  expect(all(leadingTo('Q'), ({ deciding: { reconciled } }) => reconciled === 'not_served')).toBe(true);
});

test('a call with an unsettled attempt is never finalized, and its effect is never called absent or happened', () => {
  const unsettled = everyEvidence.filter(
    ({ unsettled: some, attempted, manifest, preparationFailed, superseded, completed }) =>
      some && attempted && manifest && !preparationFailed && !superseded && !completed,
  );
  expect(all(unsettled, (evidence) => 'LMNF'.includes(classify(evidence).label))).toBe(true);
  expect(all(unsettled, (evidence) => effectOf(classify(evidence), evidence) === 'unknown')).toBe(true);
});

test('an attempt that was passed over keeps the effect unknown, unless something was served', () => {
  const given = everyEvidence.filter(({ unsettled, passedOver }) => !unsettled && passedOver);
  const asRecorded = given.filter((evidence) => classify(evidence).effect === 'as recorded');
  expect(
    all(asRecorded, (evidence) => effectOf(classify(evidence), evidence) === (evidence.served ? 'happened' : 'unknown')),
  ).toBe(true);
});

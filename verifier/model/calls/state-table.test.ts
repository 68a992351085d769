import { describe, expect, it } from 'vitest';
import { classify, rows, type Evidence } from './state-table.js';

type Deciding = Evidence['deciding'];
const booleans = [false, true];

/** Every combination of the questions about a call with every combination of those about the attempt that it goes on from. */
function* everything(): Generator<Evidence> {
  const asked = [...combinations(['superseded', 'completed', 'preparationFailed', 'manifest', 'attempted'])];
  const found = [...combinations(['decisionUnspent', 'anyUnsettled', 'allAsked', 'keyHonoured', 'anyServed', 'anyPassedOver'])];
  const attempts = [...decidings()];
  for (const one of asked) {
    for (const two of found) {
      const call = { ...one, ...two } as Omit<Evidence, 'deciding'>;
      for (const deciding of attempts) yield Object.assign(call, { deciding });
    }
  }
}

function* combinations(names: readonly string[]): Generator<Record<string, boolean>> {
  for (let bits = 0; bits < 2 ** names.length; bits += 1)
    yield Object.fromEntries(names.map((name, at) => [name, booleans[(bits >> at) & 1] === true]));
}

function* decidings(): Generator<Deciding> {
  for (const finding of [null, 'served', 'not_served', 'unknown'] as const) {
    for (const decision of [null, 'retry', 'stop'] as const)
      for (const rest of combinations(['responded', 'notSent', 'interpreted', 'completed']))
        yield { finding, decision, ...rest } as Deciding;
  }
}

const notAttempted: Deciding = {
  ...{ finding: null, responded: false, notSent: false, interpreted: false, decision: null, completed: false },
};
const none: Evidence = {
  ...{ superseded: false, completed: false, preparationFailed: false, manifest: false, attempted: false, decisionUnspent: false },
  ...{ anyUnsettled: false, allAsked: false, keyHonoured: false, anyServed: false, anyPassedOver: false, deciding: notAttempted },
};
const attempted = { manifest: true, attempted: true };
const unsettled = { ...attempted, anyUnsettled: true };
const served = { ...attempted, anyServed: true };
const on = (part: Partial<Deciding>): { deciding: Deciding } => ({ deciding: { ...notAttempted, ...part } });

describe('the work state table', () => {
  it('gives every combination of evidence exactly one row, and uses every row', () => {
    const met = new Map<string, number>();
    let all = 0;
    for (const evidence of everything()) {
      const { label } = classify(evidence);
      met.set(label, (met.get(label) ?? 0) + 1);
      all += 1;
    }
    expect(all).toBe(2 ** 5 * 2 ** 6 * 4 * 3 * 2 ** 4);
    expect([...met.keys()].sort()).toEqual(rows.map(({ label }) => label).sort());
  });

  it('never starts what may have had its effect, unless the key is honoured or a person has decided', () => {
    const starting = ['start_call', 'start_next_attempt', 'recompile'];
    const wrong: unknown[] = [];
    for (const evidence of everything()) {
      if (!evidence.attempted || !evidence.manifest || !evidence.anyUnsettled) continue;
      const { next, effect } = classify(evidence);
      const isSafe = evidence.decisionUnspent || (evidence.allAsked && evidence.keyHonoured);
      // Row C says that nothing was sent; a call with an attempt cannot have failed before it.
      const isSent = !evidence.preparationFailed || evidence.superseded || evidence.completed;
      if ((!isSafe && starting.includes(next)) || (isSent && effect !== 'unknown')) wrong.push(evidence);
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, string, string, string]>([
    ['A', { superseded: true, completed: true }, 'superseded', 'none', 'absent'],
    ['A', { superseded: true, anyUnsettled: true }, 'superseded', 'none', 'unknown'],
    ['B', { completed: true, anyServed: true }, 'completed', 'none', 'happened'],
    ['B', { completed: true, anyPassedOver: true }, 'completed', 'none', 'unknown'],
    ['C', { preparationFailed: true }, 'preparation_failed', 'fix_inputs', 'absent'],
    ['D', {}, 'requested', 'start_call', 'absent'],
    ['E', { manifest: true }, 'manifest_recorded', 'start_call', 'absent'],
    ['L', { ...unsettled, allAsked: true, decisionUnspent: true }, 'duplicate_accepted', 'start_next_attempt', 'unknown'],
    [
      'L',
      { ...served, decisionUnspent: true, ...on({ finding: 'served' }) },
      'duplicate_accepted',
      'start_next_attempt',
      'happened',
    ],
    ['M', { ...unsettled, allAsked: true, keyHonoured: true }, 'retry_safe', 'start_next_attempt', 'unknown'],
    ['N', { ...unsettled, allAsked: true }, 'operator_needed', 'decide', 'unknown'],
    ['F', unsettled, 'effect_unknown', 'reconcile_effect', 'unknown'],
    ['F', { ...unsettled, keyHonoured: true, ...on({ decision: 'retry' }) }, 'effect_unknown', 'reconcile_effect', 'unknown'],
    ['P', { ...served, ...on({ finding: 'served' }) }, 'response_lost', 'decide', 'happened'],
    ['Q', { ...attempted, ...on({ finding: 'not_served' }) }, 'not_served', 'start_next_attempt', 'absent'],
    ['Q', { ...attempted, anyPassedOver: true, ...on({ finding: 'not_served' }) }, 'not_served', 'start_next_attempt', 'unknown'],
    ['G', { ...attempted, ...on({ notSent: true }) }, 'not_sent', 'start_next_attempt', 'absent'],
    ['G', { ...served, ...on({ notSent: true }) }, 'not_sent', 'start_next_attempt', 'happened'],
    ['G', { ...attempted, anyPassedOver: true, ...on({ notSent: true }) }, 'not_sent', 'start_next_attempt', 'unknown'],
    ['H', { ...served, ...on({ responded: true }) }, 'observed', 'reinterpret', 'happened'],
    ['H', { ...served, ...on({ responded: true, finding: 'served' }) }, 'observed', 'reinterpret', 'happened'],
    ['I', { ...served, ...on({ responded: true, interpreted: true }) }, 'interpreted', 'redecide', 'happened'],
    [
      'J',
      { ...attempted, ...on({ notSent: true, decision: 'retry', completed: true }) },
      'retry_due',
      'start_next_attempt',
      'absent',
    ],
    [
      'K',
      { ...served, ...on({ responded: true, interpreted: true, decision: 'stop' }) },
      'undecided_end',
      'finalize',
      'happened',
    ],
    ['K', { ...served, keyHonoured: true }, 'undecided_end', 'finalize', 'happened'],
  ])('row %s', (label, part, stage, next, effect) => {
    expect(classify({ ...none, ...part })).toEqual({ label, stage, next, effect });
  });
});

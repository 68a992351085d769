/**
 * No stage without a way out: for every stage that names an operation, that operation is carried out on a real ledger against a real
 * server, and leads on, to "check and accept" or to a decision that an operator recorded.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../api/runtime.js';
import { RecoveryRefused } from '../core/refusals.js';
import { operationsOn } from '../core/operations.js';
import type { CarriedOut, Stage } from '../core/vocabulary.js';
import { table } from '../core/work-state-table.js';
import { runtimeVersion } from '../core/version.js';
import { items, types } from '../testing/folder.js';
import { startKeyedProvider, tells, type KeyedProvider } from '../testing/keyed-provider.js';
import { answerText } from '../../testing/provider.js';
import { openAt, stagesLeft, type StageLeft } from '../testing/stages.js';

let provider: KeyedProvider;
beforeEach(async () => {
  provider = await startKeyedProvider();
});
afterEach(() => provider.close());

const stageOf = (runtime: Runtime, on: string): string | undefined => {
  const { calls, compilations } = runtime.workState('task-1');
  return calls.find(({ call_id }) => call_id === on)?.stage ?? compilations.find((one) => one.compilation_id === on)?.stage;
};
const stageOfRow = (row: string): string => table.find(({ label }) => label === row)?.stage ?? row;
const next = (runtime: Runtime) => runtime.workState('task-1').task.next_operation;

/** The projected operation by its own method, with what a person would give. */
const carryOut: Partial<Record<StageLeft['operation'], (runtime: Runtime, on: string) => unknown>> = {
  recompile: (runtime, on) => runtime.recompile(on),
  fix_inputs: (runtime, on) =>
    on.startsWith('call')
      ? runtime.fixCall(on, { instruction: 'Review it.' })
      : runtime.fixCompilation(on, { items, requiredIds: ['A'] }),
  start_call: (runtime, on) => runtime.resumeCall(on),
  reconcile_effect: (runtime, on) => runtime.reconcile(on),
  reinterpret: (runtime, on) => runtime.reinterpret(on),
  redecide: (runtime, on) => runtime.redecide(on),
  start_next_attempt: (runtime, on) => runtime.startNextAttempt(on),
  finalize: (runtime, on) => runtime.finalize(on),
};

test('every row that names an operation is walked', () => {
  const named = table.filter(({ operation }) => operation !== 'none').map(({ label }) => label);
  expect(stagesLeft.map(({ row }) => row).filter((row) => row.length === 1)).toEqual(named);
});

describe.each(stagesLeft.filter(({ operation }) => operation !== 'decide'))(
  '$row: $operation',
  ({ row, operation, reach, declared }) => {
    test('leads on, once, and says who did it', async () => {
      const { folder, on } = await reach(provider);
      const runtime = openAt(folder, provider, declared);
      provider.now.question = tells.found;
      expect([stageOf(runtime, on), runtime.workState('task-1').task]).toMatchObject([
        stageOfRow(row),
        { next_operation: operation, on },
      ]);
      const before = runtime.events().length;
      const plan = runtime.dryRun(
        operation as 'finalize',
        on,
        on.startsWith('call') ? { inputs: { instruction: 'Review it.' } } : {},
      );
      const known = provider.seen.length;
      await carryOut[operation]?.(runtime, on);
      const appended = runtime.events().slice(before);
      expect(appended.slice(0, plan.appends.length).map(({ type }) => type)).toEqual(plan.appends);
      expect(provider.seen.length - known).toBe(plan.sends.length);
      const recovery = { operation, pid: process.pid, version: runtimeVersion };
      expect(appended[0]?.payload).toMatchObject({ recovery });
      // Idempotent: what was done is not to be done again, and nothing is appended by asking.
      const after = types(runtime).length;
      const repeated = async (): Promise<unknown> => carryOut[operation]?.(runtime, on);
      await expect(repeated()).rejects.toMatchObject({ hazard: 'unneeded', operation: expect.any(String) });
      expect([types(runtime).length, provider.seen.length - known]).toEqual([after, plan.sends.length]);
      if (!['recompile', 'fix_inputs'].includes(operation) || on.startsWith('call')) {
        if (next(runtime) !== 'check_and_accept') await runtime.recover('task-1');
        expect(next(runtime)).toBe('check_and_accept');
        runtime.accept('task-1', { by: 'reviewer' }, {});
        expect(runtime.events().at(-1)?.payload).toMatchObject({ recovery: { operation: 'check_and_accept' } });
      } else expect(next(runtime)).toBe('none');
      runtime.close();
    });
  },
);

const response = { status: 200, contentType: null, bytes: Buffer.from(answerText) };
const state =
  (finding: 'served' | 'not_served' | 'unknown', withResponse = false) =>
  (runtime: Runtime, on: string) =>
    runtime.reconcile(on, {
      statement: { by: 'operator', finding, note: 'Read in their console.', ...(withResponse && { response }) },
    });
const ways: [string, string, (runtime: Runtime, on: string) => unknown, { requests: number; stage: Stage }][] = [
  ['N', 'ask again, and it is found', (runtime, on) => runtime.reconcile(on), { requests: 0, stage: 'observed' }],
  ['N', 'state that it was served, with the response', state('served', true), { requests: 0, stage: 'observed' }],
  ['N', 'state that it was not served', state('not_served'), { requests: 1, stage: 'not_served' }],
  ['N', 'accept a duplicate', acceptDuplicate, { requests: 1, stage: 'duplicate_accepted' }],
  ['N', 'state that it was served, without the response', state('served'), { requests: 1, stage: 'response_lost' }],
  ['N', 'state that nobody knows', state('unknown'), { requests: 1, stage: 'operator_needed' }],
  ['P', 'state that it was not served, which takes nothing back', state('not_served'), { requests: 1, stage: 'response_lost' }],
  ['P', 'state that nobody knows, which takes nothing back', state('unknown'), { requests: 1, stage: 'response_lost' }],
  ['P', 'ask again, and it is found', (runtime, on) => runtime.reconcile(on), { requests: 0, stage: 'observed' }],
  ['P', 'state the response', state('served', true), { requests: 0, stage: 'observed' }],
  ['I', 'read it by another version', readAgain, { requests: 0, stage: 'interpreted' }],
  ['P', 'accept a duplicate', acceptDuplicate, { requests: 1, stage: 'duplicate_accepted' }],
];

function readAgain(runtime: Runtime, on: string): unknown {
  return runtime.reinterpret(on, { interpreterVersion: 2 });
}

function acceptDuplicate(runtime: Runtime, on: string): unknown {
  return runtime.acceptDuplicate(on, { by: 'operator', note: 'The customer waits.' });
}

describe.each(ways)('%s: %s', (row, _way, decide, { requests, stage }) => {
  test('leads to check and accept, with no request but the one decided for', async () => {
    const { reach, declared } = stagesLeft.find((left) => left.row === row)!;
    const { folder, on } = await reach(provider);
    const runtime = openAt(folder, provider, declared);
    provider.now.question = tells.found;
    if (next(runtime) === 'decide') await expect(runtime.recover()).rejects.toThrow(RecoveryRefused);
    await decide(runtime, on);
    expect(stageOf(runtime, on)).toBe(stage);
    // What leaves the decision to a person is followed by one that does not.
    if (next(runtime) === 'decide') acceptDuplicate(runtime, on);
    await runtime.recover();
    expect(next(runtime)).toBe('check_and_accept');
    expect(provider.calls()).toHaveLength(requests);
    runtime.close();
  });
});

const wayTaken: Record<string, CarriedOut> = {
  'accept a duplicate': 'accept_duplicate',
  'read it by another version': 'reinterpret',
};

test('every operation that a stage allows is walked above, at that stage', () => {
  const taken = (row: string, operation: string): string => `${row}: ${operation}`;
  const walked = new Set([
    ...stagesLeft.map(({ row, operation }) => taken(row, operation)),
    ...ways.map(([row, way]) => taken(row, wayTaken[way] ?? 'reconcile_effect')),
  ]);
  const allowed = table.flatMap(({ label, stage }) => operationsOn(stage).map((operation) => taken(label, operation)));
  expect(allowed.filter((pair) => !pair.endsWith(': none') && !walked.has(pair))).toEqual([]);
});

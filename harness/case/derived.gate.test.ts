/**
 * Power loss, with real processes and a real tracer: what the trace may leave is looked at, and from each thing that it holds somebody
 * carries on. The subject keeps its word, or loses it where its scenario says so.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Derivation, DerivedState } from '../contract/types.js';
import type { Plan, PlannedArm, PowerLoss } from '../plan/types.js';
import type { SpawnRequest } from '../process/spawn.js';
import { runPlan, type RunResult } from '../run.js';
import { control, readJson, subjectsFolder, toyPlan } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';
import { realStages } from './context.js';

const stand = standForRuns();
const subjects = [join(subjectsFolder, 'served')];

function plan(scenario: string, crash: Partial<PowerLoss> = {}): Plan {
  const arm: PlannedArm = {
    id: 'arm',
    role: 'produce',
    scenario,
    crash: {
      ...{ model: 'power-loss', persistence: 'strictest', subsets: 2, seed: 's', every: 1, offset: 0, carry_on: 'recover' },
      outcomes: ['completed_once'],
      ...crash,
    },
    expect: { ended: 'completed', events: 0, receipts: 1, effects: 1, outcome: 'completed_once' },
  };
  return toyPlan([{ ...control(), id: 'case', scenario, arms: [arm] }], 'served');
}

function run(
  scenario: string,
  crash: Partial<PowerLoss> = {},
  change?: (request: SpawnRequest) => SpawnRequest,
): Promise<RunResult> {
  const stages = { ...realStages, ...(change && { spawn: (request: SpawnRequest) => realStages.spawn(change(request)) }) };
  return runPlan(stand.request(plan(scenario, crash), { subjects, cases: ['case'], stages }));
}

const place = ({ bundle }: RunResult, ...path: string[]): string => join(bundle, 'data', 'cases', 'case', ...path);
const statesOf = (result: RunResult): DerivedState[] =>
  readFileSync(place(result, 'arm', 'states.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DerivedState);
const snapshotsOf = (result: RunResult): string[] => readJson(place(result, 'case.json')).snapshots as string[];
const entriesOf = (states: readonly DerivedState[]): (number | undefined)[] => [
  ...new Set(states.map(({ opened }) => opened?.entries)),
];

describe('a power loss', () => {
  it('is derived, looked at and carried on from', async () => {
    const result = await run('good');
    expect(result.voids).toEqual([]);
    const lines = readFileSync(place(result, 'arm', 'trace.txt'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.filter((line) => /^\d+ (?:request|answer)\(/.test(line)).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      'request("POST", "/v1/chat/completions", "key-1") = ?',
      'answer() = ?',
    ]);
    expect(lines.join('\n')).not.toMatch(/(?<!<state>)\/(?:tmp|home|root)\//);
    const states = statesOf(result);
    expect(states.map(({ state }) => state)).toEqual(states.map((_state, index) => index + 1));
    expect(readJson(place(result, 'arm', 'derivation.json')) as unknown as Derivation).toMatchObject({
      items: lines.length - 1,
      requests: 1,
      left_out: 0,
      distinct: states.length,
      examined: states.length,
      opened: states.filter(({ opened }) => opened !== null).length,
      refused: states.filter(({ refused }) => refused !== null).length,
      remade: states.filter(({ remade }) => remade !== null).length,
      workers: 2,
    });
    expect(snapshotsOf(result)).toEqual(['producer', 'arm', 'arm-unmade-r0', 'arm-n0-r0', 'arm-n1-r0', 'arm-n1-r2', 'arm-n2-r2']);
    const reached = { arm: 'arm', role: 'producer', model: 'power-loss', distinct: states.length, carried_on: 5 };
    expect(result.reached).toMatchObject([reached]);
    // Whatever carries on begins with the receipts at that moment, and ends with one effect.
    const receipts = (snapshot: string) => readFileSync(place(result, snapshot, 'receipts.jsonl'), 'utf8').split('\n').length - 1;
    expect(['arm-unmade-r0', 'arm-n0-r0', 'arm-n1-r0', 'arm-n1-r2', 'arm-n2-r2'].map(receipts)).toEqual([2, 2, 2, 4, 2]);
    expect(readJson(place(result, 'arm-unmade-r0', 'process.json'))).toMatchObject({ role: 'produce' });
    expect(readJson(place(result, 'arm-n1-r0', 'process.json'))).toMatchObject({ role: 'resume', operation: 'recover' });
    expect(readFileSync(place(result, 'arm-n2-r2', 'state', 'log.txt'), 'utf8')).toBe('intent\nanswer\n');
  });

  it('shows what was never synced as lost, though it was promised', async () => {
    const states = statesOf(await run('syncs-no-line', { subsets: 0 }));
    // When the request has left, the intent may be gone; a good one has it by then.
    const from = (all: DerivedState[]): number =>
      Math.max(...all.filter(({ opened }) => opened?.entries === 0).map(({ cut }) => cut));
    expect(from(states)).toBeGreaterThan(from(statesOf(await run('good', { subsets: 0 }))));
    expect(entriesOf(statesOf(await run('syncs-no-folder', { subsets: 0 })))).toContain(undefined);
  });

  it('is carried on from with each number of receipts, while one thing is on record', async () => {
    const result = await run('asks-three-times', { subsets: 0 });
    expect(result.voids).toEqual([]);
    const { beginnings = [] } = readJson(place(result, 'arm', 'derivation.json')) as unknown as Derivation;
    expect(snapshotsOf(result)).toEqual(['producer', 'arm', ...beginnings.map(({ snapshot }) => snapshot)]);
    const intent = beginnings.filter(({ snapshot }) => snapshot.startsWith('arm-n1-'));
    expect(intent.map(({ receipts }) => receipts)).toEqual([0, 2, 4, 6]);
    // The bytes are those of one state, at four cuts.
    const synced = intent.filter(({ receipts }) => receipts > 0);
    expect(new Set(synced.map(({ state }) => state)).size).toBe(1);
    expect(new Set(synced.map(({ cut }) => cut)).size).toBe(synced.length);
    const left = (snapshot: string) => readFileSync(place(result, snapshot, 'receipts.jsonl'), 'utf8').split('\n').length - 1;
    expect(intent.map(({ snapshot }) => left(snapshot))).toEqual([6, 8, 10, 12]);
  });

  it('is looked at where the sample says so', async () => {
    const result = await run('good', { every: 3, offset: 1 });
    const { distinct, examined } = readJson(place(result, 'arm', 'derivation.json')) as unknown as Derivation;
    const numbers = statesOf(result).map(({ state }) => state);
    expect(numbers).toEqual(Array.from({ length: distinct }, (_none, index) => index + 1).filter((state) => state % 3 === 1));
    expect(examined).toBe(numbers.length);
  });

  it.each<[string, RegExp]>([
    ['makes-a-folder', /does not know: mkdir/],
    ['writes-from-another-thread', /Another thread than the first one/],
  ])('of a role that %s cannot be derived', async (scenario, detail) => {
    const result = await run(scenario);
    expect(result.voids).toMatchObject([{ snapshot: 'arm', reason: 'trace-unmodelled', detail: expect.stringMatching(detail) }]);
  });

  it('needs the end of the role in the words of the tracer', async () => {
    const { voids } = await run('good', {}, (request) => ({
      ...request,
      args: request.args.map((word) => (word.endsWith('trace.raw') ? '/dev/null' : word)),
    }));
    const detail = 'The tracer did not tell how the role ended.';
    expect(voids).toEqual([{ case: 'case', snapshot: 'arm', reason: 'trace-unmodelled', detail }]);
  });

  it('needs a trace that leads to what the role left', async () => {
    const { voids } = await run('good', {}, (request) => ({
      ...request,
      args: request.args.map((word) => word.replace(/,\?write,/, ',')),
    }));
    const detail = 'The trace does not lead to the state that the role left.';
    expect(voids).toEqual([{ case: 'case', snapshot: 'arm', reason: 'trace-unmodelled', detail }]);
  });

  it('needs a serve role that answers', async () => {
    const { voids } = await run('good', {}, (request) =>
      request.talks ? { ...request, args: ['-e', 'process.exit(64)'] } : request,
    );
    expect(voids).toMatchObject([
      { snapshot: 'arm', reason: 'harness-error', detail: expect.stringMatching(/exit 64 at its first state/) },
    ]);
  });

  it('of an arm that begins with a state changes that state', async () => {
    const arm: PlannedArm = { ...plan('good').cases.at(-1)!.arms[0]!, role: 'resume', operation: 'recover' };
    const result = await runPlan(
      stand.request(toyPlan([{ ...control(), id: 'case', arms: [arm] }], 'served'), { subjects, cases: ['case'] }),
    );
    expect(result.voids).toEqual([]);
    // Nothing was left to do: one state, the whole record, and all the receipts.
    expect(snapshotsOf(result)).toEqual(['producer', 'arm', 'arm-n2-r2']);
    expect(statesOf(result)).toHaveLength(1);
  });
});

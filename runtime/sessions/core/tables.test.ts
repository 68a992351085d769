import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateSessionState } from '../../contract/session-validators.js';
import { callStatesOf, callTable, classifyCall, evidenceOf, type CallEvidence } from './call-states.js';
import { SessionHistory } from './history.js';
import { sessionStateOf } from './session-state.js';
import { classifyStage, stageEvidenceOf, stageTable, type StageEvidence } from './stages.js';
import { expectedCalls, expectedStage } from './testing/expected.js';
import { walks } from './testing/walk.js';

/** Every combination of the values that each member can have. */
function everyCombination<T extends object>(values: { [K in keyof T]: readonly T[K][] }): T[] {
  let partial: Partial<T>[] = [{}];
  for (const name of Object.keys(values) as (keyof T)[])
    partial = partial.flatMap((begun) => values[name].map((value) => ({ ...begun, [name]: value })));
  return partial as T[];
}

const flag = [true, false] as const;
const everyCall = everyCombination<CallEvidence>({
  outcome: ['completed', 'not_sent', 'unknown', 'interrupted', 'max_steps', null],
  noDispatch: flag,
  intent: flag,
  batch: [
    null,
    { mode: 'sequential', plan: 'dispatch' },
    { mode: 'sequential', plan: 'no_dispatch' },
    { mode: 'parallel', plan: 'dispatch' },
    { mode: 'parallel', plan: 'no_dispatch' },
  ],
  afterClosed: flag,
  approval: [null, 'asked', 'approved', 'denied'],
});
const everyStage = everyCombination<StageEvidence>({
  finished: flag,
  cancelRequested: flag,
  inDoubt: flag,
  closedOut: flag,
  attemptOpen: flag,
  step: ['none', 'unanswered', 'final', 'calls'],
  atLimit: flag,
  approvalOpen: flag,
  turnDone: flag,
});

describe('the tables', () => {
  test('every combination of evidence has a first row in each, and every row is somebody’s first', () => {
    expect(everyCall).toHaveLength(6 * 2 * 2 * 5 * 2 * 4);
    expect(everyStage).toHaveLength(2 ** 8 * 4);
    const callLabels = new Set(everyCall.map((evidence) => classifyCall(evidence).label));
    const stageLabels = new Set(everyStage.map((evidence) => classifyStage(evidence).label));
    expect([...callLabels].toSorted().join('')).toBe('ABCDEFGHIJKLMN');
    expect(callTable.map(({ label }) => label).join('')).toBe('ABCDEFGHIJKLMN');
    expect([...stageLabels].toSorted().join('')).toBe('abcdefghi');
    expect(stageTable.map(({ label }) => label).join('')).toBe('abcdefghi');
  });

  test('a call is dispatched only where it has neither an intent nor an end nor a plan against it', () => {
    const dispatched = everyCall.filter((evidence) => classifyCall(evidence).replay === 'dispatch');
    expect(dispatched.length).toBeGreaterThan(0);
    expect(
      dispatched.every(
        ({ intent, outcome, noDispatch, batch }) => !intent && outcome === null && !noDispatch && batch?.plan === 'dispatch',
      ),
    ).toBe(true);
  });

  test('a model is asked again only where no call is in doubt, no attempt is open and no cancel is on record', () => {
    const asks = everyStage.filter((evidence) => classifyStage(evidence).operation === 'run_step');
    expect(asks.length).toBeGreaterThan(0);
    expect(
      asks.every(({ inDoubt, closedOut, attemptOpen, cancelRequested, finished }) =>
        [inDoubt, closedOut, attemptOpen, cancelRequested, finished].every((holds) => !holds),
      ),
    ).toBe(true);
  });
});

describe('over histories that a dying writer leaves', () => {
  const sample = fc.sample(walks, { numRuns: 120, seed: 1 });

  test('every row of both tables is reached, the first match wins, and no history falls through', () => {
    const reachedCalls = new Set<string>();
    const reachedStages = new Set<string>();
    let others = 0;
    for (const { log } of sample) {
      const history = new SessionHistory();
      for (const frame of log.frames) {
        history.apply(frame);
        if (history.last === undefined) continue;
        const evidence = stageEvidenceOf(history.last);
        const first = stageTable.find((row) => row.matches(evidence));
        if (classifyStage(evidence) !== first) others += 1;
        reachedStages.add(first?.label ?? 'none');
        for (const step of history.last.steps.slice(-1))
          for (const call of step.calls) {
            const about = evidenceOf(step, call);
            const found = callTable.find((row) => row.matches(about));
            if (classifyCall(about) !== found) others += 1;
            reachedCalls.add(found?.label ?? 'none');
          }
      }
    }
    expect(others).toBe(0);
    expect([...reachedCalls].toSorted().join('')).toBe('ABCDEFGHIJKLMN');
    expect([...reachedStages].toSorted().join('')).toBe('abcdefghi');
  });

  test('stage and call states are those that the words of the contract give, after every record', () => {
    fc.assert(
      fc.property(walks, ({ log }) => {
        const history = new SessionHistory();
        for (const [at, frame] of log.frames.entries()) {
          history.apply(frame);
          const { last } = history;
          if (last === undefined) continue;
          const frames = log.frames.slice(0, at + 1);
          expect(stageTable.find((row) => row.matches(stageEvidenceOf(last)))?.label).toBe(expectedStage(frames, last.runId));
          const states = last.steps.flatMap((step) => {
            const one = callStatesOf(step);
            expect(step.calls.map((call) => classifyCall(evidenceOf(step, call)).state)).toEqual(one);
            return step.calls.map(({ call, index }) => ({ id: call.id, step: step.stepId, name: call.name, state: one[index] }));
          });
          expect(states).toEqual(expectedCalls(frames, last.runId));
        }
      }),
      { numRuns: 20 },
    );
  });

  test('the projection has its shape after every record, and only the last run is not finished', () => {
    fc.assert(
      fc.property(walks, ({ log }) => {
        const history = new SessionHistory();
        for (const frame of log.frames) {
          history.apply(frame);
          const state = sessionStateOf(history);
          expect(validateSessionState(state), JSON.stringify(validateSessionState.errors)).toBe(true);
          expect(state.runs.slice(0, -1).every(({ stage }) => stage === 'finished')).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });
});

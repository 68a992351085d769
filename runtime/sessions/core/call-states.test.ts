/** What ends a call: its outcome, which is one of five, and nothing that is written beside it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callStatesOf } from './call-states.js';
import { shapeProblem, type Frame } from './records.js';
import { lastStep } from './run.js';
import { sessionStateOf } from './session-state.js';
import { stageOf } from './stages.js';
import { fold, runConfig, TestLog } from './testing/log.js';
import { walks } from './testing/walk.js';
import { good, tools } from './testing/walk-calls.js';
import { transcriptOf } from './transcript.js';

const outcomes = ['completed', 'not_sent', 'unknown', 'interrupted', 'max_steps'] as const;
/** What would be read out of a reason, were it read: every outcome, and why a call is never dispatched. */
const reasons = [...outcomes, 'denied', 'nobody knows what came of it'];

/** The same log, where each result gives a reason that its outcome does not. */
function withReasons(frames: readonly Frame[], shift: number): Frame[] {
  return frames.map((frame) => {
    const { type, payload } = frame;
    if (type !== 'tool_result') return frame;
    const others = reasons.filter((reason) => reason !== payload['outcome']);
    return { ...frame, payload: { ...payload, reason: others[(frame.seq + shift) % others.length] } };
  });
}

test.each(outcomes)('a call that ended as %s is that, whatever reason stands beside it', (outcome) => {
  const log = new TestLog().start('run-a', 'Hello', runConfig({ tools })).startStep().answer(null, ['c-0', 'pay', good]);
  log.plan('sequential', ['c-0', 'pay', null]).intent('c-0', 'pay', good).result('c-0', outcome, '?');
  const { stage } = stageOf(fold(log).last!);
  for (const shift of reasons.keys()) {
    const frames = withReasons(log.frames, shift);
    expect(shapeProblem('tool_result', frames.at(-1)?.payload)).toBe(null);
    const run = fold(frames).last!;
    expect([callStatesOf(lastStep(run)!), stageOf(run).stage]).toEqual([[outcome], stage]);
  }
});

test('no reason changes what is next, what is shown of the session or what a model is told', () => {
  let results = 0;
  fc.assert(
    fc.property(walks, fc.nat(6), ({ log }, shift) => {
      results += log.frames.filter(({ type }) => type === 'tool_result').length;
      const [bare, told] = [fold(log), fold(withReasons(log.frames, shift))];
      expect(sessionStateOf(told)).toEqual(sessionStateOf(bare));
      expect(transcriptOf(told)).toEqual(transcriptOf(bare));
    }),
    { numRuns: 25 },
  );
  expect(results).toBeGreaterThan(20);
});

test('an outcome that is none of the five is no record', () => {
  const place = { run_id: 'run-a', batch_id: 'batch-3', tool_call_id: 'c-0', output: '?', is_error: true };
  for (const outcome of outcomes) expect(shapeProblem('tool_result', { ...place, outcome })).toBe(null);
  for (const outcome of ['failed', 'Completed', '', null, undefined])
    expect(shapeProblem('tool_result', { ...place, outcome })).toMatch(/outcome/);
});

import { describe, expect, test } from 'vitest';
import { closeOut, seal } from './close-out.js';
import type { Draft } from './records.js';
import { stageOf } from './stages.js';
import { fold, runConfig, TestLog } from './testing/log.js';
import { good, tools } from './testing/walk-calls.js';
import type { FinishReason, RunConfig } from './vocabulary.js';

const config = (given: Partial<RunConfig> = {}): RunConfig => runConfig({ tools, ...given });

function called(of: RunConfig, ...names: string[]): TestLog {
  const log = new TestLog().start('run-a', 'Hello', of).startStep();
  return log.answer(null, ...names.map((name, at) => [`c-${at}`, name, good] as const));
}
function intended(of: RunConfig, ...names: string[]): TestLog {
  const log = called(of, ...names).plan(of.batch, ...names.map((name, at) => [`c-${at}`, name, null] as const));
  for (const [at, name] of names.entries()) log.intent(`c-${at}`, name, good);
  return log;
}
/** Type, and outcome or reason and id of each draft. */
function told(drafts: readonly Draft[]): string[] {
  return drafts.map((draft) => {
    if (draft.type === 'tool_result') return `${draft.payload.tool_call_id} ${draft.payload.outcome}`;
    if (draft.type === 'tool_no_dispatch') return `${draft.payload.tool_call_id} no_dispatch ${draft.payload.reason}`;
    return draft.type;
  });
}
const close = (log: TestLog, reason: FinishReason = 'interrupted', undispatched: string[] = []): string[] =>
  told(closeOut(fold(log).current!, reason, new Set(undispatched)));
const sealed = (log: TestLog): FinishReason => seal(fold(log).current!).payload.reason;
const end = ['tool_batch_finished', 'turn_finished'];

describe('what is missing', () => {
  test('of a batch that a crash cut off: unknown for what may have left, interrupted for what never did', () => {
    const log = called(config(), 'pay', 'look', 'shell', 'pay');
    log.plan('sequential', ['c-0', 'pay', null], ['c-1', 'look', null], ['c-2', 'shell', 'policy_blocked'], ['c-3', 'pay', null]);
    log.intent('c-0', 'pay', good).intent('c-1', 'look', good);
    expect(close(log)).toEqual(['c-0 unknown', 'c-1 unknown', 'c-3 interrupted', 'c-2 no_dispatch policy_blocked', ...end]);
    expect(sealed(log)).toBe('interrupted');
  });
  test('of a result that is there: nothing', () => {
    const log = intended(config(), 'pay', 'pay').result('c-0', 'completed', 'paid');
    expect(close(log)).toEqual(['c-1 unknown', ...end]);
    log.result('c-1', 'unknown', '?');
    expect(close(log)).toEqual(end);
    expect(close(log.finishBatch())).toEqual(['turn_finished']);
    expect(close(log.finishTurn())).toEqual([]);
    expect(sealed(log)).toBe('interrupted');
  });
  test('of a sequential batch behind a call that was closed: interrupted, since nothing was handed over after it', () => {
    const of = (batch: RunConfig['batch']): TestLog =>
      intended(config({ batch }), 'pay', 'pay').result('c-0', 'interrupted', '-');
    expect(close(of('sequential'))).toEqual(['c-1 interrupted', ...end]);
    expect(close(of('parallel'))).toEqual(['c-1 unknown', ...end]);
  });
  test('is decided as if what comes before it were written: behind a call that is closed now, too', () => {
    const log = called(config(), 'pay', 'pay').plan('sequential', ['c-0', 'pay', null], ['c-1', 'pay', null]);
    log.intent('c-1', 'pay', good);
    expect(close(log)).toEqual(['c-0 interrupted', 'c-1 interrupted', ...end]);
    expect(close(log.result('c-0', 'interrupted', '-'))).toEqual(['c-1 interrupted', ...end]);
  });
  test('of calls that this process knows it never handed over: interrupted', () => {
    const log = intended(config({ batch: 'parallel' }), 'pay', 'pay', 'pay').result('c-1', 'unknown', '?');
    expect(close(log)).toEqual(['c-0 unknown', 'c-2 unknown', ...end]);
    expect(close(log, 'interrupted', ['c-2'])).toEqual(['c-0 unknown', 'c-2 interrupted', ...end]);
  });
  test('of calls without a plan: the plan too, with what a person has said', () => {
    const log = called(config({ batch: 'parallel' }), 'pay', 'wipe', 'nosuch')
      .ask('c-1', 'wipe', good)
      .cancel('step_boundary');
    const all = ['tool_batch_started', 'c-0 interrupted', 'c-1 interrupted', 'c-2 no_dispatch unknown_tool', ...end];
    expect(close(log, 'cancelled')).toEqual(all);
    expect(sealed(log)).toBe('cancelled');
    const [plan] = closeOut(fold(log).current!, 'cancelled');
    expect(plan?.payload).toMatchObject({ mode: 'parallel', step_id: 'step-3', batch_id: 'batch-3' });
    const denied = called(config(), 'wipe').ask('c-0', 'wipe', good).resolve('c-0', 5, 'denied').cancel('now');
    expect(close(denied, 'cancelled')).toEqual(['tool_batch_started', 'c-0 no_dispatch denied', ...end]);
  });
  test('of a step at the limit: its calls are max_steps', () => {
    const log = called(config({ max_steps: 1 }), 'pay', 'shell');
    expect(stageOf(fold(log).current!).stage).toBe('stopped');
    const all = ['tool_batch_started', 'c-0 max_steps', 'c-1 no_dispatch policy_blocked', ...end];
    expect(close(log, 'max_steps')).toEqual(all);
    expect(sealed(log)).toBe('max_steps');
  });
  test('of a step without calls: the end of its turn; of a step without an answer: nothing', () => {
    const log = new TestLog().start('run-a', 'Hello', config()).startStep();
    expect(close(log)).toEqual([]);
    expect(close(log.answer('Done.').cancel('now'), 'cancelled')).toEqual(['turn_finished']);
    expect(close(log.finishTurn(), 'cancelled')).toEqual([]);
  });
  test('of a model request that may have been sent: nothing, and the run is interrupted', () => {
    const log = new TestLog()
      .start('run-a', 'Hello', config({ model_leg: 'intent' }))
      .startStep()
      .attempt(1);
    expect(close(log)).toEqual([]);
    expect(sealed(log)).toBe('interrupted');
  });
});

test('a made-up result is an error that does not say what happened, in the words of the contract', () => {
  const log = intended(config(), 'pay').result('c-0', 'unknown', '?');
  const open = called(config(), 'pay', 'pay')
    .plan('sequential', ['c-0', 'pay', null], ['c-1', 'pay', null])
    .intent('c-0', 'pay', good);
  const results = closeOut(fold(open).current!, 'interrupted').filter(({ type }) => type === 'tool_result');
  expect(results.map(({ payload }) => payload)).toEqual([
    {
      run_id: 'run-a',
      batch_id: 'batch-3',
      tool_call_id: 'c-0',
      outcome: 'unknown',
      output: 'There is no recorded result of this call. It may have happened; find out before you ask for it again.',
      is_error: true,
    },
    {
      run_id: 'run-a',
      batch_id: 'batch-3',
      tool_call_id: 'c-1',
      outcome: 'interrupted',
      output: 'This call was not dispatched: the run was interrupted before it.',
      is_error: true,
    },
  ]);
  for (const { payload } of results) expect(JSON.stringify(payload)).not.toMatch(/fail/i);
  expect(sealed(log)).toBe('interrupted');
});

describe('the end of a run', () => {
  test('adds up what its steps used, and names its error', () => {
    const log = new TestLog().start('run-a', 'Hello', config());
    const usage = [{ input_tokens: 5, output_tokens: 2 }, null, { input_tokens: 1, output_tokens: 1 }];
    for (const used of usage) {
      log.startStep().add('model_step_finished', {
        run_id: 'run-a',
        step_id: log.step,
        assistant: { text: null, tool_calls: [{ id: 'c-0', name: 'pay', arguments: good }] },
        usage: used,
      });
      log.plan('sequential', ['c-0', 'pay', null]).intent('c-0', 'pay', good).result('c-0', 'completed', 'paid');
      log.finishBatch().finishTurn();
    }
    const error = { code: 'session_too_large' as const, detail: 'full' };
    expect(seal(fold(log).current!, 'error', error).payload).toEqual({
      run_id: 'run-a',
      reason: 'error',
      error,
      usage: { input_tokens: 6, output_tokens: 3 },
    });
  });
  test('is not given to a run that goes on', () => {
    const log = new TestLog().start('run-a', 'Hello', config());
    expect(() => seal(fold(log).current!)).toThrow(/run run-a goes on/);
  });
  test('comes naturally after a step without calls, without another request', () => {
    const log = new TestLog().start('run-a', 'Hello', config()).startStep().answer('Done.');
    expect([sealed(log), sealed(log.finishTurn())]).toEqual(['completed', 'completed']);
  });
});

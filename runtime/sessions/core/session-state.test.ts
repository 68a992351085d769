import { describe, expect, test } from 'vitest';
import { sessionStateOf } from './session-state.js';
import { fold, runConfig, TestLog } from './testing/log.js';
import { good, tools } from './testing/walk-calls.js';
import type { FinishReason } from './vocabulary.js';

const config = runConfig({ tools });
const queueOf = (log: TestLog): string[] => sessionStateOf(fold(log)).queue.map(({ submission_id: id }) => id);
const next = (log: TestLog): [string, string | null] => {
  const { next_operation: operation, on } = sessionStateOf(fold(log));
  return [operation, on];
};
const ended = (reason: FinishReason, log = new TestLog()): TestLog => log.start('run-a', 'Hello', config).startStep().end(reason);

test('the whole state of a session, written by hand', () => {
  const log = ended('error')
    .start('run-b', 'Pay.', runConfig({ tools, model_leg: 'intent' }))
    .startStep()
    .attempt(1);
  log.answer(null, ['c-0', 'pay', good], ['c-1', 'wipe', good]).queue('m-1', 'later').queue('m-2', 'now', true);
  log.ask('c-1', 'wipe', good);
  const state = sessionStateOf(fold(log));
  expect(state.runs.map(({ detail }) => detail).every((text) => /^[A-Z].*\.$/.test(text))).toBe(true);
  expect({ ...state, runs: state.runs.map((run) => ({ ...run, detail: '' })) }).toEqual({
    version: 'session-state/v1',
    session_id: 's-1',
    identity: '00112233445566778899aabbccddeeff',
    next_operation: 'approve',
    on: 's-1/run-b/batch-6/c-1',
    queue: [
      { submission_id: 'm-2', delivery: 'interrupt' },
      { submission_id: 'm-1', delivery: 'plain' },
    ],
    runs: [
      {
        run_id: 'run-a',
        episode: 1,
        stage: 'finished',
        next_operation: 'none',
        reason: 'error',
        cancel: null,
        model_leg: 'rerun',
        steps: 0,
        calls: [],
        detail: '',
      },
      {
        run_id: 'run-b',
        episode: 2,
        stage: 'paused',
        next_operation: 'approve',
        reason: null,
        cancel: null,
        model_leg: 'intent',
        steps: 1,
        calls: [
          { key: 's-1/run-b/batch-6/c-0', tool_call_id: 'c-0', name: 'pay', state: 'pending' },
          { key: 's-1/run-b/batch-6/c-1', tool_call_id: 'c-1', name: 'wipe', state: 'awaiting_approval' },
        ],
        detail: '',
      },
    ],
  });
});

describe('the queue', () => {
  test('drains interrupting messages first, each class in log order, and loses what was retracted or drained', () => {
    const log = new TestLog().queue('m-1', 'a').queue('m-2', 'b', true).queue('m-3', 'c').queue('m-4', 'd', true);
    expect(queueOf(log)).toEqual(['m-2', 'm-4', 'm-1', 'm-3']);
    log.add('retracted', { submission_id: 'm-4' }).start('m-2', 'b', config, 'm-2');
    expect(queueOf(log)).toEqual(['m-1', 'm-3']);
    expect(queueOf(log.startStep().end('completed').start('m-1', 'a', config, 'm-1'))).toEqual(['m-3']);
  });
  test('is due after an end that lets the session go on, and waits for the owner after another', () => {
    const outcome = (reason: FinishReason): [string, string | null] => next(ended(reason, new TestLog().queue('m-1', 'a')));
    for (const reason of ['completed', 'cancelled', 'max_steps'] as const)
      expect(outcome(reason)).toEqual(['drain_queue', 'm-1']);
    for (const reason of ['interrupted', 'error'] as const) expect(outcome(reason)).toEqual(['none', null]);
  });
  test('waits for the owner before there is any run, and while a run is open', () => {
    expect(next(new TestLog())).toEqual(['none', null]);
    const log = new TestLog().queue('m-1', 'a');
    expect(next(log)).toEqual(['none', null]);
    expect(next(log.start('run-a', 'Hello', config))).toEqual(['run_step', 'run-a']);
  });
});

test('a cancel is shown as the strongest that was asked for', () => {
  const cancelOf = (log: TestLog): string | null | undefined => sessionStateOf(fold(log)).runs[0]?.cancel;
  const log = new TestLog().start('run-a', 'Hello', config);
  expect(cancelOf(log)).toBe(null);
  expect(cancelOf(log.cancel('step_boundary'))).toBe('step_boundary');
  expect(cancelOf(log.cancel('now'))).toBe('now');
  expect(cancelOf(log.cancel('step_boundary'))).toBe('now');
  expect(next(log)).toEqual(['close_out', 'run-a']);
});

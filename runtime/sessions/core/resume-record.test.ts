import { describe, expect, test } from 'vitest';
import { resumeStarted } from './resume-record.js';
import { fold, runConfig, TestLog } from './testing/log.js';
import { good, tools } from './testing/walk-calls.js';

const config = runConfig({ tools });
const record = (log: TestLog, available?: () => boolean) => resumeStarted(fold(log), available).payload;
const called = (...names: string[]): TestLog =>
  new TestLog()
    .start('run-a', 'Hello', config)
    .startStep()
    .answer(null, ...names.map((name, at) => [`c-${at}`, name, good] as const));

test('it counts what was rebuilt: inputs and placed steers, answers, terminals, over the whole session', () => {
  const log = new TestLog().start('run-a', 'Hello', config).steer('One.').startStep().answer('Hi.').steer('Two.').finishTurn();
  log.end('completed').start('run-b', 'Pay.', config).steer('Three.').startStep();
  log.answer(null, ['c-0', 'pay', good], ['c-1', 'shell', good]);
  log.plan('sequential', ['c-0', 'pay', null], ['c-1', 'shell', 'policy_blocked']).intent('c-0', 'pay', good);
  log.noDispatch('c-1', 'policy_blocked').result('c-0', 'completed', 'paid').steer('Four.');
  expect(record(log)).toEqual({
    run_id: 'run-b',
    episode: 2,
    resumed_from_seq: log.lastSeq,
    // Two inputs and three steers: the fourth has no place before the next step.
    replayed: { messages: 5, model_steps: 2, tool_results: 2 },
    redone: [],
    indeterminate: [],
  });
});

test('a steer that came between the watermark of a step and its start has no place yet', () => {
  const log = new TestLog().start('run-a', 'Hello', config).steer('One.').steer('Two.').startStep(3);
  expect(record(log).replayed.messages).toBe(2);
  expect(record(log.startStep()).replayed.messages).toBe(3);
});

describe('it names what is done again', () => {
  test('a step that was cut off before its answer; nothing where no step was begun', () => {
    const log = new TestLog().start('run-a', 'Hello', config);
    expect(record(log).redone).toEqual([]);
    expect(record(log.startStep()).redone).toEqual(['step-3']);
    expect(record(log.startStep()).redone).toEqual(['step-4']);
  });
  test('calls that never left, of a batch that is planned', () => {
    const log = called('look', 'pay').plan('parallel', ['c-0', 'look', null], ['c-1', 'pay', null]).intent('c-0', 'look', good);
    expect(record(log)).toMatchObject({ redone: ['s-1/run-a/batch-3/c-1'], indeterminate: ['s-1/run-a/batch-3/c-0'] });
  });
  test('calls without a plan, as they will be planned', () => {
    const log = called('pay', 'shell', 'look');
    expect(record(log).redone).toEqual(['s-1/run-a/batch-3/c-0', 's-1/run-a/batch-3/c-2']);
    expect(record(log, () => false).redone).toEqual([]);
    expect(record(called('pay', 'wipe')).redone).toEqual([]);
    const approved = called('wipe').ask('c-0', 'wipe', good).resolve('c-0', 5, 'approved');
    expect(record(approved).redone).toEqual(['s-1/run-a/batch-3/c-0']);
  });
  test('nothing of a run that is closed', () => {
    expect(record(called('pay').cancel('now')).redone).toEqual([]);
    const log = called('pay', 'pay').plan('sequential', ['c-0', 'pay', null], ['c-1', 'pay', null]).intent('c-0', 'pay', good);
    expect(record(log)).toMatchObject({ redone: [], indeterminate: ['s-1/run-a/batch-3/c-0'] });
  });
});

test('it names the step of a model request of which nobody can know', () => {
  const intent = runConfig({ model_leg: 'intent' });
  const log = new TestLog().start('run-a', 'Hello', intent).startStep();
  expect(record(log)).toMatchObject({ redone: ['step-3'], indeterminate: [] });
  expect(record(log.attempt(1))).toMatchObject({ redone: [], indeterminate: ['step-3'] });
});

test('a session without an open run has nothing to resume', () => {
  expect(() => record(new TestLog())).toThrow(/only a run without an end/);
});

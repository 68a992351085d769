import { describe, expect, test } from 'vitest';
import { callStatesOf } from './call-states.js';
import { lastStep } from './run.js';
import { stageOf } from './stages.js';
import { fold, runConfig, TestLog, tool } from './testing/log.js';
import { good, tools } from './testing/walk-calls.js';
import type { RunConfig } from './vocabulary.js';

const config = (given: Partial<RunConfig> = {}): RunConfig => runConfig({ tools, ...given });
const started = (of = config()): TestLog => new TestLog().start('run-a', 'Hello', of);
const called = (of: RunConfig, ...names: string[]): TestLog =>
  started(of)
    .startStep()
    .answer(null, ...names.map((name, at) => [`c-${at}`, name, good] as const));
function intended(of: RunConfig, ...names: string[]): TestLog {
  const log = called(of, ...names).plan(of.batch, ...names.map((name, at) => [`c-${at}`, name, null] as const));
  for (const [at, name] of names.entries()) log.intent(`c-${at}`, name, good);
  return log;
}
const stage = (log: TestLog): string => {
  const { label, stage: name, operation, seals } = stageOf(fold(log).last!);
  return [label, name, operation, seals].join(' ');
};
const states = (log: TestLog): string => callStatesOf(lastStep(fold(log).last!)!).join(' ');

describe('each stage of a run', () => {
  test('a: its end is on record, and nothing else counts', () => {
    expect(stage(started().cancel('now').end('cancelled'))).toBe('a finished none ');
  });
  test('b: a cancel is on record, before a call that is in doubt', () => {
    expect(stage(started().cancel('step_boundary'))).toBe('b cancelling close_out cancelled');
    expect(stage(intended(config(), 'pay').cancel('now'))).toBe('b cancelling close_out cancelled');
    expect(stage(started().startStep().answer('Done.').cancel('now'))).toBe('b cancelling close_out cancelled');
  });
  test('c: a call is in doubt and its tool does not say that the run may go on', () => {
    expect(stage(intended(config(), 'pay'))).toBe('c interrupted close_out interrupted');
    expect(stage(intended(config(), 'pay').result('c-0', 'unknown', '?'))).toBe('c interrupted close_out interrupted');
    expect(stage(intended(config(), 'look'))).toBe('h tools_due run_tools ');
    expect(stage(intended(config(), 'look').result('c-0', 'unknown', '?'))).toBe('h tools_due run_tools ');
    expect(stage(intended(config(), 'look', 'pay').result('c-1', 'completed', 'paid'))).toBe('h tools_due run_tools ');
    expect(stage(intended(config(), 'look', 'pay').result('c-0', 'unknown', '?'))).toBe('c interrupted close_out interrupted');
  });
  test('c: a tool that says so must be harmless too', () => {
    const odd = config({ tools: [tool('pay', { on_unknown: 'continue' }), tool('look', { safety: 'pure' })] });
    for (const name of ['pay', 'look']) expect(stage(intended(odd, name))).toBe('c interrupted close_out interrupted');
    const put = config({ tools: [tool('put', { on_unknown: 'continue', safety: 'idempotent' })] });
    expect(stage(intended(put, 'put'))).toBe('h tools_due run_tools ');
  });
  test('c: a call was closed without being dispatched, even where its batch and turn are finished', () => {
    const log = intended(config(), 'look').result('c-0', 'interrupted', '-');
    expect(stage(log)).toBe('c interrupted close_out interrupted');
    expect(stage(log.finishBatch().finishTurn())).toBe('c interrupted close_out interrupted');
  });
  test('c: it is the last batch that is asked about, not an earlier one', () => {
    const log = intended(config(), 'look').result('c-0', 'unknown', '?').finishBatch().finishTurn();
    log.startStep().answer(null, ['c-0', 'pay', good]).plan('sequential', ['c-0', 'pay', null]);
    expect(stage(log)).toBe('h tools_due run_tools ');
    expect(stage(log.intent('c-0', 'pay', good))).toBe('c interrupted close_out interrupted');
    log.result('c-0', 'completed', 'paid').finishBatch().finishTurn().startStep();
    expect(stage(log)).toBe('i step_due run_step ');
  });
  test('d: a model request may have been sent, until a step comes after it', () => {
    const intent = config({ model_leg: 'intent' });
    expect(stage(started(intent).startStep())).toBe('i step_due run_step ');
    const log = started(intent).startStep().attempt(1);
    expect(stage(log)).toBe('d model_unknown close_out interrupted');
    expect(stage(log.note())).toBe('d model_unknown close_out interrupted');
    expect(stage(log.attempt(2))).toBe('d model_unknown close_out interrupted');
    expect(stage(log.startStep())).toBe('i step_due run_step ');
    expect(stage(log.attempt(1).answer('Done.'))).toBe('g natural_end finalize completed');
  });
  test('e: the last step that the run may have asks for calls', () => {
    const log = called(config({ max_steps: 1 }), 'wipe');
    expect(stage(log)).toBe('e stopped close_out max_steps');
    log.plan('sequential', ['c-0', 'wipe', null]).result('c-0', 'max_steps', '-');
    expect(stage(log.finishBatch().finishTurn())).toBe('e stopped close_out max_steps');
    expect(stage(called(config({ max_steps: 2 }), 'pay'))).toBe('h tools_due run_tools ');
    expect(
      stage(
        started(config({ max_steps: 1 }))
          .startStep()
          .answer('Done.'),
      ),
    ).toBe('g natural_end finalize completed');
  });
  test('e: a step that was cut off and run again is one step', () => {
    const log = started(config({ max_steps: 2 }))
      .startStep()
      .startStep()
      .answer(null, ['c-0', 'pay', good]);
    expect(stage(log)).toBe('h tools_due run_tools ');
  });
  test('f: a person was asked and has not answered', () => {
    const log = called(config(), 'wipe', 'wipe').ask('c-0', 'wipe', good);
    expect(stage(log)).toBe('f paused approve ');
    expect(stage(log.resolve('c-0', 5, 'approved'))).toBe('h tools_due run_tools ');
    expect(stage(log.ask('c-1', 'wipe', good))).toBe('f paused approve ');
  });
  test('g: the model has said its last word, whether its turn is finished or not', () => {
    const log = started().startStep().answer('Done.');
    expect(stage(log)).toBe('g natural_end finalize completed');
    expect(stage(log.finishTurn())).toBe('g natural_end finalize completed');
  });
  test('h: until both the batch and the turn are finished; i: then the next step', () => {
    const log = intended(config(), 'pay').result('c-0', 'completed', 'paid');
    expect(stage(log)).toBe('h tools_due run_tools ');
    expect(stage(log.finishBatch())).toBe('h tools_due run_tools ');
    expect(stage(log.finishTurn())).toBe('i step_due run_step ');
    expect(stage(started())).toBe('i step_due run_step ');
  });
});

describe('each state of a call', () => {
  test('before there is a batch', () => {
    const log = called(config(), 'pay', 'wipe', 'wipe', 'wipe').ask('c-1', 'wipe', good).ask('c-2', 'wipe', good);
    log.ask('c-3', 'wipe', good).resolve('c-2', 6, 'approved').resolve('c-3', 7, 'denied');
    expect(states(log)).toBe('pending awaiting_approval approved denied');
  });
  test('planned, handed over, ended', () => {
    const log = called(config(), 'pay', 'pay', 'shell', 'pay', 'shell');
    log.plan(
      'sequential',
      ['c-0', 'pay', null],
      ['c-1', 'pay', null],
      ['c-2', 'shell', 'policy_blocked'],
      ['c-3', 'pay', null],
      ['c-4', 'shell', 'policy_blocked'],
    );
    log.intent('c-0', 'pay', good).intent('c-1', 'pay', good).noDispatch('c-4', 'policy_blocked').result('c-0', 'not_sent', '-');
    expect(states(log)).toBe('not_sent indeterminate never_dispatchable never_left no_dispatch');
  });
  test('behind a call that was closed, in a sequential batch only, and not before it', () => {
    for (const closed of ['interrupted', 'max_steps'] as const) {
      const of = (batch: RunConfig['batch']): string =>
        states(intended(config({ batch }), 'pay', 'pay', 'pay').result('c-1', closed, '-'));
      expect(of('sequential')).toBe(`indeterminate ${closed} held_successor`);
      expect(of('parallel')).toBe(`indeterminate ${closed} indeterminate`);
    }
    const delivered = intended(config(), 'pay', 'pay').result('c-0', 'completed', 'paid');
    expect(states(delivered)).toBe('completed indeterminate');
    expect(states(intended(config(), 'pay', 'pay').result('c-0', 'unknown', '?'))).toBe('unknown indeterminate');
  });
});

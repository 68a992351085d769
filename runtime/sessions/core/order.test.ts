import { describe, expect, test } from 'vitest';
import { SessionError } from './refusals.js';
import { SessionHistory } from './history.js';
import type { Frame } from './records.js';
import { fold, runConfig, sessionId, TestLog, tool } from './testing/log.js';
import { good, tools } from './testing/walk-calls.js';

const config = runConfig({ tools });
const intent = runConfig({ tools, model_leg: 'intent' });

/** A run whose first step asked for calls of these tools: c-0, c-1 and so on. */
function called(...names: string[]): TestLog {
  const log = new TestLog().start('run-a', 'Hello', config).startStep();
  return log.answer('Working.', ...names.map((name, at) => [`c-${at}`, name, good] as const));
}
/** As `called`, planned for dispatch, with every intent. */
function intended(...names: string[]): TestLog {
  const log = called(...names).plan('sequential', ...names.map((name, at) => [`c-${at}`, name, null] as const));
  for (const [at, name] of names.entries()) log.intent(`c-${at}`, name, good);
  return log;
}

/** The last frame is refused for this reason; everything before it is taken. */
function refused(log: TestLog, reason: RegExp): void {
  const history = fold(log.frames.slice(0, -1));
  const before = JSON.stringify([history.runs, history.queue, history.lastSeq]);
  const last = log.frames.at(-1) as Frame;
  const refusal = (): void => history.apply(last);
  expect(refusal).toThrow(SessionError);
  expect(refusal).toThrow(reason);
  expect(refusal).toThrow(expect.objectContaining({ code: 'log-damaged', offset: last.offset }) as Error);
  expect(refusal).toThrow(new RegExp(`^Frame ${last.seq} \\(${last.type}\\) cannot stand where it stands: .*\\.$`));
  expect(JSON.stringify([history.runs, history.queue, history.lastSeq])).toBe(before);
}

describe('a batch is finished only with exactly one terminal for each planned call', () => {
  test('F01: the end of a batch before its last result is refused, naming the call', () => {
    refused(intended('pay', 'look').result('c-0', 'completed', 'paid').finishBatch(), /c-1 of batch-3 has neither/);
    refused(intended('pay').finishBatch(), /c-0/);
    expect(() => fold(intended('pay').result('c-0', 'completed', 'paid').finishBatch())).not.toThrow();
  });
  test('a second terminal is refused', () => {
    refused(intended('pay').result('c-0', 'completed', 'paid').result('c-0', 'completed', 'paid'), /c-0 has its end already/);
    refused(intended('pay').result('c-0', 'unknown', '?').result('c-0', 'completed', 'paid'), /c-0 has its end already/);
    const denied = called('shell').plan('sequential', ['c-0', 'shell', 'policy_blocked']);
    denied.noDispatch('c-0', 'policy_blocked');
    refused(denied.noDispatch('c-0', 'policy_blocked'), /c-0 has its end already/);
  });
  test('a second end of a batch, and a turn without the end of its batch, are refused', () => {
    const done = intended('pay').result('c-0', 'completed', 'paid').finishBatch();
    refused(done.finishBatch(), /batch-3 is finished already/);
    refused(intended('pay').result('c-0', 'completed', 'paid').finishTurn(), /the batch of step-3 is not finished/);
    refused(called('pay').finishTurn(), /the batch of step-3 is not finished/);
  });
  test('a plan is one for each call of the answer, in its order', () => {
    refused(called('pay', 'look').plan('sequential', ['c-0', 'pay', null]), /not one for each call/);
    refused(called('pay', 'look').plan('sequential', ['c-1', 'look', null], ['c-0', 'pay', null]), /not one for each call/);
    refused(called('pay').plan('sequential', ['c-0', 'look', null]), /not one for each call/);
    refused(called('pay').plan('sequential', ['c-0', 'pay', null], ['c-0', 'pay', null]), /not one for each call/);
    refused(called('pay').plan('sequential', ['c-0', 'pay', null]).plan('sequential', ['c-0', 'pay', null]), /planned already/);
  });
  test('a plan with a reason that does not go with it is refused', () => {
    const log = called('pay').plan('sequential', ['c-0', 'pay', null]);
    const planned = [{ tool_call_id: 'c-0', name: 'pay', plan: 'no_dispatch' as const, reason: null }];
    (log.frames.at(-1) as Frame).payload['planned'] = planned;
    refused(log, /a reason that does not go with its plan/);
  });
});

describe('F04: a result has its call', () => {
  test('a result of a call that nobody asked for, of another batch, or before there is a batch, is refused', () => {
    refused(intended('pay').result('c-9', 'completed', 'paid'), /step-3 asked for no call c-9/);
    refused(called('pay').result('c-0', 'completed', 'paid'), /no batch batch-3 is open for call c-0/);
    const log = intended('pay').result('c-0', 'completed', 'paid');
    (log.frames.at(-1) as Frame).payload['batch_id'] = 'batch-2';
    refused(log, /no batch batch-2 is open for call c-0/);
  });
  test('a call whose step is over gets no result, even where a later step asks under the same id', () => {
    const log = intended('pay').result('c-0', 'completed', 'paid').finishBatch().finishTurn().startStep();
    log.answer(null, ['c-0', 'pay', good]);
    const batch = log.batch;
    log.step = 'step-3';
    refused(log.result('c-0', 'completed', 'again'), /no batch batch-3 is open/);
    expect(batch).toBe('batch-10');
  });
  test('a result that says something of an effect has an intent', () => {
    for (const outcome of ['completed', 'not_sent', 'unknown'] as const)
      refused(called('pay').plan('sequential', ['c-0', 'pay', null]).result('c-0', outcome, '?'), /c-0 has no intent/);
    for (const outcome of ['interrupted', 'max_steps'] as const)
      expect(() => fold(called('pay').plan('sequential', ['c-0', 'pay', null]).result('c-0', outcome, '?'))).not.toThrow();
  });
  test('a call that was planned as never dispatched has neither an intent nor a result', () => {
    const planned = (): TestLog => called('shell').plan('sequential', ['c-0', 'shell', 'policy_blocked']);
    refused(planned().intent('c-0', 'shell', good), /planned as never dispatched/);
    refused(planned().result('c-0', 'interrupted', '?'), /planned as never dispatched/);
    refused(planned().noDispatch('c-0', 'denied'), /not planned as denied/);
    refused(intended('pay').noDispatch('c-0', 'denied'), /not planned as denied/);
  });
});

describe('an intent is for what the model asked for, before any result, and spends its own approval', () => {
  test('other arguments, another tool, a second intent', () => {
    const planned = (): TestLog => called('pay').plan('sequential', ['c-0', 'pay', null]);
    refused(planned().intent('c-0', 'pay', '{"x":"2"}'), /not what the model asked for/);
    refused(planned().intent('c-0', 'look', good), /not what the model asked for/);
    refused(intended('pay').intent('c-0', 'pay', good), /has an intent already/);
    refused(called('pay').intent('c-0', 'pay', good), /no batch batch-3 is open/);
  });
  test('an intent behind a result of its batch is refused', () => {
    const log = called('pay', 'look').plan('sequential', ['c-0', 'pay', null], ['c-1', 'look', null]);
    log.intent('c-0', 'pay', good).result('c-0', 'completed', 'paid');
    refused(log.intent('c-1', 'look', good), /all intents come before the first/);
  });
  test('approvals: asked once, for these bytes; answered once; spent by the intent of that call', () => {
    refused(called('wipe').ask('c-0', 'wipe', '{"x":"2"}'), /other arguments than those/);
    refused(called('wipe').ask('c-0', 'pay', good), /another step or tool/);
    refused(called('wipe').ask('c-0', 'wipe', good).ask('c-0', 'wipe', good), /asked about before/);
    refused(called('wipe').resolve('c-0', 4, 'approved'), /frame 4 asked nothing/);
    const asked = (): TestLog => called('wipe').ask('c-0', 'wipe', good);
    refused(asked().resolve('c-0', 4, 'approved'), /frame 4 asked nothing/);
    refused(asked().resolve('c-0', 5, 'approved').resolve('c-0', 5, 'denied'), /was answered before/);
    const approved = (): TestLog => asked().resolve('c-0', 5, 'approved').plan('sequential', ['c-0', 'wipe', null]);
    expect(() => fold(approved().intent('c-0', 'wipe', good, 6))).not.toThrow();
    refused(approved().intent('c-0', 'wipe', good, null), /spends the approval of frame 6/);
    refused(approved().intent('c-0', 'wipe', good, 5), /spends the approval of frame 6/);
    refused(called('wipe').plan('sequential', ['c-0', 'wipe', null]).intent('c-0', 'wipe', good), /needs an approval/);
    refused(called('pay').plan('sequential', ['c-0', 'pay', null]).intent('c-0', 'pay', good, 4), /no approval to spend/);
    const denied = asked().resolve('c-0', 5, 'denied').plan('sequential', ['c-0', 'wipe', null]);
    refused(denied.intent('c-0', 'wipe', good, 6), /no approval to spend/);
    refused(approved().resolve('c-0', 5, 'denied'), /batch-3 is planned already/);
  });
});

describe('steps and turns', () => {
  const finished = (): TestLog => intended('pay').result('c-0', 'completed', 'paid').finishBatch();
  test('a step starts only behind a finished turn, and looks no further than its own place', () => {
    refused(finished().startStep(), /the turn of step-3 is not finished/);
    refused(called('pay').startStep(), /the turn of step-3 is not finished/);
    refused(finished().finishTurn().startStep(7), /its watermark must lie between 8 and 9/);
    refused(finished().finishTurn().startStep(10), /its watermark must lie between 8 and 9/);
    refused(new TestLog().start('run-a', 'Hello', config).startStep(1), /between 2 and 2/);
    const misnamed = new TestLog().start('run-a', 'Hello', config);
    misnamed.add('step_started', { run_id: 'run-a', step_id: 'step-4', watermark_seq: 2 });
    refused(misnamed, /its step must be step-3/);
  });
  test('a step without calls was the last', () => {
    const log = new TestLog().start('run-a', 'Hello', config).startStep().answer('Done.').finishTurn();
    refused(log.startStep(), /step-3 asked for no calls and so ended the run/);
  });
  test('an answer belongs to the last step, once, with ids that differ', () => {
    const log = (): TestLog => new TestLog().start('run-a', 'Hello', config).startStep();
    refused(log().answer('One.').answer('Two.'), /no step step-3 waits for an answer/);
    refused(log().answer(null, ['c-0', 'pay', good], ['c-0', 'pay', good]), /two of its calls have one id/);
    const again = log().startStep();
    again.step = 'step-3';
    refused(again.answer('Late.'), /no step step-3 waits/);
    refused(log().answer('One.').finishTurn().finishTurn(), /the turn of step-3 is finished already/);
    refused(log().finishTurn(), /no step step-3 has an answer/);
  });
  test('attempts are numbered, and only where they are recorded before they are sent', () => {
    const log = (): TestLog => new TestLog().start('run-a', 'Hello', intent).startStep();
    refused(log().attempt(2), /attempt 1 of step-3 comes next/);
    refused(log().attempt(1).attempt(1), /attempt 2 of step-3 comes next/);
    refused(log().answer('Out of nowhere.'), /no attempt that it could answer/);
    refused(new TestLog().start('run-a', 'Hello', config).startStep().attempt(1), /records no attempts/);
  });
});

describe('runs, messages and identity', () => {
  const ended = (): TestLog =>
    new TestLog().start('run-a', 'Hello', config).startStep().answer('Done.').finishTurn().end('completed');
  test('one run at a time, each id once, nothing behind an end', () => {
    refused(new TestLog().start('run-a', 'Hello', config).start('run-b', 'Hello', config), /run run-a has no end yet/);
    refused(ended().start('run-a', 'Hello', config), /run-a names a run/);
    refused(ended().startStep(), /no run run-a is open/);
    refused(ended().steer('late'), /no run run-a is open/);
    refused(ended().end('completed'), /no run run-a is open/);
    refused(ended().cancel('now'), /no run run-a is open/);
    refused(called('pay').end('interrupted'), /the calls of step-3 have no finished batch/);
    refused(intended('pay').end('error'), /the calls of step-3 have no finished batch/);
  });
  test('a message is queued once, waits once and is drained or retracted once', () => {
    refused(new TestLog().queue('m-1', 'a').queue('m-1', 'b'), /m-1 names a message that waits/);
    refused(ended().queue('run-a', 'a'), /run-a names a run/);
    refused(
      new TestLog().queue('m-1', 'a').start('run-a', 'Hello', config).steer('more', 'm-1'),
      /m-1 names a message that waits/,
    );
    refused(new TestLog().start('run-a', 'Hello', config).steer('more', 'run-a'), /run-a names a run/);
    const steered = (): TestLog => new TestLog().start('run-a', 'Hello', config).steer('more', 'm-1');
    refused(steered().steer('more', 'm-1'), /m-1 names a steer/);
    refused(steered().queue('m-1', 'more'), /m-1 names a steer/);
    refused(steered().end('interrupted').start('m-1', 'more', config), /m-1 names a steer/);
    refused(steered().end('interrupted').start('run-b', 'Hello', config).steer('more', 'm-1'), /m-1 names a steer/);
    expect(() => fold(new TestLog().start('run-a', 'Hello', config).steer('more').steer('more'))).not.toThrow();
    refused(new TestLog().add('retracted', { submission_id: 'm-1' }), /no message m-1 waits/);
    const gone = new TestLog().queue('m-1', 'a').add('retracted', { submission_id: 'm-1' });
    refused(gone.start('m-1', 'a', config, 'm-1'), /no message m-1 waits/);
    const retracted = (): TestLog => new TestLog().queue('m-1', 'a').add('retracted', { submission_id: 'm-1' });
    refused(retracted().start('m-1', 'a', config), /m-1 names a message that was retracted/);
    refused(retracted().queue('m-1', 'a'), /m-1 names a message that was retracted/);
    refused(new TestLog().queue('m-1', 'a').start('m-1', 'a', config), /m-1 names a message that waits/);
    const drained = new TestLog().queue('m-1', 'a').start('m-1', 'a', config, 'm-1');
    refused(drained.add('retracted', { submission_id: 'm-1' }), /no message m-1 waits/);
  });
  test('another session, another identity, a number that goes back, a type that nobody knows', () => {
    const foreign = new TestLog();
    foreign.add('run_started', { run_id: 'run-a', session_id: 's-2', config, input: { text: 'Hello' } });
    refused(foreign, /the log is of session s-1/);
    refused(new TestLog().add('lineage', { identity: 'f'.repeat(32), session_id: sessionId }), /another identity/);
    const twice = new TestLog().add('lineage', { identity: '00112233445566778899aabbccddeeff', session_id: sessionId });
    const [, second] = twice.frames;
    const history = fold(twice);
    expect(() => history.apply(second as Frame)).toThrow(/frame 2 was read before/);
    const odd = { ...(second as Frame), seq: 3, type: 'of_tomorrow', kind: 'record' as const };
    expect(() => history.apply(odd)).toThrow(/its type is not known here/);
    expect(() => history.apply({ ...odd, kind: 'informational' })).not.toThrow();
    expect(history.lastSeq).toBe(3);
  });
  test('an empty history has no session and no run', () => {
    const history = new SessionHistory();
    expect([history.sessionId, history.lastSeq, history.current, history.last, history.queue]).toEqual([
      '',
      0,
      undefined,
      undefined,
      [],
    ]);
  });
  test('a tool that is offered twice is no tool twice: the first is meant', () => {
    const log = new TestLog()
      .start('run-a', 'Hi', runConfig({ tools: [tool('pay', { safety: 'pure' }), tool('pay')] }))
      .startStep();
    expect(fold(log.answer(null, ['c-0', 'pay', good])).last?.steps[0]?.calls[0]?.tool?.safety).toBe('pure');
  });
});

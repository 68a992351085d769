import { describe, expect, test } from 'vitest';
import { renderRequest } from './renderer.js';
import { conversationProblem } from './testing/conversation.js';
import { fold, runConfig, TestLog, tool } from './testing/log.js';
import { good } from './testing/walk-calls.js';
import { transcriptOf, type Turn } from './transcript.js';

const config = runConfig({ tools: [tool('pay'), tool('shell', { approval: 'blocked' })] });
const user = (text: string): Turn => ({ role: 'user', text });
const said = (text: string | null, ...ids: string[]): Turn => ({
  role: 'assistant',
  text,
  calls: ids.map((id) => ({ id, name: 'pay', arguments: good })),
});
const result = (toolCallId: string, output: string): Turn => ({ role: 'result', toolCallId, output });
const unknown = 'There is no recorded result of this call. It may have happened; find out before you ask for it again.';
const interrupted = 'This call was not dispatched: the run was interrupted before it.';

/** A run whose first step asked for payments of these ids, planned for dispatch, with their intents. */
function paying(...ids: string[]): TestLog {
  const log = new TestLog().start('run-a', 'Pay.', config).startStep();
  log.answer('Paying.', ...ids.map((id) => [id, 'pay', good] as const));
  log.plan('sequential', ...ids.map((id) => [id, 'pay', null] as const));
  for (const id of ids) log.intent(id, 'pay', good);
  return log;
}
const paid = (log: TestLog): TestLog => log.result('c-0', 'completed', 'paid').finishBatch().finishTurn();
const of = (log: TestLog, watermark?: number): Turn[] => transcriptOf(fold(log), watermark);

describe('a step with calls', () => {
  test('is nothing before its batch is finished, and then the message with one result for each call, in its order', () => {
    const log = paying('c-0', 'c-1');
    expect(of(log)).toEqual([user('Pay.')]);
    log.result('c-1', 'completed', 'second').result('c-0', 'completed', 'first');
    expect(of(log)).toEqual([user('Pay.')]);
    log.finishBatch();
    const whole = [user('Pay.'), said('Paying.', 'c-0', 'c-1'), result('c-0', 'first'), result('c-1', 'second')];
    expect(of(log)).toEqual(whole);
    expect(of(log.finishTurn())).toEqual(whole);
    expect(of(log, log.lastSeq - 2)).toEqual([user('Pay.')]);
  });
  test('shows the text of the reason where a call was never dispatched', () => {
    const log = new TestLog().start('run-a', 'Go.', config).startStep().answer(null, ['c-0', 'shell', good]);
    log.plan('sequential', ['c-0', 'shell', 'policy_blocked']).noDispatch('c-0', 'policy_blocked').finishBatch();
    expect(of(log).at(-1)).toEqual(result('c-0', 'This call was not dispatched: the policy of this session forbids it.'));
  });
});

describe('a steer', () => {
  test('stands before the first step whose watermark is at or past it, and never between a call and its result', () => {
    const log = paying('c-0').steer('Faster.');
    paid(log.steer('Please.'));
    log.startStep().steer('Late.').answer('Done.');
    const before = [user('Pay.'), said('Paying.', 'c-0'), result('c-0', 'paid'), user('Faster.'), user('Please.')];
    expect(of(log)).toEqual([...before, said('Done.'), user('Late.')]);
    expect(of(log.finishTurn().end('completed'))).toEqual([...before, said('Done.'), user('Late.')]);
  });
  test('that came between the watermark of a step and its start belongs to the next step', () => {
    const log = new TestLog().start('run-a', 'Pay.', config).steer('One.').steer('Two.').startStep(3);
    log.answer('Paying.', ['c-0', 'pay', good]).plan('sequential', ['c-0', 'pay', null]).intent('c-0', 'pay', good);
    paid(log);
    const expected = [user('Pay.'), user('One.'), said('Paying.', 'c-0'), result('c-0', 'paid'), user('Two.')];
    expect(of(log)).toEqual(expected);
    expect(of(log.startStep())).toEqual(expected);
  });
  test('of a step that was cut off stays where it was when the step is run again', () => {
    const log = new TestLog().start('run-a', 'Pay.', config).steer('One.').startStep().steer('Two.').startStep();
    expect(of(log)).toEqual([user('Pay.'), user('One.'), user('Two.')]);
  });
  test('that no step follows stands at the end of its run, before the input of the next', () => {
    const log = new TestLog().start('run-a', 'Pay.', config).startStep().answer('Done.').steer('Thanks.').finishTurn();
    log.end('completed').start('run-b', 'More.', config);
    expect(of(log)).toEqual([user('Pay.'), said('Done.'), user('Thanks.'), user('More.')]);
  });
});

describe('a run that did not end well leaves a conversation that goes on', () => {
  const next = (log: TestLog): Turn[] => {
    log.start('run-b', 'And now?', config);
    expect(conversationProblem(renderRequest(config, of(log)))).toBe(null);
    return of(log);
  };
  test('interrupted: the call is paired with the text that says that nobody knows', () => {
    const log = paying('c-0', 'c-1').result('c-0', 'unknown', unknown).result('c-1', 'interrupted', interrupted);
    expect(next(log.finishBatch().finishTurn().end('interrupted'))).toEqual([
      user('Pay.'),
      said('Paying.', 'c-0', 'c-1'),
      result('c-0', unknown),
      result('c-1', interrupted),
      user('And now?'),
    ]);
  });
  test('cancelled, while a call had its result and another had not', () => {
    const log = paying('c-0', 'c-1').result('c-0', 'completed', 'paid').cancel('now').result('c-1', 'interrupted', interrupted);
    const whole = next(log.finishBatch().finishTurn().end('cancelled'));
    expect(whole.slice(2)).toEqual([result('c-0', 'paid'), result('c-1', interrupted), user('And now?')]);
  });
  test('max_steps', () => {
    const log = new TestLog().start('run-a', 'Pay.', config).startStep().answer(null, ['c-0', 'pay', good]);
    log.plan('sequential', ['c-0', 'pay', null]).result('c-0', 'max_steps', 'Stopped.').finishBatch().finishTurn();
    expect(next(log.end('max_steps')).slice(1)).toEqual([said(null, 'c-0'), result('c-0', 'Stopped.'), user('And now?')]);
  });
  test('error: what was said without an answer is joined with what is said next', () => {
    const log = new TestLog().start('run-a', 'Pay.', config).startStep().end('error');
    expect(next(log)).toEqual([user('Pay.'), user('And now?')]);
    const body = renderRequest(runConfig(), of(log)).toString();
    expect(body).toContain('{"content":"Pay.\\n\\nAnd now?","role":"user"}');
  });
});

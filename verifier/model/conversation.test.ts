import { describe, expect, it } from 'vitest';
import { brokenRule, conversationWrong } from './conversation.js';

const system = { role: 'system', content: 'You help.' };
const user = { role: 'user', content: 'Hi.' };
const says = { role: 'assistant', content: 'Fine.' };
const call = (id: unknown, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'charge', arguments: '{}' },
  ...more,
});
const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' });

describe('a strict provider takes', () => {
  it.each<[string, unknown[]]>([
    ['a first turn', [user]],
    ['a first turn after the system text', [system, user]],
    ['a system text in between', [system, user, says, system, user]],
    ['a system text at the end', [user, system]],
    ['a call with its result', [system, user, calls('a'), result('a')]],
    ['two calls with their results, in any order', [user, calls('a', 'b'), result('b'), result('a')]],
    ['a second run', [user, says, user]],
    ['two assistants in a row', [user, says, says, user]],
    ['a user after results', [user, calls('a'), result('a'), user]],
    ['the same id again in a later step', [user, calls('a'), result('a'), calls('a'), result('a')]],
    ['parts', [{ role: 'user', content: [{ type: 'text' }] }]],
    ['members that no rule names', [{ ...user, name: 1, tool_calls: 'none' }]],
    ['an assistant without calls of its own', [user, { ...says, tool_calls: null }, user]],
  ])('%s', (_what, messages) => expect([brokenRule(messages), conversationWrong(messages)]).toEqual([null, null]));
});

describe('a strict provider refuses', () => {
  const asks = (...tool_calls: unknown[]) => [user, { role: 'assistant', tool_calls }, result('a')];

  it.each<[string, unknown, string]>([
    ['nothing', [], 'beginning'],
    ['no list', null, 'beginning'],
    ['a message that is none', [user, 'Hi.'], 'message'],
    ['a role that is none', [{ role: 'function', content: '' }], 'message'],
    ['a user without content', [{ role: 'user' }], 'content'],
    ['a user with an empty text', [{ role: 'user', content: '' }], 'content'],
    ['a result without content', [user, calls('a'), { role: 'tool', tool_call_id: 'a', content: null }], 'content'],
    ['no parts', [{ role: 'user', content: [] }], 'content'],
    ['a part without a type', [{ role: 'user', content: [{ text: 'Hi.' }] }], 'content'],
    ['calls that are no list', [user, { role: 'assistant', content: 'x', tool_calls: {} }, user], 'tool_calls'],
    ['an empty list of calls', [user, { role: 'assistant', content: 'x', tool_calls: [] }, user], 'tool_calls'],
    ['a call that is none beside one that is', asks(call('a'), 'b'), 'tool_calls'],
    ['a call with an empty id', asks(call('')), 'tool_calls'],
    ['a call of another type', asks(call('a', { type: 'custom' })), 'tool_calls'],
    ['a call without a name', asks(call('a', { function: { name: '', arguments: '{}' } })), 'tool_calls'],
    ['a call whose arguments are no text', asks(call('a', { function: { name: 'x', arguments: {} } })), 'tool_calls'],
    ['an assistant that says nothing', [user, { role: 'assistant', content: null }, user], 'silent_assistant'],
    ['an assistant with an empty text', [user, { role: 'assistant', content: '' }, user], 'silent_assistant'],
    ['two calls with one id', [user, calls('a', 'a'), result('a')], 'repeated_call'],
    ['a result without a call', [user, result('a')], 'result_without_call'],
    ['a result at the very beginning', [result('a'), user], 'result_without_call'],
    ['a result of an earlier call', [user, calls('a'), result('a'), calls('b'), result('a'), result('b')], 'result_without_call'],
    ['a second result of one call', [user, calls('a'), result('a'), result('a')], 'repeated_result'],
    ['a call without a result', [user, calls('a')], 'call_without_result'],
    ['one of two calls without a result', [user, calls('a', 'b'), result('a'), says, user], 'call_without_result'],
    ['one that begins with an assistant', [system, says, user], 'beginning'],
    ['two user turns in a row', [user, user], 'two_users'],
    ['two user turns with a system text between them', [user, system, user], 'two_users'],
    ['one that ends with an assistant', [user, says], 'end'],
    ['one that ends with an assistant and a system text', [user, says, system], 'end'],
  ])('%s', (_what, messages, rule) => {
    expect(brokenRule(messages)).toBe(rule);
    expect(conversationWrong(messages)).toMatch(/^[A-Z].*\.$/);
  });

  it('a call whose result comes behind a system text', () => {
    expect(brokenRule([user, calls('a'), system, result('a')])).toBe('result_without_call');
  });
});

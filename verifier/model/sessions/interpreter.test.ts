import { describe, expect, it } from 'vitest';
import { interpretChat } from './interpreter.js';

const call = (id: unknown, name: unknown = 'charge', given: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});
const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const answer = (message: object, more: object = {}) => bytes({ choices: [{ finish_reason: 'stop', message }], ...more });
const asked = (id: string) => ({ id, name: 'charge', arguments: '{}' });

describe('an answer', () => {
  it.each<[string, Buffer, string | null, object[]]>([
    ['is a text', answer({ content: 'Fine.' }), 'Fine.', []],
    [
      'is parts of text',
      answer({
        content: [
          { type: 'text', text: 'Fi' },
          { type: 'text', text: 'ne.' },
        ],
      }),
      'Fine.',
      [],
    ],
    ['is a text, and no calls', answer({ content: 'Fine.', tool_calls: null }), 'Fine.', []],
    ['is a text, and a list without calls', answer({ content: 'Fine.', tool_calls: [] }), 'Fine.', []],
    ['asks for a call', answer({ content: null, tool_calls: [call('a')] }), null, [asked('a')]],
    ['asks for calls, in order', answer({ content: null, tool_calls: [call('b'), call('a')] }), null, [asked('b'), asked('a')]],
    ['says something beside its calls, which is kept', answer({ content: 'So.', tool_calls: [call('a')] }), 'So.', [asked('a')]],
    ['says nothing beside its calls', answer({ content: '', tool_calls: [call('a')] }), null, [asked('a')]],
    [
      'keeps arguments as the model wrote them',
      answer({ content: null, tool_calls: [call('a', 'x', ' not json')] }),
      null,
      [{ id: 'a', name: 'x', arguments: ' not json' }],
    ],
    [
      'takes an id of every sign that one may have',
      answer({ content: null, tool_calls: [call('A9_.:-')] }),
      null,
      [asked('A9_.:-')],
    ],
  ])('%s', (_what, body, text, calls) => {
    expect(interpretChat(200, body)).toEqual({ result: 'answer', assistant: { text, tool_calls: calls } });
  });
});

describe('no answer', () => {
  const calls = (...all: unknown[]) => answer({ content: null, tool_calls: all });

  it.each<[string, number | null, Buffer, string]>([
    ['is another status', 500, answer({ content: 'Fine.' }), 'provider_error'],
    ['is an error in a 200', 200, answer({ content: null, tool_calls: [call('a')] }, { error: {} }), 'provider_error'],
    ['is no JSON', 200, bytes('{"choices":'), 'uninterpretable'],
    ['is an empty text without calls', 200, answer({ content: '' }), 'uninterpretable'],
    ['is parts that are all empty', 200, answer({ content: [{ type: 'text', text: '' }] }), 'uninterpretable'],
    [
      'is parts beside calls',
      200,
      answer({ content: [{ type: 'text', text: 'x' }], tool_calls: [call('a')] }),
      'uninterpretable',
    ],
    ['is a content that is null without calls', 200, answer({ content: null }), 'uninterpretable'],
    ['is a content that is not there beside calls', 200, answer({ tool_calls: [call('a')] }), 'uninterpretable'],
    ['is a content that is a number beside calls', 200, answer({ content: 7, tool_calls: [call('a')] }), 'uninterpretable'],
    [
      'is no finish reason beside calls',
      200,
      bytes({ choices: [{ message: { content: null, tool_calls: [call('a')] } }] }),
      'uninterpretable',
    ],
    ['is a call without an id', 200, calls(call(undefined)), 'uninterpretable'],
    ['is a call whose id is none', 200, calls(call('a b')), 'uninterpretable'],
    ['is a call whose id is too long', 200, calls(call('a'.repeat(129))), 'uninterpretable'],
    ['is a call with an empty name', 200, calls(call('a', '')), 'uninterpretable'],
    ['is a call whose arguments are no text', 200, calls(call('a', 'x', {})), 'uninterpretable'],
    ['is a call that is none', 200, calls('a'), 'uninterpretable'],
    ['is two calls with one id', 200, calls(call('a'), call('a')), 'uninterpretable'],
    ['is a list of calls that is none', 200, answer({ content: 'Fine.', tool_calls: call('a') }), 'uninterpretable'],
    [
      'is half of a sign',
      200,
      bytes('{"choices":[{"finish_reason":"x","message":{"content":"\\ud800","tool_calls":[]}}]}'),
      'uninterpretable',
    ],
    [
      'is half of a sign in arguments',
      200,
      bytes(
        '{"choices":[{"finish_reason":"x","message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"x","arguments":"\\ud800"}}]}}]}',
      ),
      'uninterpretable',
    ],
  ])('%s', (_what, status, body, result) => expect(interpretChat(status, body)).toEqual({ result, assistant: null }));
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpretAnswer } from './interpret.js';
import { shapeProblem } from './records.js';

const bytes = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const answer = (message: unknown, more: object = {}): Buffer => bytes({ choices: [{ message, finish_reason: 'stop' }], ...more });
const call = (id: unknown, name: unknown = 'pay', given: unknown = '{}') => ({ id, function: { name, arguments: given } });
const resultOf = (message: unknown): string => interpretAnswer(200, answer(message)).result;

describe('an answer', () => {
  test('is a text, with what it used', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
    expect(interpretAnswer(200, answer({ role: 'assistant', content: 'Hi é😀' }, { usage }))).toEqual({
      result: 'answer',
      assistant: { text: 'Hi é😀', tool_calls: [] },
      usage: { input_tokens: 5, output_tokens: 2 },
      detail: null,
    });
    for (const odd of [
      null,
      {},
      { prompt_tokens: 1 },
      { prompt_tokens: -1, completion_tokens: 1 },
      { prompt_tokens: 1.5, completion_tokens: 1 },
    ])
      expect(interpretAnswer(200, answer({ content: 'Hi' }, { usage: odd })).usage).toBe(null);
  });
  test('is a text in parts', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(interpretAnswer(200, answer({ content: parts })).assistant?.text).toBe('ab');
  });
  test('is calls, with a text or none; an empty text is none', () => {
    for (const [content, text] of [
      [null, null],
      ['', null],
      ['Wait.', 'Wait.'],
      [undefined, null],
    ] as const)
      expect(
        interpretAnswer(200, answer({ content, tool_calls: [call('a-1:x.y_z'), call('b', 'any name', 'not json')] })),
      ).toMatchObject({
        result: 'answer',
        assistant: {
          text,
          tool_calls: [
            { id: 'a-1:x.y_z', name: 'pay', arguments: '{}' },
            { id: 'b', name: 'any name', arguments: 'not json' },
          ],
        },
      });
    for (const none of [null, []])
      expect(interpretAnswer(200, answer({ content: 'Hi', tool_calls: none })).assistant?.tool_calls).toEqual([]);
  });
});

describe('what is no answer', () => {
  test('an error of the provider, inside a 200 too', () => {
    expect(interpretAnswer(503, answer({ content: 'Hi' }))).toMatchObject({ result: 'provider_error', detail: '503' });
    expect(interpretAnswer(200, bytes({ error: { message: 'No.' }, choices: [] }))).toMatchObject({
      result: 'provider_error',
      detail: 'No.',
    });
    expect(interpretAnswer(200, bytes({ error: null })).result).toBe('provider_error');
  });
  test.each([
    ['nothing', ''],
    ['HTML', '<html></html>'],
    ['a list', '[]'],
    ['no choices', '{}'],
    ['an empty list of choices', '{"choices":[]}'],
    ['no message', '{"choices":[{"finish_reason":"stop"}]}'],
    ['no finish reason', '{"choices":[{"message":{"content":"Hi"}}]}'],
    ['a cut body', '{"choices":[{"message":{"content":"Hi"'],
  ])('%s', (_, body) => {
    expect(interpretAnswer(200, bytes(body)).result).toBe('uninterpretable');
  });
  test('a body that is not UTF-8', () => {
    expect(interpretAnswer(200, Buffer.from([0x22, 0xff, 0x22])).result).toBe('uninterpretable');
  });
  test.each([
    ['no text and no calls', { content: null }],
    ['an empty text and no calls', { content: '' }],
    ['a content of another kind', { content: 5, tool_calls: [call('a')] }],
    ['half of a surrogate pair', { content: '\ud800' }],
    ['calls that are no list', { content: 'Hi', tool_calls: {} }],
    ['a call without a function', { tool_calls: [{ id: 'a' }] }],
    ['a call twice', { tool_calls: [call('a'), call('a')] }],
    ['a call without an id', { tool_calls: [call(undefined)] }],
    ['a call with an empty id', { tool_calls: [call('')] }],
    ['a call with an id that is none', { tool_calls: [call('a/b')] }],
    ['a call with an id and a line break', { tool_calls: [call('a\n')] }],
    ['a call with an id that is too long', { tool_calls: [call('a'.repeat(129))] }],
    ['a call with an empty name', { tool_calls: [call('a', '')] }],
    ['a call with arguments that are no text', { tool_calls: [call('a', 'pay', {})] }],
    ['a call whose arguments hold half of a pair', { tool_calls: [call('a', 'pay', '\udfff')] }],
    ['a call whose name holds half of a pair', { tool_calls: [call('a', '\udfff')] }],
  ])('%s', (_, message) => {
    expect(resultOf(message)).toBe('uninterpretable');
  });
  test('more than a record may hold, or names that no plan may hold', () => {
    expect(resultOf({ content: 'a'.repeat(4_194_304) })).toBe('uninterpretable');
    expect(resultOf({ content: 'a'.repeat(4_100_000) })).toBe('answer');
    expect(resultOf({ tool_calls: [call('a', 'n'.repeat(1_048_576))] })).toBe('uninterpretable');
    expect(resultOf({ tool_calls: [call('a', 'n'.repeat(1_000_000))] })).toBe('answer');
  });
});

test('whatever comes is judged and never throws, and what is an answer can be recorded', () => {
  const message = fc.record(
    { content: fc.oneof(fc.string(), fc.constant(null), fc.anything()), tool_calls: fc.anything() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.nat(600),
      fc.oneof(
        fc.uint8Array(),
        message.map((value) => answer(value)),
      ),
      (status, body) => {
        for (const given of [status, 200]) {
          const { result, assistant, usage } = interpretAnswer(given, body);
          if (result === 'answer')
            expect(shapeProblem('model_step_finished', { run_id: 'r', step_id: 'step-3', assistant, usage })).toBe(null);
        }
      },
    ),
    { numRuns: 300 },
  );
});

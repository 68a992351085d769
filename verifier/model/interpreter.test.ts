import { expect, it } from 'vitest';
import { interpret } from './interpreter.js';

const choice = (content: unknown, finish_reason: unknown): string =>
  JSON.stringify({ choices: [{ finish_reason, message: { content } }] });

it.each<[string, number | null, string | Buffer, string]>([
  ['an answer', 200, choice('Fine.', 'stop'), 'answer'],
  ['an empty answer', 200, choice('', 'stop'), 'answer'],
  ['an answer cut at its length', 200, choice('Fi', 'length'), 'answer'],
  ['no finish reason', 200, choice('Fi', null), 'uninterpretable'],
  ['no text', 200, choice(null, 'stop'), 'uninterpretable'],
  ['half a surrogate pair', 200, '{"choices":[{"finish_reason":"stop","message":{"content":"\\ud800"}}]}', 'uninterpretable'],
  ['an error inside a 200', 200, '{"error":{"message":"overloaded"}}', 'provider_error'],
  ['no choices', 200, '{"choices":[]}', 'uninterpretable'],
  ['choices that are no list', 200, '{"choices":{"0":{"finish_reason":"stop","message":{"content":"x"}}}}', 'uninterpretable'],
  ['an empty body', 200, '', 'uninterpretable'],
  ['a web page', 200, '<html></html>', 'uninterpretable'],
  ['a list', 200, '[]', 'uninterpretable'],
  ['null', 200, 'null', 'uninterpretable'],
  ['bytes that are not UTF-8', 200, Buffer.from([0x7b, 0xff, 0x7d]), 'uninterpretable'],
  ['a byte order mark', 200, `\uFEFF${choice('Fine.', 'stop')}`, 'uninterpretable'],
  ['an answer under an error status', 500, choice('Fine.', 'stop'), 'provider_error'],
  ['an error status without a body', 404, '', 'provider_error'],
  ['another success status', 201, choice('Fine.', 'stop'), 'provider_error'],
])('%s', (_what, status, body, result) => {
  const meaning = interpret(status, Buffer.from(body));
  expect(meaning.result).toBe(result);
  expect((meaning.text === null) === (meaning.finish_reason === null)).toBe(true);
  expect(meaning.text === null).toBe(result !== 'answer');
});

import { expect, it } from 'vitest';
import { interpret, isKnown } from './interpreter.js';

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

const parts = (...content: unknown[]): Buffer => Buffer.from(choice(content, 'stop'));
const part = (text: string): object => ({ text, type: 'text' });

it.each<[string, Buffer, string | null]>([
  ['one part', parts(part('Fine.')), 'Fine.'],
  ['several parts, without anything between', parts(part('Fi'), part(''), part('ne.')), 'Fine.'],
  ['parts with members that are not looked at', parts({ ...part('Fine.'), annotations: [] }), 'Fine.'],
  ['no part', parts(), null],
  ['a part that is no text', parts(part('Fine.'), { image_url: 'x', type: 'image' }), null],
  ['a part without its type', parts({ text: 'Fine.' }), null],
  ['a part whose text is none', parts({ text: 1, type: 'text' }), null],
  ['a pair of surrogates in two parts', parts(part('\ud83d'), part('\udc4b')), '\ud83d\udc4b'],
  ['half a pair', parts(part('\ud83d')), null],
  ['a text, as in version 1', Buffer.from(choice('Fine.', 'stop')), 'Fine.'],
])('version 2 reads %s, which version 1 reads only as one text', (_what, body, text) => {
  expect(interpret(200, body, 2)).toMatchObject({ result: text === null ? 'uninterpretable' : 'answer', text });
  expect(interpret(200, body).text).toBe(
    Array.isArray((JSON.parse(body.toString()) as Choices).choices[0]?.message.content) ? null : text,
  );
});

interface Choices {
  choices: { message: { content: unknown } }[];
}

it('knows the versions that the contract describes', () => {
  expect([1, 2, 3].map((version) => isKnown({ name: 'chat-completions', version }))).toEqual([true, true, false]);
  expect(isKnown({ name: 'another', version: 1 })).toBe(false);
});

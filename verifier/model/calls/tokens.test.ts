import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';
import { describe, expect, it } from 'vitest';
import { tokensOfPiece } from './byte-pairs.js';
import { piecewise, tokensIn } from './tokens.js';

const o200k = { name: 'o200k_base', version: 1 };
const load = createRequire(import.meta.url);
const { Tiktoken: Counter } = load('js-tiktoken/lite') as { Tiktoken: new (ranks: TiktokenBPE) => Tiktoken };
const library = new Counter(load('js-tiktoken/ranks/o200k_base') as TiktokenBPE);

const texts = [
  ['nothing', ''],
  ['prose', 'The second paragraph cites its measurement once, and it\'s the figure of  one run.\r\n\n  Then:\t"x"?  '],
  ['a long word', 'abcdefghij'.repeat(30)],
  ['one letter', 'A'.repeat(300)],
  ['digits', '7'.repeat(200)],
  ['dots', '.'.repeat(300)],
  ['spaces before a word, and lines', `${' '.repeat(200)}x\n${'\n'.repeat(200)}  y`],
  ['Han', '漢字仮名'.repeat(60)],
  ['faces and marks', '👩‍👩‍👧‍👦'.repeat(20) + 'é'.repeat(100)],
  ['base64', Buffer.from(Array.from({ length: 300 }, (_byte, index) => (index * 151) % 256)).toString('base64')],
  ['what looks like a special token', `<|endoftext|>${'<|endofprompt|>'.repeat(20)}`],
] as const;

describe('tokens', () => {
  it.each(texts)('of %s are those of the library', (_what, text) => {
    const wanted = library.encode(text, [], []).length;
    expect([tokensIn(text, o200k), piecewise(text)]).toEqual([wanted, wanted]);
  });

  it('of one long word take no longer than those of as much prose, by far', () => {
    // The library would take minutes.
    expect(tokensIn('abcdefghij'.repeat(20_000), o200k)).toBe(40_000);
  });

  it('of another tokenizer cannot be told', () => {
    expect(() => tokensIn('x', { name: 'o200k_base', version: 2 })).toThrow('not known here');
  });
});

describe('the pairs of a piece', () => {
  const ranks = new Map([...['ab', 'bc', 'aba', 'bcb'].entries()].map(([rank, token]) => [token, rank]));

  it.each([
    ['ab', 1],
    ['abc', 2],
    ['bcb', 1],
    ['abab', 2],
    ['abbcb', 2],
    ['xyz', 3],
  ])('%s', (piece, count) => {
    expect(tokensOfPiece(piece, ranks)).toBe(count);
  });
});

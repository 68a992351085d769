/** Tokens of odd text, against counts by another library; they are written down here, since no program reads another's. */
import { expect, test } from 'vitest';
import { countTokens } from './tokens.js';

test.each<[string, number]>([
  ['', 0],
  ['\ufeff', 1],
  ['\ufeffusing System;', 3],
  ['\ufeff\ufeff\ufeff', 2],
  ['a\ufeffb', 3],
  ['x \ufeff\n\ufeff# Title\n', 7],
  ['\ufeff<|endoftext|>', 8],
  ['<|endoftext|>', 7],
  ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 8],
  ['e\u0301\u00e9', 3],
  ['\u0000\u0000\u0000', 2],
  ["it's IT'S \u017f", 5],
  ['   \r\n\t\n  x', 4],
  ['a'.repeat(64), 8],
])('%j has %i tokens', (text, tokens) => {
  expect(countTokens('o200k_base', text)).toBe(tokens);
});

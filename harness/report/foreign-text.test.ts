import { expect, it } from 'vitest';
import { linesOfText, oneLine } from './foreign-text.js';

it.each([
  ['plain text, of any language, stays', 'Größe 漢字 🙂 "a" \\', 'Größe 漢字 🙂 "a" \\'],
  ['a line break', 'a\nb\r\tc', String.raw`a\nb\r\tc`],
  ['what moves the cursor or colours', 'a\u001B[2Kb\u0007\u009B', String.raw`a\u{1b}[2Kb\u{7}\u{9b}`],
  ['what turns the direction, or is not seen', 'a\u202Eb\u200Bc\uFEFF\u2028', String.raw`a\u{202e}b\u{200b}c\u{feff}\u{2028}`],
  ['half of a pair', 'a\uD800', String.raw`a\u{d800}`],
])('on one line: %s', (_name, text, told) => {
  expect(oneLine(text, 100)).toBe(told);
});

it('says how much was cut off, and cuts no character in two', () => {
  expect(oneLine('🙂🙂🙂', 2)).toBe('🙂🙂… (1 more characters)');
  expect(oneLine('🙂🙂', 2)).toBe('🙂🙂');
});

it('keeps the lines of a text, and says how many it left out', () => {
  expect(linesOfText('a\nb\u001Bc', 2)).toEqual(['a', String.raw`b\u{1b}c`]);
  expect(linesOfText('a\nb\nc', 1)).toEqual(['a', '… (2 more lines)']);
});

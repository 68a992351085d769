import { expect, it } from 'vitest';
import { nameOf } from './names.js';

it.each<[string, string | number[], string]>([
  ['printable ASCII as it is', 'a-B_c.d e~', 'a-B_c.d e~'],
  ['a composed letter', '\u00e9', '\\u{e9}'],
  ['a decomposed letter', 'e\u0301', 'e\\u{301}'],
  ['a letter of two units', '\u{1f600}', '\\u{1f600}'],
  ['a backslash, so that nothing looks escaped', '\\u{e9}', '\\\\u{e9}'],
  ['controls', 'a\n\u001b[0m\u007f', 'a\\u{a}\\u{1b}[0m\\u{7f}'],
  ['bytes that are no text', [0x61, 0xff, 0x0a], 'a\\x{ff}\\u{a}'],
  ['a surrogate as bytes', [0xed, 0xa0, 0x80], '\\x{ed}\\x{a0}\\x{80}'],
])('shows %s', (_what, name, wanted) => expect(nameOf(Buffer.from(name as string))).toBe(wanted));

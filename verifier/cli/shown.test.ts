import { expect, it } from 'vitest';
import { run } from '../testing/command.js';
import { shown } from './shown.js';

it.each([
  ['plain text, letters of any script', 'caf\u00e9 \u4f60 \u{1f600}', 'caf\u00e9 \u4f60 \u{1f600}'],
  ['an escape sequence', '\u001b[31mred', '\\u{1b}[31mred'],
  ['a C1 control', '\u009b31m', '\\u{9b}31m'],
  ['a line feed and a carriage return', 'a\nb\rc', 'a\\u{a}b\\u{d}c'],
  ['a change of direction', 'a\u202eb\u2066c\u200fd', 'a\\u{202e}b\\u{2066}c\\u{200f}d'],
  ['line separators and a byte order mark', '\u2028\u2029\ufeff', '\\u{2028}\\u{2029}\\u{feff}'],
  ['half a character', '\ud800', '\\u{d800}'],
])('shows %s', (_what, text, wanted) => expect(shown(text)).toBe(wanted));

it.each([[['--explain', 'x\u001b[2J']], [['/no\u001b[31mwhere']], [['--\u001b[31m']], [['verify', 'a', 'b\u202e']]])(
  'what a command line brought along does nothing to a terminal (%#)',
  async (args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(64);
    expect(out).toBe('');
    expect(err).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u);
  },
);

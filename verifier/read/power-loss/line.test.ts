import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../../errors.js';
import { callIn, endIn } from './line.js';

const textIn = (quoted: string): string => {
  const [first] = callIn(`7 unlink(${quoted}) = 0`).given;
  return first?.is === 'text' ? first.bytes.toString('latin1') : 'no text';
};

describe('a line of a trace', () => {
  it('is a call with its arguments and its result', () =>
    expect(callIn('7 openat(AT_FDCWD</tmp>, "<state>/a", O_RDWR|O_CREAT, 0644)   = 3<<state>/a>')).toEqual({
      ...{ pid: 7, name: 'openat', result: '3', leadsTo: { path: '<state>/a', isGone: false } },
      given: [
        { is: 'descriptor', number: 'AT_FDCWD', path: '/tmp', isGone: false },
        { is: 'text', bytes: Buffer.from('<state>/a') },
        { is: 'word', word: 'O_RDWR|O_CREAT' },
        { is: 'word', word: '0644' },
      ],
    }));

  it.each([
    ['of a call without arguments', '7 sync() = 0', 0],
    ['of an entry', '7 answer() = ?', 0],
    ['of a descriptor on the folder', '7 fsync(20<<state>>) = 0', 1],
    ['of a descriptor whose file has no name any more', '7 fsync(20<<state>/a>(deleted)) = 0', 1],
    ['with a text that looks like the end of its call', '7 write(3<<state>/a>, ") = 0, \\"", 9) = 9', 3],
  ])('%s', (_what, line, given) => expect(callIn(line).given).toHaveLength(given));

  it.each([
    ['nothing to escape', '"ab, c)"', 'ab, c)'],
    ['letters', '"\\n\\t\\v\\f\\r\\"\\\\"', '\n\t\v\f\r"\\'],
    ['numbers of eight, as short as they can be', '"\\0\\33[\\1772"', '\0\u001b[\u007f2'],
    ['numbers of sixteen', '"\\x00\\xff\\x4B"', '\0\u00ffK'],
  ])('has texts with %s', (_what, quoted, text) => expect(textIn(quoted)).toBe(text));

  it.each([
    ['is none', 'unlink("<state>/a") = 0'],
    ['has no end', '7 unlink("<state>/a"'],
    ['has no result', '7 unlink("<state>/a")'],
    ['has something behind its result', '7 unlink("<state>/a") = 0 and more'],
    ['has a text without an end', '7 unlink("<state>/a) = 0'],
    ['has arguments that nothing parts', '7 rename("a" "b") = 0'],
    ['has an argument that nothing is', '7 rename("a", ) = 0'],
    ['has half an escape', '7 unlink("\\x4") = 0'],
    ['has an escape over a byte', '7 unlink("\\777") = 0'],
    ['has a text that was cut', '7 write(3<<state>/a>, "abc"..., 5) = 5'],
  ])('that %s is not read', (_what, line) => expect(() => callIn(line)).toThrow(EvidenceError));
});

describe('the last line', () => {
  it('tells how the role ended', () =>
    expect([endIn('7 +++ exited with 0 +++'), endIn('7 +++ killed by SIGKILL +++')]).toEqual([
      { pid: 7, code: 0 },
      { pid: 7, code: null },
    ]));

  it('is needed', () => expect(() => endIn('7 unlink("<state>/a") = 0')).toThrow(EvidenceError));
});

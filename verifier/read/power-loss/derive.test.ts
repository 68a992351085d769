/** Bounds and questions of a derivation; what it derives is held against the known answers. */
import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../../errors.js';
import { Derivation, stateDigest } from './derive.js';

const end = '7 +++ exited with 0 +++\n';
const made = '7 openat(AT_FDCWD</>, "<state>/f", O_WRONLY|O_CREAT, 0666) = 3<<state>/f>\n';
const write = (text: string): string => `7 write(3<<state>/f>, "${text}", ${text.length}) = ${text.length}\n`;
const settings = { persistence: 'strictest', subsets: 0, seed: 's' } as const;
const derived = (text: string, files: Record<string, string> = {}): Derivation =>
  new Derivation(
    Buffer.from(text),
    new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)])),
    settings,
  );
const refused = (text: string, files?: Record<string, string>): string => {
  try {
    return `derived ${derived(text, files).counts.derived}`;
  } catch (error) {
    return error instanceof EvidenceError ? `${error.code}: ${error.message}` : String(error);
  }
};

describe('a derivation', () => {
  it('knows when requests left, and when the role answered', () => {
    const { requests, answeredAt } = derived(`${made}7 request("GET", "/keys/a", "") = ?\n7 answer() = ?\n${end}`);
    expect(requests).toEqual([{ item: 2, asks: { method: 'GET', path: '/keys/a', key: null } }]);
    expect(answeredAt).toBe(3);
  });

  it('tells the state at the end', () =>
    expect(derived(made + write('ab') + end).end).toBe(stateDigest(new Map([['f', Buffer.from('ab')]]))));

  it('tells what a state lost, where it occurs', () => {
    const derivation = derived(made + write('ab') + end);
    const lost = (rule: string): string[] => {
      const all = derivation.states.flatMap(({ occurrences }) => occurrences);
      const there = all.find((one) => one.cut === 2 && one.rule === rule);
      return there === undefined ? [] : derivation.lostAt(there).map(({ item, words }) => `${item} ${words}`);
    };
    expect(lost('all-lost')).toEqual(['1 the new name f', '2 the size 2 of f', '2 2 bytes at 0 of f']);
    expect(lost('all-kept')).toEqual([]);
    expect(lost('lost-alone')).toEqual(['2 the size 2 of f']);
  });

  it('knows where a state occurs again', () => {
    const { states } = derived(`${made}7 answer() = ?\n${end}`);
    expect(states.map(({ occurrences }) => occurrences.map(({ cut }) => cut))).toEqual([
      [0, 1, 2],
      [1, 2],
    ]);
  });

  it('gives the files of some states alone', () => {
    const derivation = derived(made + write('ab') + end);
    const last = derivation.states.at(-1);
    const files = [...derivation.filesOf(last === undefined ? [] : [last])].map(([{ number }, content]) => [
      number,
      content.size,
    ]);
    expect(files).toEqual([[derivation.states.length, 1]]);
  });

  it('knows which states were made, and which a journal would roll back', () => {
    const [first] = derived(end, { 'format.json': '{}', 'ledger.sqlite-journal': '' }).states;
    expect([first?.isMade, first?.hasJournal]).toEqual([true, true]);
  });
});

describe('a trace', () => {
  it.each([
    ['is empty', ''],
    ['ends in a line that is not whole', end.trimEnd()],
    ['has a call through a descriptor that nothing opened', `7 fsync(3<<state>/f>) = 0\n${end}`],
    ['has a call on a file that is not there', `7 unlink("<state>/f") = 0\n${end}`],
    ['has a call that failed', `7 unlink("<state>/f") = -1 ENOENT (No such file or directory)\n${end}`],
    ['has a call that never came back', `7 unlink("<state>/f") = ?\n${end}`],
    ['has a call of another family', `7 read(3<<state>/f>, "", 1) = 0\n${end}`],
    ['has a write without all of its bytes', `${made}7 write(3<<state>/f>, "ab", 5) = 5\n${end}`],
    ['opens what is not there', `7 openat(AT_FDCWD</>, "<state>/f", O_RDONLY) = 3<<state>/f>\n${end}`],
    [
      'tells of a volatile file',
      `7 openat(AT_FDCWD</>, "<state>/lease.sqlite", O_RDWR|O_CREAT, 0644) = 3<<state>/lease.sqlite>\n${end}`,
    ],
    ['has a number that is none', `${made}7 ftruncate(3<<state>/f>, 99999999999999999999) = 0\n${end}`],
  ])('that %s is not read', (_what, text) => expect(refused(text)).toMatch(/^wrong-shape: /));

  it.each([
    ['a file that nobody would hold in memory', `${made}7 ftruncate(3<<state>/f>, 9007199254740991) = 0\n${end}`],
    ['bytes far behind the end', `${made}7 pwrite64(3<<state>/f>, "a", 1, 4503599627370496) = 1\n${end}`],
    ['a file without a name', `7 openat(AT_FDCWD</>, "<state>", O_WRONLY|O_TMPFILE, 0600) = 3<<state>/#1>\n${end}`],
    ['a path that leads out', `7 unlink("<state>/../f") = 0\n${end}`],
    ['a rename to another place', `7 rename("<state>/f", "/tmp/f") = 0\n${end}`],
  ])('of %s is not derived', (_what, text) => expect(refused(text, {})).toMatch(/^unmodelled: /));
});

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

describe('a descriptor', () => {
  it('is told by its name as that is now', () => {
    const renamed = `${made}7 rename("<state>/f", "<state>/g") = 0\n7 fsync(3<<state>/g>) = 0\n`;
    const gone =
      '7 unlink("<state>/g") = 0\n7 dup(3<<state>/g>(deleted)) = 4<<state>/g>(deleted)\n7 fsync(4<<state>/g>(deleted)) = 0\n';
    expect(refused(renamed + gone + end, { g: 'old' })).toMatch(/^derived /);
  });

  it('is told by the name that it was opened under, whatever other names its file has', () => {
    const linked = `${made}7 link("<state>/f", "<state>/g") = 0\n7 unlink("<state>/f") = 0\n`;
    expect(refused(`${linked}7 fsync(3<<state>/f>(deleted)) = 0\n${end}`)).toMatch(/^derived /);
    expect(refused(`${linked}7 fsync(3<<state>/g>) = 0\n${end}`)).toMatch(/^wrong-shape: /);
  });
});

it('a rename between two names of one file changes nothing', () => {
  const linked = `${made}7 link("<state>/f", "<state>/g") = 0\n`;
  expect(derived(`${linked}7 rename("<state>/f", "<state>/g") = 0\n7 fsync(3<<state>/f>) = 0\n${end}`).end).toBe(
    derived(linked + end).end,
  );
});

it('a short write put what it tells', () => {
  const short = `${made}7 write(3<<state>/f>, "abcdef", 6) = 2\n7 write(3<<state>/f>, "cdef", 4) = 4\n${end}`;
  const digests = (text: string): string[] => derived(text).states.map(({ sha256 }) => sha256);
  expect(digests(short)).toEqual(digests(made + write('ab') + write('cdef') + end));
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
    ['has a descriptor that leads to another name', `${made}7 fsync(3<<state>/g>) = 0\n${end}`],
    [
      'has a descriptor that leads to the name before a rename',
      `${made}7 rename("<state>/f", "<state>/g") = 0\n7 fsync(3<<state>/f>) = 0\n${end}`,
    ],
    ['tells of a file that is gone, and is not', `${made}7 fsync(3<<state>/f>(deleted)) = 0\n${end}`],
    [
      'tells of a file that is gone by another one in its place as if it were there',
      `7 openat(AT_FDCWD, "<state>/g", O_RDONLY) = 4<<state>/g>\n${made}7 rename("<state>/f", "<state>/g") = 0\n7 fsync(4<<state>/g>) = 0\n${end}`,
    ],
    ['has a descriptor on a file that leads to the folder', `${made}7 fsync(3<<state>>) = 0\n${end}`],
    ['opened another file than it tells', `7 openat(AT_FDCWD</>, "<state>/f", O_WRONLY|O_CREAT, 0666) = 3<<state>/g>\n${end}`],
    ['has a duplicate of another file', `${made}7 dup(3<<state>/f>) = 4<<state>/g>\n${end}`],
    [
      'makes what is there and must not be',
      `7 openat(AT_FDCWD, "<state>/g", O_WRONLY|O_CREAT|O_EXCL, 0666) = 4<<state>/g>\n${end}`,
    ],
    ['has a write of more than it was asked to', `${made}7 write(3<<state>/f>, "ab", 2) = 3\n${end}`],
    ['has a short write without all that it was asked to', `${made}7 write(3<<state>/f>, "ab", 5) = 2\n${end}`],
    ['has a line that is too long', `${made}${write('a'.repeat(5_000_000))}${end}`],
    ['has a number that is none', `${made}7 ftruncate(3<<state>/f>, 99999999999999999999) = 0\n${end}`],
  ])('that %s is not read', (_what, text) => expect(refused(text, { g: 'g' })).toMatch(/^wrong-shape: /));

  it.each([
    ['a file that nobody would hold in memory', `${made}7 ftruncate(3<<state>/f>, 9007199254740991) = 0\n${end}`],
    ['a file that is larger than what was told by more than a mebibyte', `${made}7 ftruncate(3<<state>/f>, 2097152) = 0\n${end}`],
    ['bytes far behind the end', `${made}7 pwrite64(3<<state>/f>, "a", 1, 4503599627370496) = 1\n${end}`],
    ['a file without a name', `7 openat(AT_FDCWD</>, "<state>", O_WRONLY|O_TMPFILE, 0600) = 3<<state>/#1>\n${end}`],
    ['a path that leads out', `7 unlink("<state>/../f") = 0\n${end}`],
    ['a rename to another place', `7 rename("<state>/f", "/tmp/f") = 0\n${end}`],
  ])('of %s is not derived', (_what, text) => expect(refused(text, {})).toMatch(/^unmodelled: /));
});

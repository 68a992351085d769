import { describe, expect, it } from 'vitest';
import { bytesOf, type Content } from './content.js';
import { distinctStatesOf, type NumberedState, type Source, survey } from './derive.js';
import type { Parameters } from './rules.js';

const strictest: Parameters = { persistence: 'strictest', subsets: 0, seed: 's' };
const ext4: Parameters = { ...strictest, persistence: 'ext4' };

function source(lines: string[], begun: Record<string, string> = {}): Source {
  return {
    begun: new Map(Object.entries(begun).map(([name, text]) => [name, Buffer.from(text)])),
    lines: () => [...lines.map((line) => `7 ${line}`), '7 +++ exited with 0 +++'],
    volatile: ['lease.sqlite'],
  };
}

function derive(of: Source, parameters: Parameters): { states: NumberedState[]; derived: number } {
  const all = distinctStatesOf(of, parameters, survey(of, parameters));
  const states: NumberedState[] = [];
  for (let result = all.next(); ; result = all.next()) {
    if (result.done === true) return { states, derived: result.value.derived };
    states.push(result.value);
  }
}

const text = (content: Content): string => Buffer.concat(bytesOf(content)).toString('latin1');
const filesOf = ({ files }: NumberedState): Record<string, string> =>
  Object.fromEntries([...files].map(([name, content]) => [name, text(content)]));
const contentsOf = (of: Source, parameters = strictest): Record<string, string>[] => derive(of, parameters).states.map(filesOf);

const create = (name: string, descriptor: number): string =>
  `openat(AT_FDCWD, "<state>/${name}", O_WRONLY|O_CREAT, 0666) = ${descriptor}<<state>/${name}>`;
const open = (name: string, descriptor: number, flags = 'O_WRONLY'): string =>
  `openat(AT_FDCWD, "<state>/${name}", ${flags}) = ${descriptor}<<state>/${name}>`;
const write = (name: string, descriptor: number, bytes: string): string =>
  `write(${descriptor}<<state>/${name}>, "${bytes}", ${bytes.length}) = ${bytes.length}`;
const put = (name: string, descriptor: number, bytes: string, at: number): string =>
  `pwrite64(${descriptor}<<state>/${name}>, "${bytes}", ${bytes.length}, ${at}) = ${bytes.length}`;
const sync = (name: string, descriptor: number): string => `fsync(${descriptor}<<state>/${name}>) = 0`;
const folder = ['openat(AT_FDCWD, "<state>", O_RDONLY) = 9<<state>>', 'fsync(9<<state>>) = 0'];

describe('what a power loss may leave', () => {
  it('is, of a file whose name was never synced, nothing, nothing in it, zeros, or all of it', () => {
    expect(contentsOf(source([create('a', 3), write('a', 3, 'xy')]))).toEqual([{}, { a: '' }, { a: 'xy' }, { a: '\0\0' }]);
  });

  it('is, of a synced file without a synced folder, all or nothing', () => {
    const lines = [create('a', 3), write('a', 3, 'xy'), sync('a', 3)];
    expect(derive(source(lines), strictest).states.filter(({ cut }) => cut === 3)).toEqual([]);
    expect(
      derive(source([...lines, write('a', 3, 'z')]), strictest)
        .states.filter(({ cut }) => cut === 4)
        .map(filesOf),
    ).toEqual([{ a: 'xyz' }, { a: 'xy\0' }]);
  });

  it('is, with ext4, never without the name of a file that was synced while its name was pending', () => {
    const lines = [create('a', 3), write('a', 3, 'xy'), sync('a', 3), write('a', 3, 'z')];
    const later = (parameters: Parameters) => {
      const all = source(lines);
      const states: Record<string, string>[] = [];
      for (const state of distinctStatesOf(all, parameters, survey(all, parameters))) states.push(filesOf(state));
      return states;
    };
    expect(later(strictest)).toContainEqual({});
    // With a journal the file is there from item 3 on: the last write is all that is pending.
    const counts = (parameters: Parameters) => derive(source(lines.slice(0, 3)), parameters).derived;
    expect(counts(strictest) - counts(ext4)).toBe(3 + 1);
  });

  it('is the old or the new file of a rename, and the folder decides', () => {
    const lines = [create('b', 3), write('b', 3, 'new'), sync('b', 3), 'rename("<state>/b", "<state>/a") = 0'];
    expect(contentsOf(source([...lines, ...folder], { a: 'old' }))).toContainEqual({ a: 'new' });
    // The name of the new file may last and its removal too, the rename without the creation.
    const last = derive(source(lines, { a: 'old' }), strictest).states.map(filesOf);
    expect(last).toEqual([{ a: 'old' }, { a: 'old', b: '' }, { a: 'old', b: 'new' }, { a: 'old', b: '\0\0\0' }, { a: 'new' }]);
    const synced = source([...lines, ...folder, open('a', 3), put('a', 3, 'N', 0)], { a: 'old' });
    expect(
      derive(synced, strictest)
        .states.filter(({ cut }) => cut > 6)
        .map(filesOf),
    ).toEqual([{ a: 'New' }]);
  });

  it('is a removed file that comes back, with what was synced in it', () => {
    const of = source([open('a', 3), put('a', 3, 'new', 0), 'unlink("<state>/a") = 0'], { a: 'old' });
    expect(contentsOf(of)).toEqual([{ a: 'old' }, { a: 'new' }, {}]);
  });

  it('is a write that is torn at a sector or a block', () => {
    const bytes = 'x'.repeat(5000);
    const states = derive(source([open('a', 3), put('a', 3, bytes, 100)], { a: 'o'.repeat(5100) }), strictest).states;
    expect(states.map(({ choice: { rule, at } }) => `${rule} ${at}`)).toEqual([
      'all-lost 0',
      'all-kept 0',
      'torn-512 1',
      'torn-4096 1',
    ]);
    expect(states.map((state) => filesOf(state).a?.lastIndexOf('x'))).toEqual([-1, 5099, 511, 4095]);
  });

  it('is a size that was cut or not', () => {
    expect(contentsOf(source([open('a', 3), 'ftruncate(3<<state>/a>, 1) = 0', put('a', 3, 'Z', 2)], { a: 'abc' }))).toEqual([
      { a: 'abc' },
      { a: 'a' },
      { a: 'a\0Z' },
      { a: 'abZ' },
      { a: 'a\0\0' },
    ]);
    expect(contentsOf(source([open('a', 3, 'O_WRONLY|O_CREAT|O_TRUNC')], { a: 'abc' }))).toEqual([{ a: 'abc' }, { a: '' }]);
  });

  it('follows the place of a descriptor, and the end of a file for one that appends', () => {
    const lines = [
      open('a', 3),
      'lseek(3<<state>/a>, 1, SEEK_SET) = 1',
      'dup(3<<state>/a>) = 4<<state>/a>',
      write('a', 3, 'X'),
      write('a', 4, 'Y'),
      open('a', 5, 'O_RDWR|O_APPEND'),
      write('a', 5, 'Z'),
    ];
    const states = contentsOf(source(lines, { a: 'abcd' }));
    expect(states).toContainEqual({ a: 'aXYdZ' });
    expect(derive(source(lines, { a: 'abcd' }), strictest).states.at(-1)?.cut).toBe(7);
  });

  it('is what `sync` left, whatever it was of', () => {
    for (const call of ['sync() = 0', 'syncfs(3<<state>/a>) = 0'])
      expect(derive(source([create('a', 3), write('a', 3, 'x'), call]), strictest).states.at(-1)?.cut).toBe(2);
  });

  it('keeps, with ext4, no entry behind one that was lost', () => {
    const lines = [create('a', 3), create('b', 4)];
    expect(contentsOf(source(lines))).toContainEqual({ b: '' });
    expect(contentsOf(source(lines), ext4)).toEqual([{}, { a: '' }, { a: '', b: '' }]);
  });
});

describe('a trace that no states can be derived from', () => {
  it.each<[string, string]>([
    ['a call that the model does not know', 'fallocate(3<<state>/a>, 0, 0, 10) = 0'],
    ['a writable mapping', 'mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3<<state>/a>, 0) = 0x7f'],
    ['a folder below', 'mkdir("<state>/b", 0777) = 0'],
    ['a file in a folder below', 'openat(AT_FDCWD, "<state>/b/c", O_WRONLY|O_CREAT, 0666) = 4<<state>/b/c>'],
    ['a name that becomes volatile', 'rename("<state>/a", "<state>/lease.sqlite") = 0'],
    ['a name from elsewhere', 'rename("<outside>", "<state>/a") = 0'],
    ['a rename with flags', 'renameat2(AT_FDCWD, "<state>/a", AT_FDCWD, "<state>/b", RENAME_EXCHANGE) = 0'],
    ['a text that was cut', 'write(3<<state>/a>, "x"..., 2) = 2'],
    ['a descriptor that nobody opened', 'fsync(8<<state>/a>) = 0'],
    ['a file that was never there', 'openat(AT_FDCWD, "<state>/b", O_RDONLY) = 4<<state>/b>'],
    ['a call that never returned', 'fsync(3<<state>/a>) = ?'],
    ['a size without a bound', 'ftruncate(3<<state>/a>, 1099511627776) = 0'],
  ])('has %s', (_what, line) => {
    expect(() => survey(source([create('a', 3), line]), strictest)).toThrow(
      expect.objectContaining({ name: 'Unmodelled' }) as Error,
    );
  });

  it('has another thread, or a write at a place that a read may have moved', () => {
    const other: Source = { ...source([]), lines: () => [`8 ${create('a', 3)}`, '7 +++ exited with 0 +++'] };
    expect(() => survey(other, strictest)).toThrow('Another thread');
    const later: Source = { ...source([]), lines: () => ['7 +++ exited with 0 +++', `8 ${create('a', 3)}`] };
    expect(() => survey(later, strictest)).toThrow('behind the end of the role');
    expect(() => survey(source([open('a', 3, 'O_RDWR'), write('a', 3, 'x')], { a: '' }), strictest)).toThrow(
      'a read may have moved',
    );
  });
});

describe('a descriptor', () => {
  const renamed = [create('a', 3), 'rename("<state>/a", "<state>/b") = 0'];
  const left =
    (lines: string[], begun: Record<string, string> = {}) =>
    (): unknown =>
      contentsOf(source(lines, begun));

  it('goes by the name that it was opened under, as that is now, also once it is gone', () => {
    expect(left([...renamed, sync('b', 3)])).not.toThrow();
    expect(left([create('a', 3), 'unlink("<state>/a") = 0', 'fsync(3<<state>/a>(deleted)) = 0'])).not.toThrow();
    expect(left([create('a', 3), 'link("<state>/a", "<state>/b") = 0', 'unlink("<state>/a") = 0', sync('a', 3)])).toThrow(
      /leads/,
    );
    expect(
      left([open('b', 4), ...renamed, 'dup(4<<state>/b>(deleted)) = 5<<state>/b>(deleted)', sync('b', 3)], { b: 'old' }),
    ).not.toThrow();
  });

  it.each([
    ['another name', [create('a', 3), 'fsync(3<<state>/b>) = 0']],
    ['the name before a rename', [...renamed, sync('a', 3)]],
    ['a file that is gone, and is not', [create('a', 3), 'fsync(3<<state>/a>(deleted)) = 0']],
    ['the folder', [create('a', 3), 'fsync(3<<state>>) = 0']],
    ['another file as soon as it is opened', ['openat(AT_FDCWD, "<state>/a", O_WRONLY|O_CREAT, 0666) = 3<<state>/b>']],
    ['another file as a duplicate', [create('a', 3), 'dup(3<<state>/a>) = 4<<state>/b>']],
  ])('is not told to lead to %s', (_what, lines) => expect(left(lines)).toThrow(/leads elsewhere/));
});

describe('a short write', () => {
  const short = (asked: string, count: number, result: number): string => `write(3<<state>/a>, "${asked}", ${count}) = ${result}`;

  it('puts what it tells, and is told with all that it was to write', () => {
    const continued = [create('a', 3), short('abcdef', 6, 2), short('cdef', 4, 4)];
    expect(contentsOf(source(continued))).toEqual(
      contentsOf(source([create('a', 3), write('a', 3, 'ab'), write('a', 3, 'cdef')])),
    );
    expect(contentsOf(source([create('a', 3), short('abcdef', 6, 0)]))).toEqual(contentsOf(source([create('a', 3)])));
  });

  it.each([
    ['less than it was to write', 'ab', 6, 2],
    ['more than it was to write', 'abcdef', 2, 2],
    ['to have put more than that', 'ab', 2, 3],
  ])('is not told with %s', (_what, asked, count, result) =>
    expect(() => contentsOf(source([create('a', 3), short(asked, count, result)]))).toThrow(/did not tell all the bytes/),
  );
});

describe('a trace', () => {
  it('makes no file that is larger than what was told by a mebibyte', () => {
    const resized = (size: number): string[] => [create('a', 3), `ftruncate(3<<state>/a>, ${size}) = 0`];
    expect(() => contentsOf(source(resized(2 ** 20)))).not.toThrow();
    expect(() => contentsOf(source(resized(2 ** 21)))).toThrow(/all that was told/);
    expect(() => contentsOf(source(resized(2 ** 21), { b: 'x'.repeat(2 ** 20) }))).not.toThrow();
  });

  it('has no line that is longer than one text can be', () =>
    expect(() => contentsOf(source([create('a', 3), write('a', 3, 'x'.repeat(5 * 2 ** 20))]))).toThrow(/a line of more than/));
});

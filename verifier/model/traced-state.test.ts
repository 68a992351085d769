import { describe, expect, it } from 'vitest';
import { readTrace } from '../read/trace.js';
import { type TracedState, whyUnexplained } from './traced-state.js';

type Folder = Readonly<Record<string, string>>;

const folder = (files: Folder): ReadonlyMap<string, Buffer> =>
  new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));

function why(
  family: TracedState['family'],
  lines: string[],
  after: Folder,
  more: { before?: Folder } & Partial<Omit<TracedState, 'before'>> = {},
) {
  const { before = {}, ...rest } = more;
  const text = [...lines, '+++ exited with 0 +++'].map((line) => `7 ${line}\n`).join('');
  const { calls } = readTrace(Buffer.from(text), family);
  const given = { family, calls, log: 'log', appended: false, told: null, whole: true, ...rest };
  return whyUnexplained({ ...given, before: folder(before), after: folder(after) });
}

describe('names', () => {
  const creation = [
    'openat(AT_FDCWD, "<state>/a.new", O_WRONLY|O_CREAT, 0666) = 3<<state>/a.new>',
    'rename("<state>/a.new", "<state>/a") = 0',
    'openat(AT_FDCWD, "<state>/log", O_RDWR|O_CREAT, 0644) = 4<<state>/log>',
    'openat(AT_FDCWD, "<state>/log", O_RDWR|O_CREAT, 0644) = 5<<state>/log>',
    'unlink("<state>/log") = 0',
  ];
  const [made = '', , , , taken = ''] = creation;

  it('are followed from what was there to what is there', () => {
    expect(why('names', creation, { a: '' })).toBeNull();
    expect(why('names', creation, { a: '', b: '' }, { before: { a: '', b: '', log: '' } })).toBeNull();
    expect(
      why('names', ['unlink("<state>/a") = -1 ENOENT (No such file or directory)'], { b: '' }, { before: { b: '' } }),
    ).toBeNull();
    expect(why('names', ['openat(9<<state>>, "a", O_CREAT|O_WRONLY) = 3<<state>/a>'], { a: '' })).toBeNull();
  });

  it.each([
    ['nothing took a name away', creation.filter((line) => line !== taken), /nothing that took log away/],
    ['nothing made what was renamed', creation.filter((line) => line !== made), /a rename of a.new, and nothing that made it/],
    ['nothing gave a name', creation.filter((line) => !line.startsWith('rename')), /nothing that took a.new away/],
    ['nothing made a file', [], /nothing that made a, and it is there/],
  ])('are missed where %s', (_what, lines, words) => expect(why('names', lines, { a: '' })).toMatch(words));

  it('of an armed run are those that the tracer was asked for', () =>
    expect(why('names', [], { a: '', b: '' }, { told: new Set(['log']) })).toBeNull());
});

describe('writes', () => {
  const put = (name: string, bytes: number, at: number, put = bytes): string =>
    `pwrite64(3<<state>/${name}>, ""..., ${bytes}, ${at}) = ${put}`;
  const writes = [
    'write(3<<state>/a.new>, ""..., 4) = 4',
    'write(3<<state>/log.new>, ""..., 2) = 2',
    put('log', 3, 2),
    put('log', 1, 5),
  ];

  it('put all that is there and was not', () => {
    expect(why('writes', writes, { a: 'abcd', log: '012345' }, { appended: true })).toBeNull();
    expect(why('writes', [put('a', 2, 1)], { a: 'xYYx' }, { before: { a: 'xxxx' } })).toBeNull();
    expect(why('writes', ['ftruncate(3<<state>/a>, 2) = 0', put('a', 1, 2)], { a: 'ab!' }, { before: { a: 'abcd' } })).toBeNull();
    expect(why('writes', ['ftruncate(3<<state>/a>, 3) = 0'], { a: 'a\0\0' }, { before: { a: 'a' } })).toBeNull();
  });

  it.each([
    ['all writes of a name', writes.slice(2), /behind a place that nothing/],
    ['a write', writes.slice(0, -1), /log holds bytes/],
    ['all writes of the log', writes.slice(0, 2), /no write of log, and entries/],
    ['all writes of another name', writes.slice(1), /a holds bytes/],
    ['a write in the middle of the log', writes.toSpliced(2, 1), /behind a place that nothing/],
    ['the rest of a short write', [...writes.slice(0, 2), put('log', 3, 2, 1), put('log', 1, 3)], /log holds bytes/],
  ])('are missed where %s is taken out', (_what, lines, words) =>
    expect(why('writes', lines, { a: 'abcd', log: '012345' }, { appended: true })).toMatch(words),
  );

  it('that failed put nothing', () => {
    const failed = 'pwrite64(3<<state>/log>, ""..., 3, 2) = -1 EIO (Input/output error) (INJECTED)';
    expect(why('writes', [failed], { log: '01' }, { before: { log: '01' }, whole: false })).toBeNull();
    expect(why('writes', [failed], { log: '01234' }, { before: { log: '01' }, whole: false })).toMatch(/log holds bytes/);
  });

  it.each(['writes', 'syncs'] as const)('that never came back were of a file that is there: %s', (family) => {
    const call = family === 'writes' ? 'pwrite64(3<<state>/x-wal>, ""..., 4, 0) = ?' : 'fsync(3<<state>/x-wal>) = ?';
    const gone = call.replace('wal>', 'wal>(deleted)');
    const killed = { whole: false };
    expect(why(family, [call], { 'x-wal': '' }, killed)).toBeNull();
    expect(why(family, [call], {}, killed)).toMatch(/has x-wal open at its end, and it is gone/);
    expect(why(family, [gone], {}, killed)).toBeNull();
    expect(why(family, [call.replaceAll('x-wal', 'x-shm')], {}, killed)).toBeNull();
    expect(why(family, [call.replace('/x-wal', '')], {}, killed)).toBeNull();
  });

  it('are in the state', () =>
    expect(why('writes', [put('a', 9, 0)], { a: 'ab' }, { before: { a: 'ab' } })).toMatch(/makes a longer than it is/));

  it('of a log that is taken away and made again lead to no size', () =>
    expect(why('writes', [put('x-wal', 9, 0), put('x-wal', 2, 0)], { 'x-wal': 'ab' })).toBeNull());
});

describe('syncs', () => {
  const syncs = ['fsync(3<<state>/a.new>) = 0', 'fdatasync(3<<state>/log>) = 0'];

  it('are of what was made and of what was appended to', () =>
    expect(why('syncs', syncs, { a: 'a', log: 'l' }, { before: { log: '' }, appended: true })).toBeNull());

  it.each([
    [1, /no sync of a, which was made/],
    [0, /no sync of log, and entries were appended/],
  ])('are missed where one of them is taken out', (kept, words) =>
    expect(why('syncs', [syncs[kept] ?? ''], { a: 'a', log: 'l' }, { before: { log: '' }, appended: true })).toMatch(words),
  );
});

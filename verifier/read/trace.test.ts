import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../errors.js';
import { placesOf } from './ratchet.js';
import { readTrace } from './trace.js';

const read = (text: string) => readTrace(Buffer.from(text), 'names');
const end = '7 +++ exited with 0 +++\n';

describe('a trace', () => {
  it('tells the calls with their files, and the end', () => {
    const { calls, end: last } = read(
      '7 rename("<state>/a.new", "<state>/a") = 0\n7 openat(AT_FDCWD, "<state>", O_RDONLY) = ?\n7 +++ killed by SIGKILL +++\n',
    );
    expect(calls).toEqual([
      {
        name: 'rename',
        mayChange: true,
        paths: ['a.new', 'a'],
        on: null,
        pid: 7,
        isOpen: false,
        isDone: true,
        injected: null,
        isSick: false,
        put: null,
        size: null,
      },
      {
        ...{ name: 'openat', mayChange: false, paths: [''], pid: 7, isOpen: true, isDone: false, injected: null, isSick: false },
        ...{ on: null, put: null, size: null },
      },
    ]);
    expect(last).toEqual({ pid: 7, code: null });
  });

  it('tells which calls failed, and which of them by the tracer', () => {
    const failed = '7 unlink("<state>/a") = -1 ENOENT (No such file or directory)\n';
    const injected = '7 rename("<state>/a.new", "<state>/a") = -1 EIO (Input/output error) (INJECTED)\n';
    const { calls } = read(failed + injected + end);
    expect(calls.map((call) => [call.isDone, call.injected])).toEqual([
      [false, null],
      [false, 'EIO'],
    ]);
  });

  it('tells what writes put: of a short one what it tells', () => {
    const text =
      '7 pwrite64(3<<state>/a>, ""..., 4096, 24) = 100\n7 write(3<<state>/a>, ""..., 5) = 5\n7 ftruncate(3<<state>/a>, 9) = 0\n7 write(3<<state>/a>, ""..., 5) = -1 ENOSPC (No space left on device)\n';
    const { calls } = readTrace(Buffer.from(text + end), 'writes');
    expect(calls.map(({ put, size, isDone, isSick }) => [put, size, isDone, isSick])).toEqual([
      [{ at: 24, bytes: 100 }, null, true, false],
      [{ at: null, bytes: 5 }, null, true, false],
      [null, 9, true, false],
      [null, null, false, true],
    ]);
  });

  it('with a flood of digits is read in time that grows with its length', () => {
    const line = (digits: number): string => `7 write("<state>/a", ${'1'.repeat(digits)}) = 1\n`;
    const ms = (digits: number): number => {
      const began = process.cpuUsage();
      readTrace(Buffer.from(line(digits).repeat(2) + end), 'writes');
      return process.cpuUsage(began).user / 1000;
    };
    // A run of digits that was looked through from each of them took seconds for one such line.
    expect(ms(60_000)).toBeLessThan(1000);
  });

  it('of a process that made no call has none', () => expect(read(end).calls).toEqual([]));

  it.each([
    ['is empty', ''],
    ['has no end', '7 unlink("<state>/a") = 0\n'],
    ['ends in a line that is not whole', '7 +++ exited with 0 +++'],
    ['tells of a call of another family', `7 fsync(3<<state>/a>) = 0\n${end}`],
    ['tells of a file elsewhere', `7 unlink("/tmp/a") = 0\n${end}`],
    ['has a line that is too long', `7 unlink("<state>/${'a'.repeat(70_000)}") = 0\n${end}`],
    ['opened another file than it tells', `7 openat(AT_FDCWD, "<state>/a", O_RDWR|O_CREAT) = 3<<state>/b>\n${end}`],
    ['has the end of another process in the middle', `8 +++ exited with 0 +++\n${end}`],
  ])('that %s is not read', (_what, text) => expect(() => read(text)).toThrow(EvidenceError));
});

describe('the places of a ratchet', () => {
  it('are the calls that may change something, each by its number among all of its name', () => {
    const open = (flags: string): string => `7 openat(AT_FDCWD, "<state>/a", ${flags}) = 3\n`;
    const { calls } = read(
      `${open('O_RDONLY')}${open('O_RDWR|O_CREAT')}7 unlink("<state>/a") = 0\n${open('O_CREAT|O_RDWR')}${end}`,
    );
    expect(placesOf(calls)).toEqual([
      { name: 'openat', nth: 2 },
      { name: 'unlink', nth: 1 },
      { name: 'openat', nth: 3 },
    ]);
  });
});

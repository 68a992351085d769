import { describe, expect, it } from 'vitest';
import { callsOf, linesOf, textOf } from './trace-text.js';

const state = '/data/case (1)/state';
const told = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const kept = (...lines: string[]): string => textOf(linesOf(told(...lines), [state], ['lease.sqlite'], 7));

describe('what is kept of a trace', () => {
  it('is the calls on durable files of the state folder, under a name that every machine has', () => {
    expect(
      kept(
        `7 openat(AT_FDCWD</home/me>, "${state}/a.new", O_WRONLY|O_CREAT, 0666) = 18<${state}/a.new>`,
        `7 fsync(18<${state}>) = 0`,
        `7 rename("${state}/a.new", "${state}/a") = 0`,
        `7 openat(AT_FDCWD</home/me>, "/etc/passwd", O_RDONLY) = 4</etc/passwd>`,
        `7 openat(AT_FDCWD</home/me>, "${state}/lease.sqlite", O_RDWR|O_CREAT, 0666) = 4`,
        `7 write(9<${state}-other/a>, ""..., 2) = 2`,
        '8 +++ exited with 0 +++',
        '7 +++ exited with 0 +++',
      ),
    ).toBe(
      told(
        '7 openat(AT_FDCWD, "<state>/a.new", O_WRONLY|O_CREAT, 0666) = 18<<state>/a.new>',
        '7 fsync(18<<state>>) = 0',
        '7 rename("<state>/a.new", "<state>/a") = 0',
        '7 +++ exited with 0 +++',
      ),
    );
  });

  it('has a call that another thread interrupted in one line, where it was made', () => {
    expect(
      kept(
        `7 fsync(18<${state}> <unfinished ...>`,
        '9 +++ killed by SIGKILL +++',
        '7 <... fsync resumed>)              = ?',
        '7 +++ killed by SIGKILL +++',
      ),
    ).toBe(told('7 fsync(18<<state>>) = ?', '7 +++ killed by SIGKILL +++'));
  });

  it('has a call of another thread, so that it cannot be missed', () => {
    const [line] = linesOf(told(`9 fsync(18<${state}>) = 0`), [state], [], 7);
    expect(line?.pid).toBe(9);
  });

  it('says of a call whether it failed by the tracer, and with what', () => {
    const lines = linesOf(
      told(
        `7 unlink("${state}/a") = -1 ENOENT (No such file or directory)`,
        `7 fsync(18<${state}>) = -1 EIO (Input/output error) (INJECTED)`,
      ),
      [state],
      [],
      7,
    );
    expect(lines.map(({ injected }) => injected)).toEqual([null, 'EIO']);
    expect(textOf(lines)).toContain('7 fsync(18<<state>>) = -1 EIO (Input/output error) (INJECTED)\n');
  });

  it('says of an open whether it may create, and of every call which files it is on', () => {
    const raw = told(
      `7 openat(AT_FDCWD</>, "${state}", O_RDONLY|O_CLOEXEC) = 3<${state}>`,
      `7 rename("${state}/a", "${state}/b") = 0`,
    );
    expect(callsOf(linesOf(raw, [state], [], 7))).toEqual([
      { name: 'openat', mayChange: false, paths: [''] },
      { name: 'rename', mayChange: true, paths: ['a', 'b'] },
    ]);
  });
});

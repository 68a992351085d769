/**
 * Disks that fail and files that others touch: what an owner does when an append does not come to its end.
 *
 * The calls are the real ones, on real files, but for the one that is made to fail.
 */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import type { Files } from './files.js';
import { SessionLog, type LogOptions } from './session-log.js';
import { codeOf, create, errorOf, newFolder, queued, read, stepStarted, systemError, types, watch } from './testing/log.js';

type Instead = NonNullable<Parameters<typeof watch>[0]>;

/** A log with two frames, opened by an owner whose calls are watched and made to fail once `fail.now` is set. */
function opened(instead: (fail: { now: boolean }) => Instead, options: LogOptions = {}) {
  const { folder, path, log: first } = create();
  first.append([queued('m-1')], { sync: true });
  first.close();
  const fail = { now: false };
  const watched = watch(instead(fail));
  const committed: number[] = [];
  const log = SessionLog.open(folder, {
    ...options,
    files: watched.files,
    onCommitted: (frames) => committed.push(...frames.map(({ seq }) => seq)),
  });
  watched.calls.length = 0;
  return { folder, path, log, fail, committed, calls: watched.calls };
}

/** Fails the named call with the code: the first time, or from then on. */
const failing =
  (name: keyof Files, code: string, times: number, of: (args: unknown[]) => boolean = () => true) =>
  (fail: { now: boolean }): Instead => {
    let left = times;
    return {
      [name]: (real: () => unknown, ...args: unknown[]) => {
        if (!fail.now || left === 0 || !of(args)) return real();
        left -= 1;
        throw systemError(code);
      },
    };
  };

const always = Number.POSITIVE_INFINITY;

test.each([
  ['EIO of the sync, once', failing('fdatasyncSync', 'EIO', 1), /Frames 3 to 4 \(lineage, queued\) .*EIO/],
  ['EIO of the sync, from then on', failing('fdatasyncSync', 'EIO', always), /Frames 3 to 4 \(lineage, queued\) .*EIO/],
  ['EIO of the sync of the folder, once', failing('fsyncSync', 'EIO', 1), /EIO at the sync of the folder/],
  ['EIO of the write', failing('writeSync', 'EIO', 1), /EIO after 0 of \d+ bytes/],
  ['a disk that is full', failing('writeSync', 'ENOSPC', 1), /ENOSPC after 0 of \d+ bytes/],
])('%s ends the writer for good, and the message names the frames', (_name, instead, message) => {
  const { folder, log, fail, committed, calls } = opened(instead);
  fail.now = true;
  const failed = errorOf(() => log.append([queued('m-2')], { sync: true }));
  expect(failed).toMatchObject({ code: 'log-failed', message: expect.stringMatching(message) as string });
  const done = [...calls];
  for (const sync of [true, false]) expect(codeOf(() => log.append([queued('m-3')], { sync }))).toBe('writer-poisoned');
  log.close();
  // Nothing was written or synced after the failure, at the end neither, and nobody was told of anything.
  expect(calls).toEqual(done);
  expect([committed, log.lastSeq]).toEqual([[], 2]);
  // Whoever comes next reads from the disk what there is, and goes on.
  const next = SessionLog.open(folder);
  next.append([queued('m-4')], { sync: true });
  next.close();
  expect(read(folder).tornBytes).toBe(0);
  expect(types(folder).slice(0, 3)).toEqual(['lineage', 'queued', 'lineage']);
});

test('a short write is continued where it stopped', () => {
  const sizes: number[] = [];
  const { folder, log, fail } = opened((now) => ({
    writeSync: (real, descriptor, bytes, at, length, position) => {
      if (!now.now) return real();
      sizes.push(length as number);
      const part = Math.max(1, Math.floor((length as number) / 2));
      return fs.writeSync(descriptor as number, bytes as Buffer, at as number, part, position as number);
    },
  }));
  fail.now = true;
  log.append([queued('m-2', 'x'.repeat(1000))], { sync: true });
  log.close();
  expect(sizes.length).toBeGreaterThan(8);
  expect(sizes.at(-1)).toBe(1);
  expect(types(folder)).toEqual(['lineage', 'queued', 'lineage', 'queued']);
});

test.each([0, 1, 11, 12, 100, 150, 177, 178, 200])(
  'ENOSPC after %i bytes: no further byte, and the next owner goes on behind what was whole',
  (taken) => {
    const { folder, path, log, fail } = opened((now) => {
      let writes = 0;
      return {
        writeSync: (real, descriptor, bytes, at, _length, position) => {
          if (!now.now) return real();
          writes += 1;
          if (writes > 1 || taken === 0) throw systemError('ENOSPC');
          return fs.writeSync(descriptor as number, bytes as Buffer, at as number, taken, position as number);
        },
      };
    });
    const before = fs.readFileSync(path);
    fail.now = true;
    expect(errorOf(() => log.append([queued('m-2')], { sync: true }))?.message).toMatch(new RegExp(`ENOSPC after ${taken} of`));
    fail.now = false;
    // There is room again, in the same process.
    expect(codeOf(() => log.append([queued('m-3')], { sync: true }))).toBe('writer-poisoned');
    expect(fs.statSync(path).size).toBe(before.length + taken);
    log.close();
    const next = SessionLog.open(folder);
    // The lineage frame of the barrier that failed may be whole; it was never acknowledged, and nothing depends on it.
    const whole = next.lastSeq;
    expect(next.tornBytes).toBe(before.length + taken - read(folder).end);
    next.append([queued('m-4')], { sync: true });
    next.close();
    const { frames, tornBytes } = read(folder);
    expect([tornBytes, frames.length, frames.at(-1)?.payload['submission_id']]).toEqual([0, whole + 2, 'm-4']);
    expect(fs.readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
  },
);

test('a disk that takes nothing and says nothing', () => {
  const { log, fail } = opened((now) => ({ writeSync: (real) => (now.now ? 0 : real()) }));
  fail.now = true;
  expect(codeOf(() => log.append([queued('m-2')], { sync: true }))).toBe('log-failed');
});

test('a descriptor that somebody closed, or closed and used again', () => {
  for (const reused of [false, true]) {
    let descriptor = -1;
    const { folder, path, log } = opened(() => ({
      openSync: (real, name, flags) => {
        const got = real() as number;
        if (flags === 'r+' && String(name).endsWith('session.wal')) descriptor = got;
        return got;
      },
    }));
    log.append([queued('m-1')], { sync: true });
    const before = fs.readFileSync(path);
    fs.closeSync(descriptor);
    const other = `${folder}.other`;
    // As long as the log, so that its size tells nothing.
    if (reused) expect(fs.openSync(other, 'w+')).toBe(descriptor);
    if (reused) fs.ftruncateSync(descriptor, before.length);
    expect(codeOf(() => log.append([queued('m-2')], { sync: true }))).toBe(reused ? 'foreign-write' : 'log-failed');
    expect(codeOf(() => log.append([queued('m-2')], { sync: true }))).toBe('writer-poisoned');
    expect(fs.readFileSync(path).equals(before)).toBe(true);
    if (reused) expect(fs.readFileSync(other).equals(Buffer.alloc(before.length))).toBe(true);
    expect(codeOf(() => log.close())).toBe(reused ? null : 'EBADF');
  }
});

test('a descriptor that may only read', () => {
  const { folder, path, log: first } = create();
  first.close();
  const before = fs.readFileSync(path);
  const { files } = watch({
    openSync: (real, name, flags) => (flags === 'r+' && name === path ? fs.openSync(path, 'r') : real()),
  });
  const log = SessionLog.open(folder, { files });
  expect(errorOf(() => log.append([queued('m-1')], { sync: true }))?.message).toMatch(/Frames 2 to 3 .*EBADF/);
  expect(codeOf(() => log.append([queued('m-1')], { sync: true }))).toBe('writer-poisoned');
  log.close();
  expect(fs.readFileSync(path).equals(before)).toBe(true);
});

test('the appends at which every further call fails, one after another: acknowledged is what the disk has', () => {
  for (let broken = 0; broken < 12; broken += 1) {
    let calls = 0;
    const change = (real: () => unknown): unknown => {
      calls += 1;
      if (calls > broken) throw systemError('EIO');
      return real();
    };
    const { folder, log, fail, committed } = opened((now) => {
      const once = (real: () => unknown): unknown => (now.now ? change(real) : real());
      return { writeSync: once, fdatasyncSync: once, fsyncSync: once };
    });
    fail.now = true;
    const acknowledged: number[] = [];
    for (let index = 0; index < 8; index += 1)
      try {
        acknowledged.push(...log.append([queued(`n-${index}`)], { sync: true }).map(({ seq }) => seq));
      } catch {
        // Told by what was acknowledged.
      }
    log.close();
    // A barrier is a write and a sync, the first one a sync of the folder as well.
    expect(acknowledged).toHaveLength(broken < 3 ? 0 : 1 + Math.floor((broken - 3) / 2));
    expect(committed.filter((seq) => seq > 3)).toEqual(acknowledged);
    const seqs = read(folder).frames.map(({ seq }) => seq);
    expect(seqs).toEqual(expect.arrayContaining(acknowledged));
  }
});

test.each<[string, (path: string) => void]>([
  ['somebody appends', (path) => fs.appendFileSync(path, 'x')],
  ['somebody cuts it', (path) => fs.truncateSync(path, fs.statSync(path).size - 1)],
  ['another file is in its place', (path) => replaced(path)],
  ['it is gone', (path) => fs.rmSync(path)],
  ['it was moved away', (path) => fs.renameSync(path, `${path}.old`)],
  ['it was moved away, and a link leads to it', (path) => linked(path)],
])('%s: the next barrier is refused, and every one after it', (_name, touch) => {
  const { path, log, calls } = opened(() => ({}));
  log.append([stepStarted(4)], { sync: false });
  touch(path);
  const there = fs.existsSync(path) ? fs.readFileSync(path) : null;
  calls.length = 0;
  expect(errorOf(() => log.append([queued('m-2')], { sync: true }))).toMatchObject({
    code: 'foreign-write',
    message: expect.stringContaining('Frame 5 (queued)') as string,
  });
  expect(codeOf(() => log.append([queued('m-2')], { sync: true }))).toBe('writer-poisoned');
  expect(calls).toEqual([]);
  if (there !== null) expect(fs.readFileSync(path).equals(there)).toBe(true);
  log.close();
});

function linked(path: string): void {
  fs.renameSync(path, `${path}.old`);
  fs.symlinkSync(`${path}.old`, path);
}

function replaced(path: string): void {
  fs.copyFileSync(path, `${path}.copy`);
  fs.renameSync(`${path}.copy`, path);
}

test('a sync that fails at the open, or at the close: nobody takes it for durable', () => {
  const { folder, log: first } = create();
  first.append([queued('m-1')], { sync: true });
  first.close();
  const atOpen = watch({
    fdatasyncSync: () => {
      throw systemError('EIO');
    },
  });
  expect(codeOf(() => SessionLog.open(folder, { files: atOpen.files }))).toBe('log-failed');
  let fail = false;
  const { files } = watch({
    fdatasyncSync: (real) => {
      if (fail) throw systemError('EIO');
      return real();
    },
  });
  const log = SessionLog.open(folder, { files });
  log.append([stepStarted(4)], { sync: false });
  fail = true;
  expect(codeOf(() => log.close())).toBe('log-failed');
  // The lease was given back all the same.
  SessionLog.open(folder).close();
});

test('a creation on a disk that fails leaves nothing that passes for a session', () => {
  const calls = ['openSync', 'writeSync', 'fsyncSync', 'renameSync'] as const;
  for (const name of calls)
    for (let nth = 1; nth <= 2; nth += 1) {
      let count = 0;
      const { files } = watch({
        [name]: (real: () => unknown) => {
          count += 1;
          if (count === nth) throw systemError('EIO');
          return real();
        },
      });
      const folder = newFolder();
      expect([name, nth, codeOf(() => create({ files }, folder))]).toEqual([name, nth, 'state-unwritable']);
      expect(codeOf(() => read(folder))).toBe('state-unfinished');
      create({}, folder).log.close();
      expect(types(folder)).toEqual(['lineage']);
    }
});

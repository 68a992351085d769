/** The folder of a log is opened for the sync of its first barrier: what that can fail with, and what it takes back. */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { SessionLog } from './session-log.js';
import { codeOf, create, queued, read, systemError, watch } from './testing/log.js';

/** Three frames, opened by an owner whose calls on anything but the log may be made to fail. */
function opened(instead: Parameters<typeof watch>[0]) {
  const { folder, path, log: first } = create();
  first.append([queued('m-1')], { sync: true });
  first.close();
  const { files, calls } = watch(instead);
  const log = SessionLog.open(folder, { files });
  calls.length = 0;
  return { folder, path, log, calls };
}

test('no descriptor left: refused before anything is written, and the log goes on', () => {
  let left = false;
  const { log, path, calls } = opened({
    openSync: (real, name) => {
      if (left && !String(name).endsWith('session.wal')) throw systemError('EMFILE');
      return real();
    },
  });
  const before = fs.statSync(path).size;
  left = true;
  expect(codeOf(() => log.append([queued('m-2')], { sync: true }))).toBe('files-exhausted');
  expect([fs.statSync(path).size, calls]).toEqual([before, []]);
  left = false;
  expect(log.append([queued('m-2')], { sync: true }).map(({ seq }) => seq)).toEqual([4]);
  log.close();
});

test('a close that fails takes nothing back: the barrier is durable, and the log goes on', () => {
  let failing = false;
  let failed = 0;
  const { folder, log } = opened({
    closeSync: (real) => {
      real();
      if (!failing) return;
      failed += 1;
      throw systemError('EIO');
    },
  });
  failing = true;
  for (const seq of [4, 5]) expect(log.append([queued(`m-${seq}`)], { sync: true }).map((frame) => frame.seq)).toEqual([seq]);
  failing = false;
  log.close();
  expect(failed).toBe(1);
  expect(read(folder).frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
});

/**
 * The tail that a crash left, at places where it can be cut: who opens the log appends behind what was whole, is killed, and the next one
 * reads it clean. Nothing before the cut changes, and no second crash turns a harmless tail into damage. Every other place is in
 * `torn.gate.test.ts`.
 *
 * The appends are made and killed in processes of their own. Fault model: process crash.
 */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { SessionLog } from './session-log.js';
import { logPath, queued, read } from './testing/log.js';
import { appendAndKill, at, bytes, copies, expectAppended, isFirst } from './testing/torn.js';

test('one in eight of the cuts of the last barrier, killed and opened again, twice', { timeout: 120_000 }, () =>
  expectAppended(isFirst, 2),
);

test('a tail of NUL bytes, of garbage, and of a later frame whose earlier one is lost', async () => {
  const lost = Buffer.from(bytes);
  lost.fill(0, at(5), at(6));
  const tails = [
    Buffer.concat([bytes, Buffer.alloc(4096)]),
    Buffer.concat([bytes, Buffer.from('torn, and then some')]),
    lost,
    Buffer.concat([lost.subarray(0, at(7)), Buffer.alloc(700)]),
  ];
  const folders = copies((index) => index < tails.length).map(({ folder }) => folder);
  for (const [index, folder] of folders.entries()) fs.writeFileSync(logPath(folder), tails[index] as Buffer);
  expect(await appendAndKill(folders)).toEqual([null, null, null, null]);
  expect(folders.map((folder) => [read(folder).tornBytes, read(folder).frames.length])).toEqual([
    [0, 11],
    [0, 11],
    [0, 8],
    [0, 8],
  ]);
});

test('looking at a torn log, or owning it without an append, cuts nothing', () => {
  const torn = bytes.subarray(0, -1);
  const [{ folder } = { folder: '' }] = copies((index) => index === 0);
  fs.writeFileSync(logPath(folder), torn);
  expect(read(folder).tornBytes).toBeGreaterThan(0);
  const log = SessionLog.open(folder);
  expect([log.lastSeq, log.tornBytes]).toEqual([6, read(folder).tornBytes]);
  log.close();
  expect(fs.readFileSync(logPath(folder)).equals(torn)).toBe(true);
  const next = SessionLog.open(folder);
  next.append([queued('n-1')], { sync: true });
  next.close();
  expect(read(folder).tornBytes).toBe(0);
});

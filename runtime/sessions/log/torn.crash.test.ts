/**
 * The tail that a crash left, at every place where it can be cut: who opens the log appends behind what was whole, is killed, and the next one
 * reads it clean. Nothing before the cut changes, and no second crash turns a harmless tail into damage.
 *
 * The appends are made and killed in processes of their own. Fault model: process crash.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionLog } from './session-log.js';
import { logPath, newFolder, queued, read, smallLog } from './testing/log.js';
import { start } from './testing/processes.js';

/** Opens each folder and appends twice, one record and then a barrier of two; closes nothing. */
const appender = `
const held = [];
for (let folders = await hear(); folders !== null; folders = await hear()) {
  const queued = (id) => ({ type: 'queued', payload: { input: { text: 'after the crash' }, submission_id: id } });
  say(folders.map((folder) => tried(() => {
    const log = SessionLog.open(folder);
    held.push(log);
    log.append([queued('n-1')], { sync: true });
    log.append([queued('n-2'), queued('n-3')], { sync: true });
  })));
}`;

const { folder: original, bytes, frames } = smallLog();
const at = (seq: number): number => frames[seq - 1]?.offset ?? Number.NaN;
/** From the last barrier of three on, which holds the last frame. */
const cuts = Array.from({ length: bytes.length - at(5) + 1 }, (_, index) => at(5) + index);

function copies(): { cut: number; folder: string }[] {
  return cuts.map((cut) => {
    const folder = newFolder();
    fs.mkdirSync(folder);
    fs.copyFileSync(join(original, 'format.json'), join(folder, 'format.json'));
    fs.writeFileSync(logPath(folder), bytes.subarray(0, cut));
    return { cut, folder };
  });
}

/** In groups, so that no process runs out of descriptors. */
async function appendAndKill(folders: readonly string[]): Promise<(string | null)[]> {
  const told: (string | null)[] = [];
  for (let from = 0; from < folders.length; from += 200) {
    const program = start(appender);
    program.say(folders.slice(from, from + 200));
    told.push(...((await program.hear()) as (string | null)[]));
    await program.kill();
    expect(program.child.signalCode).toBe('SIGKILL');
  }
  return told;
}

test('every cut of the last barrier, killed and opened again, some of them twice', { timeout: 120_000 }, async () => {
  const all = copies().map((one) => ({ ...one, inode: fs.statSync(logPath(one.folder)).ino }));
  for (let round = 1; round <= 2; round += 1) {
    const made = round === 1 ? all : all.filter((_, index) => index % 8 === 0);
    expect(new Set(await appendAndKill(made.map(({ folder }) => folder)))).toEqual(new Set([null]));
    for (const { cut, folder, inode } of made) {
      const kept = frames.filter(({ offset, size }) => offset + size <= cut);
      const whole = kept.reduce((sum, { size }) => sum + size, 0);
      const now = read(folder);
      const after = fs.readFileSync(logPath(folder));
      const found = {
        cut,
        tornBytes: now.tornBytes,
        sameBefore: after.subarray(0, whole).equals(bytes.subarray(0, whole)),
        inode: fs.statSync(logPath(folder)).ino,
        types: now.frames.slice(kept.length).map(({ type }) => type),
        fences: now.frames.slice(kept.length).map(({ fence }) => fence),
      };
      const tenures = Array.from({ length: round }, (_, tenure) => tenure + 2);
      expect(found).toEqual({
        cut,
        tornBytes: 0,
        sameBefore: true,
        inode,
        types: tenures.flatMap(() => ['lineage', 'queued', 'queued', 'queued']),
        fences: tenures.flatMap((fence) => [fence, fence, fence, fence]),
      });
    }
  }
});

test('a tail of NUL bytes, of garbage, and of a later frame whose earlier one is lost', async () => {
  const lost = Buffer.from(bytes);
  lost.fill(0, at(5), at(6));
  const tails = [
    Buffer.concat([bytes, Buffer.alloc(4096)]),
    Buffer.concat([bytes, Buffer.from('torn, and then some')]),
    lost,
    Buffer.concat([lost.subarray(0, at(7)), Buffer.alloc(700)]),
  ];
  const folders = copies()
    .slice(0, tails.length)
    .map(({ folder }) => folder);
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
  const [{ folder } = { folder: '' }] = copies();
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

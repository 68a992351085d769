/** A log that a crash cut, by processes that open it, append and are killed. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { logPath, newFolder, read, smallLog } from './log.js';
import { start } from './processes.js';

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

export const { folder: original, bytes, frames } = smallLog();
export const at = (seq: number): number => frames[seq - 1]?.offset ?? Number.NaN;
/** From the last barrier of three on, which holds the last frame. */
const cuts = Array.from({ length: bytes.length - at(5) + 1 }, (_, index) => at(5) + index);

/** Of the small log, at the cuts that are wanted. */
export function copies(wanted: (index: number) => boolean = () => true): { cut: number; folder: string }[] {
  return cuts
    .filter((_cut, index) => wanted(index))
    .map((cut) => {
      const folder = newFolder();
      fs.mkdirSync(folder);
      fs.copyFileSync(join(original, 'format.json'), join(folder, 'format.json'));
      fs.writeFileSync(logPath(folder), bytes.subarray(0, cut));
      return { cut, folder };
    });
}

/** In groups, so that no process runs out of descriptors. */
export async function appendAndKill(folders: readonly string[]): Promise<(string | null)[]> {
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

/** Whether each test run looks at the cut of this number: one in eight, as few as are cut twice. The others are for the gate. */
export const isFirst = (index: number): boolean => index % 8 === 0;

/** Each cut that is wanted, killed and opened again in so many rounds: what was whole stays, and nothing is torn. */
export async function expectAppended(wanted: (index: number) => boolean, rounds: 1 | 2): Promise<void> {
  const all = copies(wanted).map((one) => ({ ...one, inode: fs.statSync(logPath(one.folder)).ino }));
  for (let round = 1; round <= rounds; round += 1) {
    expect(new Set(await appendAndKill(all.map(({ folder }) => folder)))).toEqual(new Set([null]));
    for (const { cut, folder, inode } of all) {
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
}

/** One floor for many sessions: processes that raise it at the same moment lose nothing of one another. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFeatures } from '../core/records.js';
import { readFloor } from './floor.js';
import { newFolder } from './testing/log.js';
import { start, type Program } from './testing/processes.js';

const raiser = `
for (let task = await hear(); task !== null; task = await hear()) {
  say('ready');
  await hear();
  say(tried(() => raiseFloor(task.folder, task.names)));
}`;

const names = [...readFeatures].sort();
let raisers: Program[];
beforeAll(() => {
  raisers = Array.from({ length: 8 }, () => start(raiser));
});
afterAll(async () => {
  for (const raiser of raisers) await raiser.kill();
});

async function raiseTogether(folder: string): Promise<unknown[]> {
  raisers.forEach(({ say }, index) => say({ folder, names: [names[index % names.length]] }));
  for (const { hear } of raisers) expect(await hear()).toBe('ready');
  for (const { say } of raisers) say('go');
  return Promise.all(raisers.map(({ hear }) => hear()));
}

test('eight processes raise different names at once: the union is complete, in every round', async () => {
  expect(names.length).toBeGreaterThan(3);
  for (let round = 0; round < 30; round += 1) {
    const folder = newFolder();
    fs.mkdirSync(folder);
    expect(await raiseTogether(folder)).toEqual(raisers.map(() => null));
    expect(readFloor(folder)).toEqual(names);
  }
});

test('the lock is one file for all of them', async () => {
  const folder = newFolder();
  fs.mkdirSync(folder);
  await raiseTogether(folder);
  const lock = join(folder, 'wal-feature-floor.lock');
  const { ino } = fs.statSync(lock);
  fs.rmSync(join(folder, 'wal-feature-floor'));
  // What each process has proved was proved of the file that is gone.
  expect(await raiseTogether(folder)).toEqual(raisers.map(() => null));
  expect([readFloor(folder), fs.statSync(lock).ino]).toEqual([names, ino]);
});

/** Every feature of the contract by its name: what this version does not read, it refuses, in a frame and on the floor, and leaves as it is. */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { features as featureTable } from '../../contract/data.js';
import { encodeFrame } from './frame.js';
import { SessionLog } from './session-log.js';
import { errorOf, folderWith, logPath, read, smallLog } from './testing/log.js';

const { bytes, frames } = smallLog();

/** A message that requires the feature, whole and in its place. */
function requiring(feature: string): Buffer {
  const header = { type: 'queued', seq: frames.length + 1, fence: 1, synced: frames.length, features: [feature] };
  return Buffer.concat([bytes, encodeFrame(header, 'record', '{"input":{"text":"Hello"},"submission_id":"m-9"}').bytes]);
}

const names = (...statuses: string[]): string[] =>
  featureTable.features.filter(({ status }) => statuses.includes(status)).map(({ name }) => name);
const refused = names('refused');
const taken = names('read', 'read_and_written');

test('the contract has both, and no third kind', () => {
  expect(refused.length).toBeGreaterThan(10);
  expect(taken.length).toBeGreaterThan(3);
  expect(refused.length + taken.length).toBe(featureTable.features.length);
});

test.each(refused)('%s is refused by name to who reads and who owns, and no byte changes', (feature) => {
  const ways: [log: Buffer, floor: string[], offset: number | null][] = [
    [requiring(feature), [], bytes.length],
    [bytes, [feature], null],
  ];
  for (const [log, floor, offset] of ways) {
    const folder = folderWith(log, floor);
    const lies = (): string[] => fs.readdirSync(folder).filter((name) => !name.startsWith('lease'));
    const before = lies();
    for (const work of [() => read(folder), () => SessionLog.open(folder)])
      expect(errorOf(work)).toMatchObject({ code: 'newer-writer', names: [feature], offset });
    expect([fs.readFileSync(logPath(folder)).equals(log), lies()]).toEqual([true, before]);
  }
});

test.each(taken)('%s is read', (feature) => {
  const folder = folderWith(requiring(feature), [feature]);
  expect(read(folder).frames.at(-1)).toMatchObject({ seq: frames.length + 1, features: [feature] });
  SessionLog.open(folder).close();
});

/** Where a frame may stand: its number, what was durable before it, and whose log it is. The fence counts, and admits nothing. */
import { expect, test } from 'vitest';
import { after, beginning, lineageOf, placeProblem, type Place } from './place.js';
import { encodeFrame } from './frame.js';
import { SessionLog } from './session-log.js';
import { folderWith, queued, read, smallLog } from './testing/log.js';

const { bytes, frames } = smallLog();

test('a log as it was written is in its place throughout, and each frame only there', () => {
  let place: Place = beginning;
  for (const [index, frame] of frames.entries()) {
    expect(placeProblem(frame, place)).toBe(null);
    for (const other of frames) if (other !== frame) expect(placeProblem(other, place)).toMatch(/in the place of frame/);
    place = after(frame, place);
    expect([place.lastSeq, place.lineage]).toEqual([index + 1, lineageOf(frames[0]!)]);
  }
});

test('a fence is a stamp: one that leaves numbers out is read, and whoever comes next takes the one behind it', () => {
  const seq = frames.length + 1;
  const header = { type: 'queued', seq, fence: 41, synced: frames.length, features: [] };
  const later = encodeFrame(header, 'record', '{"input":{"text":"Hello"},"submission_id":"m-9"}').bytes;
  const folder = folderWith(Buffer.concat([bytes, later]));
  expect(read(folder).frames.at(-1)).toMatchObject({ seq, fence: 41 });
  const log = SessionLog.open(folder);
  const [told] = log.append([queued('m-10')], { sync: true });
  log.close();
  expect(told?.fence).toBe(42);
  expect(read(folder).tornBytes).toBe(0);
});

/**
 * Every small damage to a small log, and what the table of the contract makes of it: loud wherever something durable was hit, a torn tail only
 * where a crash explains it, and never a byte changed where it is loud.
 *
 * What is expected is derived here from one fact about each frame, how much was durable when it was written, and not from the reader.
 */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import type { SessionError } from '../core/refusals.js';
import type { Frame } from '../core/records.js';
import { scanLog } from './scan.js';
import { SessionLog } from './session-log.js';
import { codeOf, folderWith, logPath, read, smallLog } from './testing/log.js';

const { path, bytes, frames } = smallLog();

/** `torn <frames kept>` or `damaged at <offset>`. */
function told(file: string): string {
  try {
    const { lastSeq, end, tornBytes } = scanLog(file, () => {});
    return tornBytes === 0 ? `whole ${lastSeq}` : `torn ${lastSeq} at ${end}`;
  } catch (error) {
    return `damaged at ${(error as SessionError).offset}`;
  }
}

/** What follows where bytes from `from` to `to` were overwritten. */
function expected(from: number, to: number): string {
  const hit = frames.find(({ offset, size }) => offset + size > from) as Frame;
  const intactBehind = frames.filter(({ offset }) => offset >= to);
  const wasDurable = intactBehind.some(({ synced }) => synced >= hit.seq);
  return wasDurable ? `damaged at ${hit.offset}` : `torn ${hit.seq - 1} at ${hit.offset}`;
}

function overwritten(at: number, change: Uint8Array): string {
  const descriptor = fs.openSync(path, 'r+');
  fs.writeSync(descriptor, change, 0, change.length, at);
  const verdict = told(path);
  fs.writeSync(descriptor, bytes, at, change.length, at);
  fs.closeSync(descriptor);
  return verdict;
}

test('the log has a synced prefix, an unsynced frame before a synced one, and a last barrier of three', () => {
  expect(frames.map(({ synced }) => synced)).toEqual([0, 1, 2, 2, 4, 4, 4]);
  expect(told(path)).toBe('whole 7');
});

test.each([0, 1, 2, 3, 4, 5, 6, 7])('bit %i of every byte, flipped', (bit) => {
  const verdicts = new Set<string>();
  for (let at = 0; at < bytes.length; at += 1) {
    const verdict = overwritten(at, Uint8Array.of((bytes[at] as number) ^ (1 << bit)));
    if (verdict !== expected(at, at + 1)) expect(`${at} ${verdict}`).toBe(`${at} ${expected(at, at + 1)}`);
    verdicts.add(verdict);
  }
  // Four frames were durable before the last barrier, and each of its three can be the first that is lost.
  expect([...verdicts].sort()).toEqual(
    frames.map(({ seq, offset }) => (seq <= 4 ? `damaged at ${offset}` : `torn ${seq - 1} at ${offset}`)).sort(),
  );
});

test.each([1, 7, 32, 64, 512])('every run of %i NUL bytes', (length) => {
  for (let at = 0; at + length <= bytes.length; at += 1) {
    // A run that writes NUL over NUL alone changes nothing.
    const changedFrom = bytes.subarray(at, at + length).findIndex((byte) => byte !== 0);
    if (changedFrom < 0) continue;
    const lastChanged = bytes.subarray(at, at + length).findLastIndex((byte) => byte !== 0);
    const verdict = overwritten(at, new Uint8Array(length));
    const wanted = expected(at + changedFrom, at + lastChanged + 1);
    if (verdict !== wanted) expect(`${at} ${verdict}`).toBe(`${at} ${wanted}`);
  }
  expect(fs.readFileSync(path).equals(bytes)).toBe(true);
});

test('every cut: a whole log up to a frame, else a torn tail', () => {
  const scratch = `${path}.cut`;
  for (let length = 0; length < bytes.length; length += 1) {
    fs.writeFileSync(scratch, bytes.subarray(0, length));
    const kept = frames.filter(({ offset, size }) => offset + size <= length);
    const end = kept.reduce((sum, { size }) => sum + size, 0);
    const wanted = end === length ? `whole ${kept.length}` : `torn ${kept.length} at ${end}`;
    if (told(scratch) !== wanted) expect(`${length} ${told(scratch)}`).toBe(`${length} ${wanted}`);
  }
});

const part = ({ offset, size }: Frame): Buffer => bytes.subarray(offset, offset + size);
const parts = frames.map(part);
const nul = Buffer.alloc(512);

/** Each gets the frames as they were and gives the file as it is. */
const splices: [name: string, file: (index: number) => Buffer, loud: (index: number) => boolean][] = [
  ['cut out', (index) => Buffer.concat(parts.filter((_, at) => at !== index)), (index) => index < 6],
  ['twice', (index) => Buffer.concat(parts.flatMap((one, at) => (at === index ? [one, one] : [one]))), () => true],
  ['swapped with the next', (index) => swapped(index), (index) => index < 6],
  [
    'moved to the end',
    (index) => Buffer.concat([...parts.filter((_, at) => at !== index), parts[index] as Buffer]),
    (index) => index < 6,
  ],
  ['behind 512 NUL bytes', (index) => Buffer.concat(parts.flatMap((one, at) => (at === index ? [nul, one] : [one]))), () => true],
  [
    'behind one odd byte',
    (index) => Buffer.concat(parts.flatMap((one, at) => (at === index ? [Buffer.from('\n'), one] : [one]))),
    () => true,
  ],
];

function swapped(index: number): Buffer {
  const order = [...parts];
  order.splice(index, 2, ...parts.slice(index, index + 2).reverse());
  return Buffer.concat(order);
}

test.each(splices)('a frame %s is loud, and nobody changes a byte', (_name, file, loud) => {
  for (const [index] of frames.entries()) {
    const damaged = file(index);
    const folder = folderWith(damaged);
    expect([index, codeOf(() => read(folder))]).toEqual([index, loud(index) ? 'log-damaged' : null]);
    if (!loud(index)) continue;
    expect(codeOf(() => SessionLog.open(folder))).toBe('log-damaged');
    expect(fs.readFileSync(logPath(folder)).equals(damaged)).toBe(true);
  }
});

test('a log of another session at the end is loud', () => {
  const other = smallLog();
  expect(codeOf(() => read(folderWith(Buffer.concat([bytes, other.bytes]))))).toBe('log-damaged');
  expect(codeOf(() => read(folderWith(Buffer.concat([bytes.subarray(0, -1), other.bytes]))))).toBe('log-damaged');
});

test('a log without a frame is a torn tail to who looks, and loud for an owner: a creation leaves one', () => {
  for (const empty of [Buffer.alloc(0), bytes.subarray(0, 100)]) {
    const folder = folderWith(empty);
    expect(read(folder).frames).toEqual([]);
    expect(codeOf(() => SessionLog.open(folder))).toBe('log-damaged');
    expect(fs.readFileSync(logPath(folder)).equals(empty)).toBe(true);
  }
});

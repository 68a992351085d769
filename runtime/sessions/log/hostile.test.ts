/** Files that lie about lengths: bounded work, bounded memory, and a loud end. */
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { sessionLogV1 } from '../../contract/data.js';
import { magic, prefixBytes } from './frame.js';
import { beginning } from './place.js';
import { SessionLog } from './session-log.js';
import { searchTail } from './tail.js';
import { codeOf, errorOf, folderWith, logPath, read, smallLog, systemError, watch } from './testing/log.js';
import { scanLog } from './scan.js';
import { Window } from './window.js';
import { systemFiles } from './files.js';

const { bytes } = smallLog();
const megabyte = 1 << 20;

function prefix(headerSize: number, payloadSize: number): Buffer {
  const made = Buffer.alloc(prefixBytes);
  magic.copy(made);
  made[4] = 1;
  made[5] = 1;
  made.writeUInt16BE(headerSize, 6);
  made.writeUInt32BE(payloadSize, 8);
  return made;
}

/** Candidates side by side, each of which claims the rest of the file, or as much of it as it may. */
function candidates(size: number, claimed: (rest: number) => number): Buffer {
  const file = Buffer.alloc(size);
  for (let at = 0; at + 100 < size; at += prefixBytes) prefix(0, Math.max(0, claimed(size - at))).copy(file, at);
  return file;
}

function searched(file: Buffer): { is: string; hashed: number; rest: number } {
  const folder = folderWith(file);
  const descriptor = fs.openSync(logPath(folder), 'r');
  const { is, hashed } = searchTail(new Window(systemFiles, descriptor, file.length), 0, beginning);
  fs.closeSync(descriptor);
  return { is, hashed, rest: file.length };
}

test.each([
  ['the rest of the file', (rest: number) => rest - prefixBytes - 32],
  ['half of the rest', (rest: number) => Math.floor(rest / 2) - prefixBytes - 32],
  ['100,000 bytes', (rest: number) => Math.min(100_000, rest - 100)],
])('a file of magic numbers, each claiming %s: four times the file is hashed at most', (_name, claimed) => {
  const { is, hashed, rest } = searched(candidates(megabyte, claimed));
  expect(is).toBe('damaged');
  expect(hashed).toBeGreaterThan(rest);
  // What was about to be hashed when the bound was reached is counted, and not hashed.
  expect(hashed).toBeLessThanOrEqual(5 * rest);
  const file = candidates(megabyte, claimed);
  const folder = folderWith(file);
  expect(codeOf(() => read(folder))).toBe('log-damaged');
  expect(codeOf(() => SessionLog.open(folder))).toBe('log-damaged');
  expect(fs.readFileSync(logPath(folder)).equals(file)).toBe(true);
});

test('behind a good log as well, and the good part is told as where it ends', () => {
  const file = Buffer.concat([bytes, candidates(megabyte, (rest) => rest - prefixBytes - 32)]);
  expect(errorOf(() => read(folderWith(file)))).toMatchObject({ code: 'log-damaged', offset: bytes.length });
});

test('candidates that claim more than there is cost nothing, and are a torn tail', () => {
  const claims = [0xff_ff_ff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00];
  for (const claim of claims) {
    const { is, hashed } = searched(candidates(megabyte, () => claim));
    expect({ is, hashed }).toEqual({ is: 'torn', hashed: 0 });
  }
});

test.each([
  ['a length of 4 GiB', prefix(0, 0xff_ff_ff_ff)],
  ['a header longer than any', prefix(0xff_ff, 10)],
  ['lengths whose sum is larger than 32 bits hold', prefix(4096, 0xff_ff_ff_ff)],
])('%s is no frame, and nothing of that size is asked for', (_name, made) => {
  const asked: number[] = [];
  const { files } = watch({
    readSync: (real, _descriptor, _buffer, _at, length) => {
      asked.push(length as number);
      return real();
    },
  });
  const folder = folderWith(Buffer.concat([bytes, made, Buffer.alloc(5000, 0x61)]));
  const { tornBytes, lastSeq } = scanLog(logPath(folder), () => {}, files);
  expect({ tornBytes, lastSeq }).toEqual({ tornBytes: made.length + 5000, lastSeq: 7 });
  expect(Math.max(...asked)).toBeLessThanOrEqual(megabyte);
});

test('a frame of 20 MB is hashed in pieces, and nothing larger than a piece is held', () => {
  const folder = folderWith(bytes);
  const size = 20_000_000;
  const descriptor = fs.openSync(logPath(folder), 'r+');
  fs.writeSync(descriptor, prefix(0, size), 0, prefixBytes, bytes.length);
  fs.ftruncateSync(descriptor, bytes.length + prefixBytes + size + 32);
  fs.closeSync(descriptor);
  const before = process.memoryUsage().arrayBuffers;
  expect(read(folder).tornBytes).toBe(prefixBytes + size + 32);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12 * megabyte);
});

test('a sparse giant is refused by its size alone', () => {
  const folder = folderWith(bytes);
  fs.truncateSync(logPath(folder), 50 * 2 ** 30);
  let reads = 0;
  const { files } = watch({ readSync: () => ((reads += 1), 0) });
  expect(errorOf(() => scanLog(logPath(folder), () => {}, files))).toMatchObject({
    code: 'log-damaged',
    offset: sessionLogV1.ceiling_bytes,
  });
  expect(reads).toBe(0);
  expect(codeOf(() => SessionLog.open(folder))).toBe('log-damaged');
  expect(fs.statSync(logPath(folder)).size).toBe(50 * 2 ** 30);
});

test('a sparse file below the limit is read once and is a torn tail', () => {
  const folder = folderWith(bytes);
  const size = 200 * megabyte;
  fs.truncateSync(logPath(folder), size);
  let got = 0;
  const { files } = watch({
    readSync: (real) => {
      const count = real() as number;
      got += count;
      return count;
    },
  });
  expect(scanLog(logPath(folder), () => {}, files).tornBytes).toBe(size - bytes.length);
  expect(got).toBeLessThan(size * 1.01 + 2 * megabyte);
});

test('a read error is no end of the log', () => {
  const folder = folderWith(bytes);
  const { files } = watch({
    readSync: () => {
      throw systemError('EIO');
    },
  });
  expect(codeOf(() => scanLog(logPath(folder), () => {}, files))).toBe('state-unreadable');
});

test('a log that is gone, a link, a folder', () => {
  const folder = folderWith(bytes);
  fs.rmSync(logPath(folder));
  expect(codeOf(() => read(folder))).toBe('log-missing');
  expect(codeOf(() => SessionLog.open(folder))).toBe('log-missing');
  fs.mkdirSync(logPath(folder));
  expect(codeOf(() => read(folder))).toBe('state-wrong-kind');
  fs.rmdirSync(logPath(folder));
  fs.symlinkSync('/dev/zero', logPath(folder));
  expect(codeOf(() => read(folder))).toBe('state-wrong-kind');
});

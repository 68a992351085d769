/**
 * The merge of a write-ahead log, and the rows of what comes of it. The input is the length of the database in four bytes, the
 * database, the log. Sums and salts of the log are made good first. A second, naive merge must make the same image, and no image
 * is longer than what both files hold.
 */
import { readLedger } from '../../../verifier/read/ledger.js';
import { mergeWal } from '../../../verifier/read/wal.js';
import { add, pageSizeOf, withSums, type Sums } from '../wal-sums.js';
import { bounded, demand, readOrRefused } from './expect.js';

export function fuzz(input: Buffer): void {
  if (input.length < 4) return;
  const [database, told] = filesIn(input);
  for (const log of [told, withSums(told)]) {
    bounded(() => {
      const merged = readOrRefused(() => mergeWal(database, log));
      const most = database.length + log.length + 2 * 65_536;
      demand(merged === undefined || merged.image.length <= most, 'An image is longer than what it was made of.');
      readOrRefused(() => readLedger(database, log));
      readOrRefused(() => readLedger(database, log, undefined, true));
      if (merged === undefined) return;
      demand(merged.image.equals(naiveMerge(database, log)), 'The image is another one than that of a naive merge.');
    });
  }
}

export function filesIn(input: Buffer): [database: Buffer, log: Buffer] {
  const length = Math.min(input.readUInt32BE(0), input.length - 4);
  return [input.subarray(4, 4 + length), input.subarray(4 + length)];
}

function naiveMerge(database: Buffer, log: Buffer): Buffer {
  const pageSize = pageSizeOf(log);
  if (pageSize === 0) return Buffer.from(database);
  const isLittle = log.readUInt32BE(0) === 0x377f0682;
  const sums: Sums = { first: 0, second: 0 };
  add(sums, log.subarray(0, 24), isLittle);
  let image = Buffer.from(database);
  let waiting: [page: number, bytes: Buffer][] = [];
  const pages = new Map<number, Buffer>();
  let count = 0;
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    const frame = log.subarray(at, at + 24 + pageSize);
    const [page, commit] = [frame.readUInt32BE(0), frame.readUInt32BE(4)];
    add(sums, frame.subarray(0, 8), isLittle);
    add(sums, frame.subarray(24), isLittle);
    const isSound = frame.readUInt32BE(16) === sums.first && frame.readUInt32BE(20) === sums.second;
    if (page === 0 || !frame.subarray(8, 16).equals(log.subarray(16, 24)) || !isSound) break;
    waiting.push([page, frame.subarray(24)]);
    if (commit === 0) continue;
    for (const [number, bytes] of waiting) pages.set(number, bytes);
    count = commit;
    waiting = [];
  }
  if (count === 0) return image;
  image = Buffer.alloc(count * pageSize);
  database.copy(image);
  for (const [page, bytes] of pages) if (page <= count) bytes.copy(image, (page - 1) * pageSize);
  return image;
}

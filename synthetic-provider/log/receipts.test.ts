import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readContinued } from './continue.js';
import { type Disk, ReceiptLog } from './receipts.js';
import { log, received, settled } from '../testing/log.js';

const folder = fs.mkdtempSync(join(tmpdir(), 'killpoint-receipts-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
let files = 0;
const fresh = () => join(folder, `${(files += 1)}.jsonl`);

/** The real disk, until the call of one number fails once. */
function failing(at: { write?: number; sync?: number; short?: number }): Disk & { syncs: number; writes: number } {
  const disk = {
    syncs: 0,
    writes: 0,
    write(fd: number, bytes: Buffer): number {
      disk.writes += 1;
      if (disk.writes === at.write) throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
      return fs.writeSync(fd, disk.writes === at.short ? bytes.subarray(0, 10) : bytes);
    },
    sync(fd: number): void {
      disk.syncs += 1;
      if (disk.syncs === at.sync) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' });
      fs.fsyncSync(fd);
    },
  };
  return disk;
}

describe('a receipt log', () => {
  it('is what was appended, one write and one sync a line, after two syncs for the file and its directory', () => {
    const path = fresh();
    const disk = failing({});
    const receipts = ReceiptLog.create(path, disk);
    expect([disk.writes, disk.syncs]).toEqual([0, 2]);
    const lines = [received(receipts.nextRequest(), 'a'), settled(1, 1)];
    for (const line of lines) receipts.append(line);
    expect([disk.writes, disk.syncs]).toEqual([2, 4]);
    const sealed = receipts.close();
    expect(fs.readFileSync(path).equals(log(...lines))).toBe(true);
    expect(sealed).toMatchObject({ bytes: log(...lines).length, lines: 2 });
  });

  it('continues with the next numbers', () => {
    const path = fresh();
    const before = log(received(1), settled(1, 1));
    fs.writeFileSync(path, before);
    const receipts = ReceiptLog.resume(path, readContinued(before));
    const number = receipts.nextRequest();
    receipts.append(received(number));
    receipts.append(settled(number, null));
    receipts.close();
    expect(fs.readFileSync(path).equals(log(received(1), settled(1, 1), received(2), settled(2, null)))).toBe(true);
  });

  it('is never made over a file, through a link, or without its folder', () => {
    const path = fresh();
    fs.writeFileSync(path, '');
    const link = fresh();
    fs.symlinkSync(path, link);
    const empty = readContinued(Buffer.alloc(0));
    expect(() => ReceiptLog.create(path)).toThrow(expect.objectContaining({ code: 'receipts-exist' }) as Error);
    expect(() => ReceiptLog.create(link)).toThrow(expect.objectContaining({ code: 'receipts-exist' }) as Error);
    expect(() => ReceiptLog.resume(link, empty)).toThrow(expect.objectContaining({ code: 'receipts-missing' }) as Error);
    expect(() => ReceiptLog.create(join(folder, 'none', 'x'))).toThrow(
      expect.objectContaining({ code: 'receipts-missing' }) as Error,
    );
  });

  it.each([{ sync: 1 }, { sync: 2 }])('is not handed out when file or directory cannot be synced: %j', (at) => {
    expect(() => ReceiptLog.create(fresh(), failing(at))).toThrow(
      expect.objectContaining({ code: 'receipts-unsynced' }) as Error,
    );
  });
});

describe('after one failure', () => {
  it.each([{ write: 2 }, { sync: 4 }, { short: 2 }])('%j no line and no seal is ever given again', (at) => {
    const path = fresh();
    const disk = failing(at);
    const receipts = ReceiptLog.create(path, disk);
    receipts.append(received(1));
    const unsynced = expect.objectContaining({ code: 'receipts-unsynced' }) as Error;
    expect(() => receipts.append(settled(1, 1))).toThrow(unsynced);
    const calls = [disk.writes, disk.syncs];
    expect(() => receipts.append(settled(1, 1))).toThrow(unsynced);
    expect([disk.writes, disk.syncs]).toEqual(calls);
    expect(() => receipts.close()).toThrow(unsynced);
    expect(fs.readFileSync(path, 'utf8').startsWith(log(received(1)).toString())).toBe(true);
  });
});

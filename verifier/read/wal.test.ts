import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../errors.js';
import { inFolder } from '../testing/folder.js';
import { walOf } from '../testing/hostile/wal-bytes.js';
import { mergeWal } from './wal.js';

/** A killed database with its log, and the numbers that SQLite itself recovers from both at a given length of the log. */
function killed(use: (made: { db: Buffer; wal: Buffer; bySqlite: (wal: Buffer) => number[] }) => void, pageSize = 4096): void {
  inFolder((folder) => {
    const path = join(folder, 'a.sqlite');
    const db = new Database(path);
    db.pragma(`page_size = ${pageSize}`);
    db.pragma('journal_mode = WAL');
    db.exec('CREATE TABLE t (n INTEGER, fill TEXT)');
    const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
    db.transaction(() => [1, 2, 3].forEach((n) => insert.run(n, 'x'.repeat(3000))))();
    db.pragma('wal_checkpoint(RESTART)');
    // The next writes go over the old frames from the start, with new salts: what follows them must not count.
    for (const n of [4, 5]) insert.run(n, 'y'.repeat(50));
    copyFileSync(path, join(folder, 'killed'));
    copyFileSync(`${path}-wal`, join(folder, 'killed-wal'));
    db.close();
    const bytes = { db: readFileSync(join(folder, 'killed')), wal: readFileSync(join(folder, 'killed-wal')) };
    const bySqlite = (wal: Buffer): number[] => {
      writeFileSync(join(folder, 'try'), bytes.db);
      writeFileSync(join(folder, 'try-wal'), wal);
      const tried = new Database(join(folder, 'try'));
      try {
        return tried.prepare('SELECT n FROM t ORDER BY n').pluck().all() as number[];
      } finally {
        tried.close();
      }
    };
    use({ ...bytes, bySqlite });
  });
}

function numbersIn(image: Buffer): number[] {
  image[18] = image[19] = 1;
  const db = new Database(image);
  try {
    return db.prepare('SELECT n FROM t ORDER BY n').pluck().all() as number[];
  } finally {
    db.close();
  }
}

describe('known answers', () => {
  const { vectors } = JSON.parse(readFileSync(new URL('../../evidence/schema/vectors/wal.json', import.meta.url), 'utf8')) as {
    vectors: { name: string; database: string; log: string | null; rows: number[] }[];
  };
  it.each(vectors)('$name', ({ database, log, rows }) => {
    const { image } = mergeWal(Buffer.from(database, 'base64'), log === null ? undefined : Buffer.from(log, 'base64'));
    expect(numbersIn(image)).toEqual(rows);
  });
});

describe('a log that says how long the database is', () => {
  const page = Buffer.alloc(512, 1);
  const database = Buffer.alloc(2 * 512);
  database.writeUInt16BE(512, 16);
  it.each([1, 2, 3, 4])('is believed where the pages are there, one of the locks among them: %i', (count) => {
    expect(mergeWal(database, walOf(512, [[3, count, page]])).image).toHaveLength(count * 512);
  });
  it.each([5, 1_000_000, 0xffffffff])('is not believed where they are not, and nothing is made: %i', (count) => {
    expect(() => mergeWal(database, walOf(512, [[3, count, page]]))).toThrow(EvidenceError);
  });
  it('may have lost some of them with the power, and no more than there is memory for', () => {
    const log = (count: number): Buffer => walOf(512, [[3, count, page]]);
    expect(mergeWal(database, log(1000), true).image).toHaveLength(1000 * 512);
    expect(() => mergeWal(database, log(0xffffffff), true)).toThrow(EvidenceError);
  });
});

describe('a log cut by a crash', () => {
  it.each([512, 4096, 65_536])('yields at every cut what SQLite recovers, pages of %i bytes', (pageSize) => {
    killed(({ db, wal, bySqlite }) => {
      const frame = 24 + pageSize;
      const borders = Array.from({ length: Math.ceil((wal.length - 32) / frame) + 1 }, (_frame, index) => 32 + index * frame);
      const cuts = new Set([
        0,
        1,
        31,
        32,
        33,
        wal.length,
        ...borders.flatMap((border) => [border - 1, border, border + 1, border + 24, border + 100]),
      ]);
      let lengths = 0;
      for (const cut of [...cuts].filter((length) => length >= 0 && length <= wal.length)) {
        const short = wal.subarray(0, cut);
        expect(numbersIn(mergeWal(db, short).image), `cut at ${cut}`).toEqual(bySqlite(Buffer.from(short)));
        lengths += 1;
      }
      expect(lengths).toBeGreaterThan(10);
      expect(numbersIn(mergeWal(db, wal).image)).toEqual([1, 2, 3, 4, 5]);
    }, pageSize);
  });

  it('never throws anything untyped, whatever byte is damaged', () => {
    killed(({ db, wal }) => {
      for (let at = 0; at < 32 + 24 + 64; at += 1) {
        const damaged = Buffer.from(wal);
        damaged[at] = (damaged[at] ?? 0) ^ 0xff;
        try {
          const rows = numbersIn(mergeWal(db, damaged).image);
          // A damaged frame ends the log; a damaged header is refused. Nothing of it is believed either way.
          expect(at).toBeGreaterThanOrEqual(32);
          expect(rows).toEqual([1, 2, 3]);
        } catch (error) {
          expect(error).toBeInstanceOf(EvidenceError);
          expect(at).toBeLessThan(32);
        }
      }
    });
  });
});

describe('a log under which the power was lost', () => {
  it('is empty where its header is not whole, as SQLite takes it', () => {
    killed(({ db, wal, bySqlite }) => {
      for (const damage of [0, 8, 20, 24]) {
        const damaged = Buffer.from(wal);
        damaged.fill(0, damage, damage + 4);
        expect(numbersIn(mergeWal(db, damaged, true).image), `header without ${damage}`).toEqual(bySqlite(damaged));
        expect(() => mergeWal(db, damaged)).toThrow(EvidenceError);
      }
    });
  });
});

describe('a log in the other byte order', () => {
  it('is read the same', () => {
    killed(({ db, wal, bySqlite }) => {
      const other = inOtherOrder(wal, 4096);
      expect(numbersIn(mergeWal(db, other).image)).toEqual([1, 2, 3, 4, 5]);
      expect(bySqlite(other)).toEqual([1, 2, 3, 4, 5]);
      expect(mergeWal(db, other).commits).toBe(2);
    });
  });
  it('is read from any offset in memory', () => {
    killed(({ db, wal }) => {
      for (const shift of [1, 2, 3]) {
        const shifted = new Uint8Array(wal.length + shift);
        shifted.set(wal, shift);
        expect(numbersIn(mergeWal(db, shifted.subarray(shift)).image)).toEqual([1, 2, 3, 4, 5]);
      }
    });
  });
});

/** Writes the sums again, over big-endian words where they were over little-endian ones. */
function inOtherOrder(wal: Buffer, pageSize: number): Buffer {
  const copy = Buffer.from(wal);
  copy.writeUInt32BE(copy.readUInt32BE(0) ^ 1, 0);
  let sums: [number, number] = [0, 0];
  const add = (from: number, length: number): void => {
    for (let at = from; at < from + length; at += 8) {
      const first = (sums[0] + copy.readUInt32BE(at) + sums[1]) >>> 0;
      sums = [first, (sums[1] + copy.readUInt32BE(at + 4) + first) >>> 0];
    }
  };
  const write = (at: number): void => {
    copy.writeUInt32BE(sums[0], at);
    copy.writeUInt32BE(sums[1], at + 4);
  };
  add(0, 24);
  write(24);
  for (let at = 32; at + 24 + pageSize <= copy.length; at += 24 + pageSize) {
    if (copy.readUInt32BE(at + 8) !== copy.readUInt32BE(16)) break;
    add(at, 8);
    add(at + 24, pageSize);
    write(at + 16);
  }
  return copy;
}

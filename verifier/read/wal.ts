/**
 * SQLite's write-ahead log merged by our own hand: `(database bytes, log bytes) → database image`, no file opened in place.
 *
 *   log    = header(32) frame*         all integers big-endian
 *   header = magic(4) version(4) page_size(4) checkpoint(4) salt1(4) salt2(4) sum1(4) sum2(4)
 *   frame  = page(4) pages_after_commit(4) salt1(4) salt2(4) sum1(4) sum2(4) page bytes
 *
 * The sums run over the header, then over the first 8 bytes and the page of each frame, in the byte order that the magic names.
 * Fault model: a process crash ends the log anywhere. The first frame whose salts or sums do not fit is the end, and of the
 * frames before it those up to the last commit (pages_after_commit > 0) count. A whole header that contradicts itself is
 * damage that no crash of a process explains. A power loss explains it: whoever opens such a log then takes it for empty, and so does this.
 */
import { EvidenceError } from '../errors.js';

const headerBytes = 32;
const frameHeaderBytes = 24;
const magicLittle = 0x377f0682;
const magicBig = 0x377f0683;
const formatVersion = 3_007_000;
const hostIsLittle = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

export interface Merge {
  /** A private copy, also where nothing was merged. */
  readonly image: Buffer;
  readonly frames: number;
  readonly commits: number;
}

export function mergeWal(database: Uint8Array, log: Uint8Array | undefined, lostPower = false): Merge {
  const committed = log === undefined || log.length < headerBytes ? null : committedPages(log, lostPower);
  if (committed === null || committed.commits === 0) return { image: Buffer.from(database), frames: 0, commits: 0 };
  const { pageSize, pages, pageCount, bytes, frames, commits } = committed;
  // The first page of a database may be lost with the power, while the log still has it.
  const isLost = lostPower && pageSizeOf(database) === 0;
  if (database.length >= 100 && pageSizeOf(database) !== pageSize && !isLost) {
    throw new EvidenceError('ledger-unreadable', 'The log and the database have different page sizes.');
  }
  demandPages(committed, database.length, lostPower);
  const image = Buffer.alloc(pageCount * pageSize);
  image.set(database.subarray(0, image.length));
  for (const [page, offset] of pages) {
    if (page <= pageCount) image.set(bytes.subarray(offset, offset + pageSize), (page - 1) * pageSize);
  }
  return { image, frames, commits };
}

/** What a power loss took from a database may be in no log either, up to this. */
const mostLostBytes = 256 * 1024 * 1024;

/** A log says in four bytes how long the database is. Every page of it lies in one of the two, but for the one with the engine's locks, which is never written. */
function demandPages({ pageSize, pages, pageCount }: Committed, databaseBytes: number, lostPower: boolean): void {
  const held = Math.ceil(databaseBytes / pageSize) + pages.size + 1;
  const lost = lostPower ? mostLostBytes / pageSize : 0;
  if (pageCount > held + lost)
    throw new EvidenceError('ledger-unreadable', 'The log says that the database has more pages than the two hold.');
}

/** As the database says; zero where it is too short to. */
export function pageSizeOf(database: Uint8Array): number {
  const size = ((database[16] ?? 0) << 8) | (database[17] ?? 0);
  return size === 1 ? 65_536 : size;
}

interface Committed {
  pageSize: number;
  pageCount: number;
  pages: Map<number, number>;
  bytes: Uint8Array;
  frames: number;
  commits: number;
}

function committedPages(log: Uint8Array, lostPower: boolean): Committed | null {
  // Sums are taken over 32-bit words, which a typed array reads only where they are aligned.
  const bytes = log.byteOffset % 4 === 0 ? log : Uint8Array.from(log);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
  const magic = view.getUint32(0);
  const pageSize = view.getUint32(8);
  const powerOfTwo = pageSize >= 512 && pageSize <= 65_536 && (pageSize & (pageSize - 1)) === 0;
  if ((magic !== magicLittle && magic !== magicBig) || view.getUint32(4) !== formatVersion || !powerOfTwo) {
    if (lostPower) return null;
    throw new EvidenceError('ledger-unreadable', 'The write-ahead log has no valid header.');
  }
  const sums = new Checksum(words, (magic === magicLittle) !== hostIsLittle);
  sums.add(0, 24);
  if (!sums.equals(view.getUint32(24), view.getUint32(28))) {
    if (lostPower) return null;
    throw new EvidenceError('ledger-unreadable', 'The header of the write-ahead log fails its checksum.');
  }
  const found: Committed = { pageSize, pageCount: 0, pages: new Map(), bytes, frames: 0, commits: 0 };
  let pending: [number, number][] = [];
  for (let at = headerBytes; at + frameHeaderBytes + pageSize <= bytes.length; at += frameHeaderBytes + pageSize) {
    const page = view.getUint32(at);
    const pagesAfterCommit = view.getUint32(at + 4);
    if (page === 0 || view.getUint32(at + 8) !== view.getUint32(16) || view.getUint32(at + 12) !== view.getUint32(20)) break;
    sums.add(at, 8);
    sums.add(at + frameHeaderBytes, pageSize);
    if (!sums.equals(view.getUint32(at + 16), view.getUint32(at + 20))) break;
    pending.push([page, at + frameHeaderBytes]);
    if (pagesAfterCommit === 0) continue;
    for (const [number, offset] of pending) found.pages.set(number, offset);
    found.frames += pending.length;
    found.commits += 1;
    found.pageCount = pagesAfterCommit;
    pending = [];
  }
  return found;
}

/** The running sum of the log: two words, each step adding one pair of words of the content. */
class Checksum {
  private first = 0;
  private second = 0;
  constructor(
    private readonly words: Uint32Array,
    private readonly swap: boolean,
  ) {}

  add(offset: number, length: number): void {
    const { words, swap } = this;
    let { first, second } = this;
    const end = (offset + length) >> 2;
    for (let at = offset >> 2; at < end; at += 2) {
      const a = words[at] ?? 0;
      const b = words[at + 1] ?? 0;
      first = (first + (swap ? swapped(a) : a) + second) >>> 0;
      second = (second + (swap ? swapped(b) : b) + first) >>> 0;
    }
    this.first = first;
    this.second = second;
  }

  equals(first: number, second: number): boolean {
    return this.first === first && this.second === second;
  }
}

function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}

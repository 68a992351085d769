/**
 * The receipt log of one prefix: one canonical line for each thing that happened, durable before anything follows from it.
 *
 * Fault model: process crash, and write or sync failures. One line is one write call and one fsync; a crash leaves whole lines and
 * at most one torn last one. After a failed or short write, or a failed sync, nobody knows what the file holds (a second fsync
 * may succeed over lost pages), so the log is poisoned for good: no later line, no proper close, and the request at hand is not
 * served. Calls are synchronous: a request of another prefix waits for the sync, and no write is ever left behind in a pool.
 */
import * as fs from 'node:fs';
import { type Hash, createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Receipt } from '../contract/types.js';
import { type Json, canonical, sha256 } from '../core/canonical.js';
import type { Continued } from './continue.js';
import { ProviderError, reason } from '../core/errors.js';

type Unnumbered<T> = T extends unknown ? Omit<T, 'version' | 'seq' | 'digest'> : never;
export type Line = Unnumbered<Receipt>;

export interface Sealed {
  readonly bytes: number;
  readonly lines: number;
  readonly sha256: string;
}

/** The two calls that can fail half-way, replaceable by those of a disk that does. */
export interface Disk {
  write(fd: number, bytes: Buffer): number;
  sync(fd: number): void;
}

const realDisk: Disk = { write: (fd, bytes) => fs.writeSync(fd, bytes), sync: (fd) => fs.fsyncSync(fd) };
const { O_RDWR, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW } = fs.constants;

export class ReceiptLog {
  readonly #fd: number;
  readonly #disk: Disk;
  readonly #hash: Hash = createHash('sha256');
  readonly identity: string;
  #bytes = 0;
  #lines = 0;
  #requests = 0;
  #delayed = 0;
  #poison: ProviderError | null = null;

  private constructor(fd: number, disk: Disk) {
    this.#fd = fd;
    this.#disk = disk;
    const { dev, ino } = fs.fstatSync(fd, { bigint: true });
    this.identity = `${dev}:${ino}`;
  }

  /** A new file, its directory entry durable; an existing one is never touched. */
  static create(path: string, disk: Disk = realDisk): ReceiptLog {
    return ReceiptLog.#opened(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND, disk, () => undefined);
  }

  /** Goes on after the last line of a log that was read whole. The copy may be young, so it is synced before anything is added. */
  static resume(path: string, continued: Continued, disk: Disk = realDisk): ReceiptLog {
    return ReceiptLog.#opened(path, O_RDWR | O_APPEND | O_NOFOLLOW, disk, (log) => {
      if (fs.fstatSync(log.#fd).size !== continued.bytes.length) {
        throw new ProviderError('receipts-foreign', `${path} changed while it was read.`);
      }
      log.#hash.update(continued.bytes);
      log.#bytes = continued.bytes.length;
      log.#lines = continued.lines;
      log.#requests = continued.requests.length;
      log.#delayed = continued.delayed;
    });
  }

  static #opened(path: string, flags: number, disk: Disk, prepare: (log: ReceiptLog) => void): ReceiptLog {
    const fd = openOrSay(path, flags);
    try {
      const log = new ReceiptLog(fd, disk);
      prepare(log);
      disk.sync(fd);
      syncDirectory(dirname(path), disk);
      return log;
    } catch (error) {
      fs.closeSync(fd);
      if (error instanceof ProviderError) throw error;
      throw new ProviderError('receipts-unsynced', `${path} cannot be made durable: ${reason(error)}.`, { cause: error });
    }
  }

  nextRequest(): number {
    this.#requests += 1;
    return this.#requests;
  }

  nextDelayed(): number {
    this.#delayed += 1;
    return this.#delayed;
  }

  /** Returns once the line is durable; throws, now and ever after, if it may not be. */
  append(line: Line): void {
    if (this.#poison !== null) throw this.#poison;
    const numbered = { ...line, version: 'receipts/v1', seq: this.#lines + 1 };
    const digest = sha256(canonical(numbered as Json));
    const bytes = Buffer.from(`${canonical({ ...numbered, digest } as Json)}\n`);
    try {
      const written = this.#disk.write(this.#fd, bytes);
      if (written !== bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
      this.#disk.sync(this.#fd);
    } catch (error) {
      this.#poison = new ProviderError('receipts-unsynced', `Receipt ${numbered.seq} is not durable: ${reason(error)}.`, {
        cause: error,
      });
      throw this.#poison;
    }
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#lines += 1;
  }

  /** Closes the file and says what it holds, after reading it back: another writer's bytes must not be sealed as ours. */
  close(): Sealed {
    try {
      if (this.#poison !== null) throw this.#poison;
      const expected = { bytes: this.#bytes, lines: this.#lines, sha256: this.#hash.digest('hex') };
      const held = fs.fstatSync(this.#fd).size === this.#bytes ? readBack(this.#fd, this.#bytes) : null;
      if (held === null || sha256(held) !== expected.sha256) {
        throw new ProviderError('receipts-foreign', 'The receipts file does not hold the bytes that were written to it.');
      }
      return expected;
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      throw new ProviderError('receipts-foreign', `The receipts file cannot be read back: ${reason(error)}.`, { cause: error });
    } finally {
      fs.closeSync(this.#fd);
    }
  }
}

function readBack(fd: number, size: number): Buffer | null {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size;) {
    const read = fs.readSync(fd, bytes, at, size - at, at);
    if (read === 0) return null;
    at += read;
  }
  return bytes;
}

function openOrSay(path: string, flags: number): number {
  try {
    return fs.openSync(path, flags, 0o644);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new ProviderError(
        'receipts-exist',
        `${path} exists already; name another file, or say "continue" (--continue) to go on with this one.`,
      );
    if (code === 'ENOENT') throw new ProviderError('receipts-missing', `${path} is not there, or its folder is not.`);
    throw new ProviderError('receipts-missing', `${path} cannot be opened: ${reason(error)}.`, { cause: error });
  }
}

function syncDirectory(path: string, disk: Disk): void {
  const fd = fs.openSync(path, 'r');
  try {
    disk.sync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * A file read in large pieces, from its front to its end, in bounded memory.
 *
 * What is held is good until more is asked for. The size is the one at the start: what a living writer appends meanwhile is not seen, and
 * a file that became shorter ends where it ends.
 */
import { createHash } from 'node:crypto';
import type { Files } from './files.js';

const pieceSize = 1 << 20;

export class Window {
  /** The piece that is held. */
  bytes: Buffer;
  /** The stretch of the file that it holds. */
  private start = 0;
  private end = 0;

  constructor(
    private readonly files: Files,
    private readonly descriptor: number,
    readonly size: number,
  ) {
    this.bytes = Buffer.allocUnsafe(Math.min(size, pieceSize));
  }

  /** Holds the bytes of a stretch and says where in `bytes` it begins; -1 where the file does not have it whole. */
  hold(offset: number, length: number): number {
    if (offset < this.start || offset + length > this.end) {
      if (offset + length > this.size) return -1;
      this.load(offset, length);
      if (offset + length > this.end) return -1;
    }
    return offset - this.start;
  }

  /** All that is held from `offset` on, which is something unless the file has ended. */
  rest(offset: number): Buffer {
    const at = this.hold(offset, 1);
    return at < 0 ? this.bytes.subarray(0, 0) : this.bytes.subarray(at, this.end - this.start);
  }

  /** SHA-256 of a stretch that may be larger than memory should be; null where the file does not have it whole. */
  digest(offset: number, length: number): string | null {
    const hash = createHash('sha256');
    for (let done = 0; done < length;) {
      const step = Math.min(pieceSize, length - done);
      const at = this.hold(offset + done, step);
      if (at < 0) return null;
      hash.update(this.bytes.subarray(at, at + step));
      done += step;
    }
    return hash.digest('hex');
  }

  private load(offset: number, wanted: number): void {
    const length = Math.min(Math.max(wanted, pieceSize), this.size - offset);
    if (length > this.bytes.length) this.bytes = Buffer.allocUnsafe(length);
    this.start = offset;
    this.end = offset;
    while (this.end - this.start < length) {
      const filled = this.end - this.start;
      const read = this.files.readSync(this.descriptor, this.bytes, filled, length - filled, this.end);
      if (read === 0) return;
      this.end += read;
    }
  }
}

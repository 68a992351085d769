/**
 * What a file holds after some of its pieces, in blocks that contents share: a piece copies the blocks that it touches, a digest is taken once.
 *
 * Thousands of states differ in a few pieces, so a content keeps what comes after it by the piece that leads there: states that begin alike
 * go the same way, at the next cut too. How much is kept is counted, for whoever holds the first of them to forget it; so is the work of a
 * whole derivation, and a trace that gives more is refused.
 */
import { sha256 } from '../hash.js';
import { unmodelled } from './line.js';
import type { DataPiece, SizePiece } from './pieces.js';

export const blockBytes = 4096;
const digestBytes = 32;
/** Of one block that is copied, against one piece that is gone through. */
const nodeEffort = 8;

class Block {
  private known: Buffer | undefined;
  constructor(readonly bytes: Buffer) {}

  get digest(): Buffer {
    return (this.known ??= Buffer.from(sha256(this.bytes), 'hex'));
  }
}

const zeros = new Block(Buffer.alloc(blockBytes));

/** Bytes of a data piece, from one place in the file to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A piece of a file, with what of it is kept; null is all of it. The key tells two ways apart. */
export interface Step {
  readonly piece: SizePiece | DataPiece;
  readonly ranges: readonly Range[] | null;
  readonly key: number | string;
}

/** Counts what a derivation costs, in pieces that are gone through, and what is kept, in blocks that contents refer to. */
export class Effort {
  private static readonly most = 200_000_000;
  private static readonly mostKept = 4_000_000;
  private spent = 0;
  private kept = 0;

  spend(units: number): void {
    this.spent += units;
    if (this.spent > Effort.most) throw unmodelled('The trace gives more states than are derived.');
  }

  keep(units: number): void {
    this.kept += units;
  }

  /** True once too much is kept; then it counts anew. */
  get isFull(): boolean {
    if (this.kept <= Effort.mostKept) return false;
    this.kept = 0;
    return true;
  }
}

export class Content {
  /** Most have one way on, or none. */
  private way: { readonly key: number | string; readonly to: Content } | undefined;
  private ways: Map<number | string, Content> | undefined;
  private known: string | undefined;

  private constructor(
    readonly size: number,
    private readonly blocks: readonly Block[],
  ) {}

  static of(bytes: Buffer = Buffer.alloc(0)): Content {
    const count = Math.ceil(bytes.length / blockBytes);
    const blocks = Array.from({ length: count }, (_block, index) => {
      const whole = Buffer.alloc(blockBytes);
      bytes.copy(whole, 0, index * blockBytes, (index + 1) * blockBytes);
      return new Block(whole.subarray(0, Math.min(blockBytes, bytes.length - index * blockBytes)));
    });
    return new Content(bytes.length, blocks);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.blocks.map(({ bytes }) => bytes));
  }

  /** Of the concatenated digests of its blocks. */
  digest(effort: Effort): string {
    if (this.known !== undefined) return this.known;
    effort.spend(this.blocks.length);
    const all = Buffer.allocUnsafe(this.blocks.length * digestBytes);
    this.blocks.forEach((block, index) => block.digest.copy(all, index * digestBytes));
    return (this.known = sha256(all));
  }

  /** What is there after a piece. */
  after(step: Step, effort: Effort): Content {
    const before = this.way?.key === step.key ? this.way.to : this.ways?.get(step.key);
    if (before !== undefined) return before;
    const next = step.piece.is === 'size' ? this.resized(step.piece.size) : this.written(step.piece, step.ranges);
    effort.spend(nodeEffort + next.blocks.length);
    effort.keep(next.blocks.length + blockBytes / digestBytes);
    if (this.way === undefined) this.way = { key: step.key, to: next };
    else (this.ways ??= new Map()).set(step.key, next);
    return next;
  }

  /** The same without any way on. */
  alone(): Content {
    return new Content(this.size, this.blocks);
  }

  private resized(size: number): Content {
    if (size === this.size) return this;
    const count = Math.ceil(size / blockBytes);
    const blocks = this.blocks.slice(0, count);
    while (blocks.length < count) blocks.push(zeros);
    // The block in which the file ended and the one in which it ends are as long as they are.
    for (const index of new Set([Math.floor(this.size / blockBytes), count - 1])) {
      const block = blocks[index];
      if (block === undefined) continue;
      const length = Math.min(blockBytes, size - index * blockBytes);
      if (block.bytes.length === length) continue;
      const bytes = Buffer.alloc(length);
      block.bytes.copy(bytes, 0, 0, length);
      blocks[index] = new Block(bytes);
    }
    return new Content(size, blocks);
  }

  /** Bytes beyond the end are not put. */
  private written({ at, bytes }: DataPiece, ranges: readonly Range[] | null): Content {
    const blocks = [...this.blocks];
    for (const { from, to } of ranges ?? [{ from: at, to: at + bytes.length }]) {
      const end = Math.min(to, this.size);
      for (let place = from; place < end;) {
        const index = Math.floor(place / blockBytes);
        const stop = Math.min(end, (index + 1) * blockBytes);
        const changed = Buffer.from(blocks[index]?.bytes ?? []);
        bytes.copy(changed, place - index * blockBytes, place - at, stop - at);
        blocks[index] = new Block(changed);
        place = stop;
      }
    }
    return new Content(this.size, blocks);
  }
}

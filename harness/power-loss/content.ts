/**
 * What a file holds, as blocks that states share: a state is a few blocks of its own among many that it has in common with others. Pure.
 *
 * A block is never changed once it is shared, and its digest is taken once.
 */
import { hash } from 'node:crypto';
import type { SizePiece } from './pieces.js';
import { blockSize, type Range } from './rules.js';

interface Block {
  readonly bytes: Buffer;
  digest: Buffer | null;
}

export interface Content {
  readonly size: number;
  readonly blocks: readonly Block[];
  /** SHA-256 of the concatenated digests of the blocks. */
  readonly sha256: string;
}

/** A change to a file: a size, or bytes at a place, whole or some ranges of them. */
export type Change =
  | Pick<SizePiece, 'kind' | 'size'>
  | { readonly kind: 'data'; readonly at: number; readonly bytes: Buffer; readonly ranges: readonly Range[] | null };

const zeros: Block = { bytes: Buffer.alloc(blockSize), digest: null };

export const emptyContent: Content = finished([], 0);

export function contentOf(bytes: Buffer): Content {
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; at += blockSize)
    blocks.push({ bytes: Buffer.from(bytes.subarray(at, at + blockSize)), digest: null });
  return finished(blocks, bytes.length);
}

/** The bytes of a content, in pieces. */
export function bytesOf({ blocks }: Content): Buffer[] {
  return blocks.map(({ bytes }) => bytes);
}

export function changed(content: Content, changes: readonly Change[]): Content {
  if (changes.length === 0) return content;
  const blocks = [...content.blocks];
  const own = new Set<Block>();
  let { size } = content;
  const ownBlock = (index: number, length: number): Block => {
    const old = blocks[index] ?? zeros;
    if (own.has(old) && old.bytes.length === length) return old;
    const bytes = Buffer.alloc(length);
    old.bytes.copy(bytes, 0, 0, length);
    const block = { bytes, digest: null };
    own.add(block);
    blocks[index] = block;
    return block;
  };
  const resize = (to: number): void => {
    const count = Math.ceil(to / blockSize);
    blocks.length = Math.min(blocks.length, count);
    const lengthOf = (index: number): number => Math.min(blockSize, to - index * blockSize);
    // The block that was last has another length now, and so has the one that is.
    for (const index of new Set([blocks.length - 1, count - 1]))
      if (index >= 0 && index < blocks.length && blocks[index]?.bytes.length !== lengthOf(index))
        ownBlock(index, lengthOf(index));
    for (let index = blocks.length; index < count; index++) {
      blocks.push(zeros);
      if (lengthOf(index) !== blockSize) ownBlock(index, lengthOf(index));
    }
    size = to;
  };
  const put = (at: number, bytes: Buffer, [from, to]: Range): void => {
    const end = Math.min(to, size);
    for (let place = from; place < end;) {
      const index = Math.floor(place / blockSize);
      const next = Math.min((index + 1) * blockSize, end);
      const block = ownBlock(index, blocks[index]?.bytes.length ?? 0);
      bytes.copy(block.bytes, place - index * blockSize, place - at, next - at);
      place = next;
    }
  };
  for (const change of changes) {
    if (change.kind === 'size') resize(change.size);
    else
      for (const range of change.ranges ?? [[change.at, change.at + change.bytes.length] as const])
        put(change.at, change.bytes, range);
  }
  return finished(blocks, size);
}

function finished(blocks: readonly Block[], size: number): Content {
  const digests = blocks.map((block) => (block.digest ??= hash('sha256', block.bytes, 'buffer')));
  return { size, blocks, sha256: hash('sha256', Buffer.concat(digests)) };
}

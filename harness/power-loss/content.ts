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
  /** Each byte a character: a text takes less than a buffer of its own. */
  digest: string | null;
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
  const draft: Draft = { blocks: [...content.blocks], own: new Set(), size: content.size };
  for (const change of changes) {
    if (change.kind === 'size') resize(draft, change.size);
    else if (change.ranges === null) put(draft, change.at, change.bytes, change.at, change.at + change.bytes.length);
    else for (const [from, to] of change.ranges) put(draft, change.at, change.bytes, from, to);
  }
  return finished(draft.blocks, draft.size);
}

/** A content in the making: of its blocks only its own may be written to. */
interface Draft {
  readonly blocks: Block[];
  readonly own: Set<Block>;
  size: number;
}

function ownBlock({ blocks, own }: Draft, index: number, length: number): Block {
  const old = blocks[index] ?? zeros;
  if (old.bytes.length === length && own.has(old)) return old;
  const bytes = Buffer.allocUnsafeSlow(length);
  const copied = old.bytes.copy(bytes, 0, 0, length);
  if (copied < length) bytes.fill(0, copied);
  const block = { bytes, digest: null };
  own.add(block);
  blocks[index] = block;
  return block;
}

function resize(draft: Draft, to: number): void {
  const { blocks } = draft;
  const count = Math.ceil(to / blockSize);
  blocks.length = Math.min(blocks.length, count);
  // The block that was last has another length now, and so has the one that is.
  fit(draft, blocks.length - 1, to);
  fit(draft, count - 1, to);
  for (let index = blocks.length; index < count; index++) {
    blocks.push(zeros);
    if (lengthAt(index, to) !== blockSize) ownBlock(draft, index, lengthAt(index, to));
  }
  draft.size = to;
}

function fit(draft: Draft, index: number, size: number): void {
  const block = draft.blocks[index];
  if (block !== undefined && block.bytes.length !== lengthAt(index, size)) ownBlock(draft, index, lengthAt(index, size));
}

function lengthAt(index: number, size: number): number {
  return Math.min(blockSize, size - index * blockSize);
}

/** The bytes from one place to another, of those that stand at a place. */
function put(draft: Draft, at: number, bytes: Buffer, from: number, to: number): void {
  const end = Math.min(to, draft.size);
  for (let place = from; place < end;) {
    const index = Math.floor(place / blockSize);
    const next = Math.min((index + 1) * blockSize, end);
    const block = ownBlock(draft, index, draft.blocks[index]?.bytes.length ?? 0);
    bytes.copy(block.bytes, place - index * blockSize, place - at, next - at);
    place = next;
  }
}

function finished(blocks: readonly Block[], size: number): Content {
  let digests = '';
  for (const block of blocks) digests += block.digest ??= hash('sha256', block.bytes, 'binary');
  return { size, blocks, sha256: hash('sha256', Buffer.from(digests, 'latin1')) };
}

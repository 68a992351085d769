/**
 * Keeps the first bytes of a stream that a subject writes, and lets the rest go by.
 *
 * Subjects are untrusted: one that floods a descriptor must neither fill the disk nor the memory, and must not be held up either, since
 * its writes would then block where they do not in life.
 */
import type { Readable } from 'node:stream';

export interface Kept {
  bytes(): Buffer;
  /** More came than was kept. */
  overflowed(): boolean;
  onData(listener: () => void): void;
  /** Resolves when nobody can write any more. */
  readonly ended: Promise<void>;
  destroy(): void;
}

export function keepFirst(stream: Readable, maxBytes: number): Kept {
  const chunks: Buffer[] = [];
  const listeners: (() => void)[] = [];
  let size = 0;
  let overflow = false;
  stream.on('data', (chunk: Buffer) => {
    const room = maxBytes - size;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    size += Math.min(room, chunk.length);
    if (overflow) return;
    overflow = chunk.length > room;
    for (const listener of listeners) listener();
  });
  // A reset is the way in which a killed peer ends; the bytes before it count.
  stream.on('error', () => undefined);
  return {
    bytes: () => Buffer.concat(chunks),
    overflowed: () => overflow,
    onData: (listener) => void listeners.push(listener),
    ended: new Promise((resolve) => stream.once('close', () => resolve())),
    destroy: () => void stream.destroy(),
  };
}

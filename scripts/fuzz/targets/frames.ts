/**
 * The frame decoder. Digests are made good first, since chance never finds one. A second, naive reading of the byte diagram must see the same frames at
 * the same places; what was read is written again to the same bytes; and a beginning of a log is read as a beginning.
 */
import { createHash } from 'node:crypto';
import { canonical } from '../../../verifier/read/canonical.js';
import { readSessionLog } from '../../../verifier/read/session-log.js';
import type { SessionFrame } from '../../../verifier/read/session-records.js';
import { bounded, demand } from './expect.js';

const magic = Buffer.from('f54b5057', 'hex');
const kinds: Readonly<Record<string, number>> = { record: 1, informational: 2, lineage: 3 };

export function fuzz(input: Buffer): void {
  for (const bytes of [input, withDigests(input)]) {
    bounded(() => {
      const { frames, tornBytes, problem } = readSessionLog(bytes);
      const naive = naivePlaces(bytes);
      demand(frames.length <= naive.length, 'More frames are read than there are.');
      for (const [index, frame] of frames.entries()) {
        demand(frame.offset === naive[index], 'A frame is read at another place.');
        demand(
          bytes.subarray(frame.offset, frame.offset + frame.size).equals(written(frame)),
          'A frame is written otherwise than it was read.',
        );
      }
      const last = frames.at(-1);
      const end = last === undefined ? 0 : last.offset + last.size;
      demand(problem !== null || end + tornBytes === bytes.length, 'Bytes are neither read nor torn.');
      const begun = readSessionLog(Buffer.from(bytes.subarray(0, Math.max(0, end - 1)))).frames;
      demand(canonical(begun) === canonical(frames.slice(0, -1)), 'A beginning of a log is read as something else.');
    });
  }
}

function written({ features, fence, seq, synced, type, kind, payload }: SessionFrame): Buffer {
  const header = Buffer.from(canonical({ features, fence, seq, synced, type }));
  const body = Buffer.from(canonical(payload));
  const prefix = Buffer.alloc(12);
  magic.copy(prefix);
  prefix.writeUInt8(1, 4);
  prefix.writeUInt8(kinds[kind] ?? 0, 5);
  prefix.writeUInt16BE(header.length, 6);
  prefix.writeUInt32BE(body.length, 8);
  const whole = Buffer.concat([prefix, header, body]);
  return Buffer.concat([whole, createHash('sha256').update(whole).digest()]);
}

function sizeAt(bytes: Buffer, at: number): number | null {
  if (!bytes.subarray(at, at + 4).equals(magic) || at + 12 > bytes.length) return null;
  const size = 12 + bytes.readUInt16BE(at + 6) + bytes.readUInt32BE(at + 8) + 32;
  return at + size > bytes.length ? null : size;
}

function naivePlaces(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0, size = sizeAt(bytes, at); size !== null; size = sizeAt(bytes, at)) {
    const end = at + size - 32;
    if (
      !createHash('sha256')
        .update(bytes.subarray(at, end))
        .digest()
        .equals(bytes.subarray(end, end + 32))
    )
      break;
    places.push(at);
    at += size;
  }
  return places;
}

function withDigests(input: Buffer): Buffer {
  const bytes = Buffer.from(input);
  for (let at = bytes.indexOf(magic); at >= 0;) {
    const size = sizeAt(bytes, at);
    if (size !== null)
      createHash('sha256')
        .update(bytes.subarray(at, at + size - 32))
        .digest()
        .copy(bytes, at + size - 32);
    at = bytes.indexOf(magic, at + (size ?? 1));
  }
  return bytes;
}

/**
 * The frame decoder. Digests are made good first, since chance never finds one. A second, naive reading of the byte diagram must
 * see the same frames at the same places, all of them where there is no problem; what was read is written again to the same
 * bytes; its numbers follow one another; and a beginning of a log, wherever it ends, is read as a beginning.
 */
import { createHash } from 'node:crypto';
import { canonical } from '../../../verifier/read/canonical.js';
import { readSessionLog } from '../../../verifier/read/session-log.js';
import type { SessionFrame } from '../../../verifier/read/session-records.js';
import { bounded, demand } from './expect.js';

const magic = Buffer.from('f54b5057', 'hex');
const mostHeaderBytes = 4096;
const kinds: Readonly<Record<string, number>> = { record: 1, informational: 2, lineage: 3 };

export function fuzz(input: Buffer): void {
  for (const bytes of [input, withDigests(input)]) {
    bounded(() => {
      const { frames, tornBytes, problem } = readSessionLog(bytes);
      const naive = naivePlaces(bytes);
      demand(frames.length <= naive.length, 'More frames are read than there are.');
      demand(problem !== null || frames.length === naive.length, 'Frames are passed over without a problem.');
      demandOrder(frames);
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
      for (const cut of [Math.max(0, end - 1), placeIn(bytes)]) {
        const begun = readSessionLog(Buffer.from(bytes.subarray(0, cut))).frames;
        const whole = frames.filter(({ offset, size }) => offset + size <= cut);
        demand(canonical(begun) === canonical(whole), 'A beginning of a log is read as something else.');
      }
    });
  }
}

/** Another one for other bytes: a crash cuts a log anywhere. */
function placeIn(bytes: Buffer): number {
  return createHash('sha256').update(bytes).digest().readUInt32BE(4) % (bytes.length + 1);
}

/** By the words of the contract: numbered from 1, under a fence that does not fall, and durable before they say so. */
function demandOrder(frames: readonly SessionFrame[]): void {
  let [fence, synced] = [1, 0];
  for (const [index, frame] of frames.entries()) {
    demand(frame.seq === index + 1, 'Frames are not numbered from 1 without gaps.');
    demand(frame.fence >= fence, 'A fence falls.');
    demand(
      frame.synced >= synced && frame.synced < frame.seq,
      'A frame says of itself, or no longer of others, that they are durable.',
    );
    [fence, synced] = [frame.fence, frame.synced];
  }
  const lineages = frames.filter(({ type }) => type === 'lineage').map(({ payload }) => canonical(payload));
  demand(frames.length === 0 || frames[0]?.type === 'lineage', 'A log does not begin with its name.');
  demand(new Set(lineages).size <= 1, 'A log has two names.');
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
  const header = bytes.readUInt16BE(at + 6);
  const size = 12 + header + bytes.readUInt32BE(at + 8) + 32;
  return header > mostHeaderBytes || at + size > bytes.length ? null : size;
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

/**
 * Frames → the bytes of a session log, by the byte diagram of the contract: what a forger writes, who knows the format as well as any
 * writer does. Not used to read anything.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { canonical } from '../../read/canonical.js';
import { sha256 } from '../../read/hash.js';
import type { SessionFrame } from '../../read/session-records.js';

const { frame: format } = sessionLogV1;

/** A frame without what follows from its bytes and its place. */
export type Draft = Omit<SessionFrame, 'offset' | 'size' | 'digest'>;

export function encodeFrame({ features, fence, seq, synced, type, kind, payload }: Draft): Buffer {
  const header = Buffer.from(canonical({ features, fence, seq, synced, type }));
  const body = Buffer.from(canonical(payload));
  const prefix = Buffer.alloc(format.prefix_bytes);
  prefix.write(format.magic, 'hex');
  prefix.writeUInt8(format.version, 4);
  prefix.writeUInt8(format.kinds[kind], 5);
  prefix.writeUInt16BE(header.length, 6);
  prefix.writeUInt32BE(body.length, 8);
  const whole = Buffer.concat([prefix, header, body]);
  return Buffer.concat([whole, Buffer.from(sha256(whole), 'hex')]);
}

export function encodeLog(frames: readonly Draft[]): Buffer {
  return Buffer.concat(frames.map(encodeFrame));
}

/** What lies in the feature floor of a log that requires these. */
export function encodeFloor(features: readonly string[]): Buffer {
  return Buffer.from(`${canonical({ features: [...features].sort(), version: 'feature-floor/v1' })}\n`);
}

/**
 * SHA-256 by two implementations that share no code. Small inputs go to @noble/hashes, larger ones to node:crypto, which is up to
 * nine times as fast there. Every sixty-fourth input of moderate size, whichever way it went, is hashed by both; if they ever disagree,
 * no verdict of this process can be trusted, so it ends as an internal error.
 */
// By its namespace, so that a Node that lacks the function gets as far as being refused.
import * as crypto from 'node:crypto';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { InternalError } from '../errors.js';

/** What fits into one block of the function. */
const smallBytes = 55;
const sampledBytes = 4 * 1024;
const sampleEvery = 64;
let inputs = 0;

export function sha256(bytes: Uint8Array): string {
  const small = bytes.length <= smallBytes;
  const digest = small ? byNoble(bytes) : byCrypto(bytes);
  inputs += 1;
  if (inputs % sampleEvery === 1 && bytes.length <= sampledBytes && (small ? byCrypto(bytes) : byNoble(bytes)) !== digest) {
    throw new InternalError('hash-disagreement', 'The two SHA-256 implementations disagree on the same bytes.');
  }
  return digest;
}

function byNoble(bytes: Uint8Array): string {
  return Buffer.from(nobleSha256(bytes)).toString('hex');
}

function byCrypto(bytes: Uint8Array): string {
  return crypto.hash('sha256', bytes, 'hex');
}

const known = new WeakMap<Uint8Array, string>();

/** The hash of a file's bytes, computed once for each buffer. Buffers of a bundle are never written to. */
export function fileSha256(bytes: Uint8Array): string {
  const before = known.get(bytes);
  if (before !== undefined) return before;
  const digest = sha256(bytes);
  known.set(bytes, digest);
  return digest;
}

/** The hash of a text's UTF-8 bytes. */
export function textSha256(text: string): string {
  return sha256(Buffer.from(text, 'utf8'));
}

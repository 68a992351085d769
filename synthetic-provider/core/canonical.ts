/**
 * Canonical JSON (RFC 8785) over the restricted values that may be hashed, and SHA-256.
 *
 * `canonicalize` quietly drops undefined members and takes any number; both would let two different values share one digest, so
 * values are checked first: strings, safe integers, booleans, null, arrays, plain objects. Lone surrogates are refused.
 */
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function canonical(value: Json): string {
  restricted(value);
  return canonicalize(value) as string;
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Text of bytes that are UTF-8 to the letter, or null. A byte order mark is content, not a hint. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** The same text where it is well formed; else with U+FFFD for each half of a pair, as any encoder would write it. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

function restricted(value: unknown): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    if (!isWellFormed(value)) throw new TypeError('A string with a lone surrogate has no canonical form.');
  } else if (typeof value === 'number') {
    // -0 would be written as 0, and two values would share one text.
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) throw new TypeError(`${value} is not a safe integer.`);
  } else if (Array.isArray(value)) {
    for (const item of value) restricted(item);
  } else if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    for (const [key, item] of Object.entries(value)) {
      restricted(key);
      restricted(item);
    }
  } else {
    throw new TypeError(`A ${typeof value} has no canonical form.`);
  }
}

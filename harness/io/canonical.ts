/**
 * Canonical JSON (RFC 8785) as the contract restricts it, and SHA-256: the harness's own copy of these lines.
 *
 * Numbers other than safe integers and lone surrogates are refused before a byte is written, because two programs could
 * print or hash them differently.
 */
import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';

export function canonical(value: unknown): string {
  refuseUnsafe(value);
  return canonicalize(value) ?? '';
}

export function canonicalLine(value: unknown): string {
  return `${canonical(value)}\n`;
}

/** Parses one canonical document; anything that does not serialise to the same bytes is refused. */
export function parseCanonical(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (canonical(value) !== text.replace(/\n$/, '')) throw new SyntaxError('The JSON is not in canonical form.');
  return value;
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function refuseUnsafe(value: unknown): void {
  // -0 would be written as 0: two values, one digest.
  if (typeof value === 'number' && (!Number.isSafeInteger(value) || Object.is(value, -0)))
    throw new TypeError(`The number ${value} is not a safe integer.`);
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) throw new TypeError('A string holds a lone surrogate.');
  if (['undefined', 'function', 'bigint', 'symbol'].includes(typeof value))
    throw new TypeError('A value without a JSON form cannot be recorded.');
  if (Array.isArray(value)) value.forEach(refuseUnsafe);
  else if (value !== null && typeof value === 'object') Object.entries(value).flat().forEach(refuseUnsafe);
}

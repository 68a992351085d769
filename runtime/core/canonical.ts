/**
 * Canonical JSON (RFC 8785) over the values that may be hashed: strings, safe integers, booleans, null, arrays and objects.
 *
 * Everything else is refused before anything is serialised. The library alone would print some of it (a function, a hole in an
 * array, a number beyond 2^53), and two programs could then hold one digest for two values.
 */
import canonicalize from 'canonicalize';
import { RuntimeError } from './errors.js';

export type Hashable = null | boolean | number | string | readonly Hashable[] | { readonly [name: string]: Hashable };

const loneSurrogate = /\p{Surrogate}/u;

/** The canonical text of a value, or `input-invalid` with the place of what cannot be hashed. */
export function canonical(value: unknown): string {
  assertHashable(value, '');
  return canonicalize(value) as string;
}

/** The canonical form of a string alone: the library agrees with JSON.stringify on well-formed text. */
export function canonicalString(text: string): string {
  return JSON.stringify(text);
}

function assertHashable(value: unknown, at: string): asserts value is Hashable {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') return assertWellFormed(value, at);
  if (typeof value === 'number') {
    // -0 would be written as 0: two values, one digest.
    if (!Number.isSafeInteger(value) || Object.is(value, -0))
      refuse(at, 'is a number, but not a safe integer; send it as a string');
    return;
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) assertHashable(value[index], `${at}/${index}`);
    return;
  }
  if (typeof value !== 'object' || !isPlain(value)) refuse(at, `is ${value === undefined ? 'undefined' : `a ${typeof value}`}`);
  for (const [name, member] of Object.entries(value)) {
    assertWellFormed(name, at);
    assertHashable(member, `${at}/${name}`);
  }
}

function assertWellFormed(text: string, at: string): void {
  if (loneSurrogate.test(text)) refuse(at, 'holds half of a surrogate pair, which has no bytes');
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refuse(at: string, why: string): never {
  throw new RuntimeError('input-invalid', `The value at ${at === '' ? 'the top' : at} ${why}.`);
}

/**
 * Canonical JSON (RFC 8785) over the values that may be hashed: strings, safe integers, booleans, null, arrays and objects.
 *
 * Everything else is refused before anything is serialised. The library alone would print some of it (a function, a hole in an
 * array, a number beyond 2^53), and two programs could then hold one digest for two values.
 */
// `isWellFormed` and `toWellFormed` are in Node since 20.
/// <reference lib="es2024.string" />
import canonicalize from 'canonicalize';
import { RuntimeError } from './errors.js';

/** Deeper is nothing that anybody writes; a value that holds itself has no end. */
const depthMax = 1000;

/** The canonical text of a value, or `input-invalid` with the place of what cannot be hashed. */
export function canonical(value: unknown): string {
  // RFC 8785 is made of the language's own serialisation and an order of names: where the names are in that order, the first is enough.
  // It takes a quarter of the library's time, so payloads are written down in canonical order where they are made.
  return demandHashable(value, []) ? JSON.stringify(value) : (canonicalize(value) as string);
}

/** Whether a text is the canonical form of the value that was parsed from it: of a repeated name, an odd number or a space only the text knows. */
export function isCanonical(value: unknown, text: string): boolean {
  try {
    return canonical(value) === text;
  } catch (error) {
    if (error instanceof RuntimeError) return false;
    throw error;
  }
}

/** The canonical form of a string alone: the library agrees with JSON.stringify on well-formed text. */
export function canonicalString(text: string): string {
  return JSON.stringify(text);
}

/** Refuses what cannot be hashed. Says whether all names are in canonical order already. */
function demandHashable(value: unknown, at: (string | number)[]): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'string') return demandWellFormed(value, at);
  if (typeof value === 'number') {
    // -0 would be written as 0: two values, one digest.
    if (!Number.isSafeInteger(value) || Object.is(value, -0))
      refuse(at, 'is a number, but not a safe integer; send it as a string');
    return true;
  }
  if (at.length >= depthMax) refuse(at.slice(0, 3), `holds itself, or something deeper than ${depthMax} levels`);
  if (Array.isArray(value)) return demandList(value, at);
  if (typeof value !== 'object' || !isPlain(value)) refuse(at, `is ${value === undefined ? 'undefined' : `a ${typeof value}`}`);
  return demandMembers(value as Record<string, unknown>, at);
}

function demandList(list: readonly unknown[], at: (string | number)[]): boolean {
  let ordered = true;
  // By number: a hole is no element, and would be passed over.
  for (let index = 0; index < list.length; index += 1) {
    at.push(index);
    ordered = demandHashable(list[index], at) && ordered;
    at.pop();
  }
  return ordered;
}

function demandMembers(object: Readonly<Record<string, unknown>>, at: (string | number)[]): boolean {
  let ordered = true;
  let before = '';
  for (const name of Object.keys(object)) {
    demandWellFormed(name, at);
    ordered = before <= name && ordered;
    before = name;
    at.push(name);
    ordered = demandHashable(object[name], at) && ordered;
    at.pop();
  }
  return ordered;
}

function demandWellFormed(text: string, at: readonly (string | number)[]): true {
  if (!text.isWellFormed()) refuse(at, 'holds half of a surrogate pair, which has no bytes');
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function refuse(at: readonly (string | number)[], why: string): never {
  throw new RuntimeError('input-invalid', `The value at ${at.length === 0 ? 'the top' : `/${at.join('/')}`} ${why}.`);
}

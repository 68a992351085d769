/**
 * The verifier's own canonical JSON: RFC 8785 over strings, safe integers, booleans, null, arrays and objects. Reading is strict:
 * text must serialise again to the same text, which refuses repeated names, odd numbers, spare white space and splices at once.
 * A lone surrogate is refused before anything is hashed: different ill-formed strings would share one digest.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { EvidenceError } from '../errors.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const deepest = 256;
/** No engine holds a text of twice as many characters, and no run writes one that is nearly as long. */
const mostTextBytes = 256 * 1024 * 1024;
const mostLines = 4_000_000;
/** A text as short as this cannot hold more than there is memory for. */
const surelySmall = 1024 * 1024;
const mostValues = 16 * 1024 * 1024;
/** Nothing in it needs an escape, and nothing in it can be half of a surrogate pair: most strings, so worth a short way. */
const plain = /^[ !#-[\]-~]*$/;
const loneSurrogate = /\p{Surrogate}/u;

export function canonical(value: unknown): string {
  return (typeof value === 'object' && value !== null ? plainlyCanonical(value as Json) : null) ?? written(value, 0);
}

function written(value: unknown, depth: number): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    // -0 would be written as 0: two values, one digest.
    if (!Number.isSafeInteger(value) || Object.is(value, -0))
      throw new EvidenceError('not-canonical', 'A number is not a safe integer.');
    return String(value);
  }
  if (typeof value !== 'object') throw new EvidenceError('not-canonical', `A ${typeof value} has no JSON form.`);
  if (depth >= deepest) throw new EvidenceError('not-canonical', `The value is nested deeper than ${deepest} levels.`);
  return Array.isArray(value) ? canonicalArray(value, depth + 1) : canonicalObject(value as Record<string, unknown>, depth + 1);
}

function canonicalArray(items: readonly unknown[], depth: number): string {
  let text = '[';
  for (let at = 0; at < items.length; at += 1) text += (at === 0 ? '' : ',') + written(items[at], depth);
  return `${text}]`;
}

function canonicalObject(members: Record<string, unknown>, depth: number): string {
  // The default order is by UTF-16 code units, which is the order that RFC 8785 asks for.
  const names = Object.keys(members).sort();
  let text = '{';
  for (const name of names) text += `${text.length === 1 ? '' : ','}${quoted(name)}:${written(members[name], depth)}`;
  return `${text}}`;
}

/** The canonical form of a string alone. */
export function quoted(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (loneSurrogate.test(text)) throw new EvidenceError('ill-formed-text', 'A string holds a lone surrogate.');
  return JSON.stringify(text);
}

/** Strict: nothing is replaced. A byte order mark stays in the text, so that JSON refuses it. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (bytes.length > mostTextBytes) throw new EvidenceError('too-large', `The text is larger than ${mostTextBytes} bytes.`);
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most evidence is ASCII, which needs no decoding.
  if (isAscii(view)) return view.toString('latin1');
  if (!isUtf8(view)) throw new EvidenceError('not-utf8', 'The bytes are not UTF-8.');
  return view.toString('utf8');
}

export function parseJson(text: string): Json {
  if (text.length > surelySmall) demandBounded(text);
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new EvidenceError('not-json', 'The text is not JSON.', { cause });
  }
}

/** A byte of text can become fifty of memory: values are counted before any is made. */
function demandBounded(text: string): void {
  let [depth, values] = [0, 1];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === quote) at = endOfString(text, at);
    else if (letter === comma) values += 1;
    else if (letter === openArray || letter === openObject) [depth, values] = [depth + 1, values + 1];
    else if (letter === closeArray || letter === closeObject) depth -= 1;
    if (depth > deepest) throw new EvidenceError('not-canonical', `The value is nested deeper than ${deepest} levels.`);
    if (values > mostValues) throw new EvidenceError('too-large', `The text holds more values than ${mostValues}.`);
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Where the string ends that begins here; the end of the text where it has no end. */
export function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

export function parseCanonical(text: string): Json {
  const value = parseJson(text);
  if (!isCanonical(value, text)) {
    throw new EvidenceError('not-canonical', 'The JSON is not in canonical form.');
  }
  return value;
}

/** Whether this is the canonical text of the value that it was parsed to. */
export function isCanonical(value: Json, text: string): boolean {
  return canonical(value) === text;
}

/**
 * The short way where the members already stand in order: the engine's own serialiser keeps the order that it finds, so with safe
 * integers and no escaped surrogate it writes what the long way would. Null: it must be the long way.
 */
function plainlyCanonical(value: Json): string | null {
  // Order comes first: it also bounds the depth, which the engine's serialiser does not.
  if (!isOrdered(value, 0)) return null;
  const text = JSON.stringify(value);
  return text.includes('\\ud') ? null : text;
}

function isOrdered(value: Json, depth: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || depth >= deepest) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (!isOrdered(value[at] as Json, depth + 1)) return false;
    return true;
  }
  let before = '';
  for (const name in value) {
    if (name < before || !isOrdered(value[name] as Json, depth + 1)) return false;
    before = name;
  }
  return true;
}

/** A file of one canonical document and one LF. */
export function parseCanonicalFile(bytes: Uint8Array): Json {
  const text = decodeUtf8(bytes);
  if (!text.endsWith('\n')) throw new EvidenceError('not-canonical', 'The file does not end with a line feed.');
  return parseCanonical(text.slice(0, -1));
}

/** A file of canonical lines, each ended by one LF; an empty file has none. */
export function parseCanonicalLines(bytes: Uint8Array): Json[] {
  const text = decodeUtf8(bytes);
  if (text === '') return [];
  if (!text.endsWith('\n')) throw new EvidenceError('not-canonical', 'The last line is not ended.');
  return linesOf(text.slice(0, -1)).map(parseCanonical);
}

/** The lines of a text, without its last line feed; as many as there is memory for. */
export function linesOf(text: string): string[] {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  if (count > mostLines) throw new EvidenceError('too-large', `The text has more lines than ${mostLines}.`);
  return text.split('\n');
}

/** Equality of parsed JSON, whatever the order of names; most that are equal have the same order too, which the engine sees fastest. */
export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right) || isSame(left, right);
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSame(item, right[index]));
  }
  const [mine, theirs] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const names = Object.keys(mine);
  return (
    names.length === Object.keys(theirs).length &&
    names.every((name) => Object.hasOwn(theirs, name) && isSame(mine[name], theirs[name]))
  );
}

/**
 * One line of a trace of the family `persistence` → a call with its arguments taken apart. Pure.
 *
 * strace quotes a text with C escapes, or whole as `\x..`; a descriptor carries the path that it was opened on in angle brackets. Whatever is
 * not of this form makes the trace unreadable, and a text that was cut makes it one that the model does not know.
 */
import { EvidenceError } from '../../errors.js';

type Argument =
  | { readonly is: 'text'; readonly bytes: Buffer }
  /** A descriptor, with what the tracer says that it is. */
  | ({ readonly is: 'descriptor'; readonly number: string } & ToldPath)
  /** A number, flags, or something in brackets. */
  | { readonly is: 'word'; readonly word: string };

/** What the tracer says that a descriptor leads to. */
export interface ToldPath {
  readonly path: string;
  /** The name is gone, or another file's. */
  readonly isGone: boolean;
}

export interface ToldCall {
  readonly pid: number;
  readonly name: string;
  readonly given: readonly Argument[];
  /** As it stands; null where the tracer tells an entry only. */
  readonly result: string | null;
  /** Of a result that is a descriptor; null of any other. */
  readonly leadsTo: ToldPath | null;
}

export interface ToldEnd {
  readonly pid: number;
  /** Null where it was killed. */
  readonly code: number | null;
}

const head = /^([1-9]\d*) (\w+)\(/;
const endLine = /^([1-9]\d*) \+\+\+ (?:killed by SIGKILL|exited with (\d{1,3})) \+\+\+$/;
const descriptor = /(-?\d+|AT_FDCWD)<((?:<state>)?[^>]*)>(\(deleted\))?(?=[,)])/y;
const bare = /[^,()"<>[\]{}]+/y;
const tail = /\) += (\?|-?\d+)(?:<((?:<state>)?[^>]*)>(\(deleted\))?)?$/y;
const simple: Readonly<Record<string, number>> = { n: 10, t: 9, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

export function malformed(detail: string): EvidenceError {
  return new EvidenceError('wrong-shape', detail);
}

export function unmodelled(detail: string): EvidenceError {
  return new EvidenceError('unmodelled', detail);
}

export function endIn(line: string): ToldEnd {
  const [, pid, code] = endLine.exec(line) ?? [];
  if (pid === undefined) throw malformed('The trace does not end with the end of its process.');
  return { pid: Number(pid), code: code === undefined ? null : Number(code) };
}

/** The name alone, before anything else of the line is believed. */
export function nameIn(line: string): string {
  const [, , name] = head.exec(line) ?? [];
  if (name === undefined) throw malformed('The trace has a line that is no call.');
  return name;
}

export function callIn(line: string): ToldCall {
  const [begin = '', pid = '', name = ''] = head.exec(line) ?? [];
  const given: Argument[] = [];
  let at = begin.length;
  for (let more = line[at] !== ')'; more;) {
    const [argument, end] = argumentAt(line, at);
    given.push(argument);
    more = line[end] !== ')';
    if (more && !line.startsWith(', ', end)) throw malformed('The trace has a call whose arguments cannot be told apart.');
    at = more ? end + 2 : end;
  }
  tail.lastIndex = at;
  const [, result, path, gone] = tail.exec(line) ?? [];
  if (begin === '' || result === undefined) throw malformed('The trace has a line that is no call with its result.');
  const leadsTo = path === undefined ? null : { path, isGone: gone !== undefined };
  return { pid: Number(pid), name, given, result: result === '?' ? null : result, leadsTo };
}

function argumentAt(line: string, at: number): [Argument, number] {
  if (line[at] === '"') return textAt(line, at);
  descriptor.lastIndex = at;
  const [told, number, path, gone] = descriptor.exec(line) ?? [];
  if (told !== undefined && number !== undefined && path !== undefined)
    return [{ is: 'descriptor', number, path, isGone: gone !== undefined }, at + told.length];
  bare.lastIndex = at;
  const [word] = bare.exec(line) ?? [];
  if (word === undefined) throw malformed('The trace has an argument that cannot be read.');
  return [{ is: 'word', word }, at + word.length];
}

function textAt(line: string, at: number): [Argument, number] {
  let end = at + 1;
  while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1;
  if (end >= line.length) throw malformed('The trace has a text without an end.');
  if (line.startsWith('...', end + 1)) throw unmodelled('The trace has a text that was cut.');
  return [{ is: 'text', bytes: unescaped(line.slice(at + 1, end)) }, end + 1];
}

function unescaped(text: string): Buffer {
  if (!text.includes('\\')) return Buffer.from(text, 'utf8');
  const source = Buffer.from(text, 'utf8');
  const bytes = Buffer.alloc(source.length);
  let size = 0;
  for (let at = 0; at < source.length;) {
    const byte = source[at] ?? 0;
    if (byte !== 92) {
      bytes[size] = byte;
      at += 1;
    } else {
      const [meant, length] = escapeAt(source, at + 1);
      bytes[size] = meant;
      at += 1 + length;
    }
    size += 1;
  }
  // Four letters may have told one byte.
  return Buffer.from(bytes.subarray(0, size));
}

/** What stands behind a backslash, and how long it is. */
function escapeAt(source: Buffer, at: number): [byte: number, length: number] {
  const letter = String.fromCharCode(source[at] ?? 0);
  if (letter === 'x') {
    const [high, low] = [digit(source[at + 1], 16), digit(source[at + 2], 16)];
    if (high === null || low === null) throw malformed('The trace has an escape that is none.');
    return [high * 16 + low, 3];
  }
  const known = simple[letter];
  if (known !== undefined) return [known, 1];
  let [value, length] = [0, 0];
  for (let next = digit(source[at], 8); next !== null && length < 3; next = digit(source[at + length], 8)) {
    value = value * 8 + next;
    length += 1;
  }
  if (length === 0 || value > 255) throw malformed('The trace has an escape that is none.');
  return [value, length];
}

function digit(byte: number | undefined, base: 8 | 16): number | null {
  if (byte === undefined) return null;
  if (byte >= 48 && byte < 48 + Math.min(base, 10)) return byte - 48;
  if (base === 8) return null;
  if (byte >= 97 && byte <= 102) return byte - 87;
  return byte >= 65 && byte <= 70 ? byte - 55 : null;
}

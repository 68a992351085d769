/**
 * The words of a tracer (strace), read exactly: a call with its arguments, a quoted text as bytes. Pure.
 *
 * Bytes of files stand beside paths in one line, and may say anything: nothing is searched for in a line as a whole.
 */
export interface ToldCall {
  readonly pid: number;
  readonly name: string;
  /** As they are told, quotes and all. */
  readonly args: readonly string[];
  /** `?` where the call never returned. */
  readonly result: string;
}

export interface ToldDescriptor {
  /** A number, or AT_FDCWD. */
  readonly number: string;
  readonly path: string;
}

const [quote, backslash] = ['"', '\\'];

/** Null for what is no call: the end of a process, a signal. */
export function readCall(line: string): ToldCall | null {
  const head = /^(\d+) +(\w+)\(/.exec(line);
  if (head === null) return null;
  const { args, end } = argumentsFrom(line, head[0].length);
  const result = /^\) *= (.+)$/s.exec(line.slice(end))?.[1] ?? '?';
  return { pid: Number(head[1]), name: head[2] ?? '', args, result: result.trimEnd() };
}

/** The descriptor that an argument or a result names with its path. */
export function descriptorIn(told: string): ToldDescriptor | null {
  const [, number, path] = /^(\d+|AT_FDCWD)<(.*)>(?:\(deleted\))?$/s.exec(told) ?? [];
  return number === undefined || path === undefined ? null : { number, path };
}

/** The bytes of a quoted text; null where it is none, or was cut. */
export function bytesIn(told: string): Buffer | null {
  if (!isQuoted(told)) return null;
  const text = told.slice(1, -1);
  if (!text.includes(backslash)) return Buffer.from(text, 'latin1');
  if (text.startsWith('\\x')) {
    const bytes = Buffer.from(text.replaceAll('\\x', ''), 'hex');
    if (bytes.length * 4 === text.length) return bytes;
  }
  return Buffer.from(text.replaceAll(escapes, unescaped), 'latin1');
}

/** How many bytes a quoted text has; null as above. */
export function lengthIn(told: string): number | null {
  if (!isQuoted(told)) return null;
  const text = told.slice(1, -1);
  if (!text.includes(backslash)) return text.length;
  if (onlyHex.test(text)) return text.length / 4;
  return bytesIn(told)?.length ?? null;
}

/** A text as strace quotes it. */
export function quoted(bytes: Buffer): string {
  const isPlain = bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d));
  if (!isPlain) return `"${bytes.toString('hex').replaceAll(/../g, '\\x$&')}"`;
  return `"${bytes.toString('latin1').replaceAll(/["\\\t\n\v\f\r]/g, (one) => `\\${letters[one] ?? one}`)}"`;
}

const onlyHex = /^(?:\\x[0-9a-f]{2})*$/;
const escapes = /\\(?:x([0-9a-f]{2})|([0-7]{1,3})|(.))/gs;
const letters: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' };
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

function unescaped(_all: string, hex: string | undefined, octal: string | undefined, letter: string | undefined): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  return controls[letter ?? ''] ?? letter ?? '';
}

function isQuoted(told: string): boolean {
  return told.length >= 2 && told.startsWith(quote) && told.endsWith(quote);
}

/** The arguments, and the place of the bracket that ends them (the end of the line where nothing does). */
function argumentsFrom(line: string, from: number): { args: string[]; end: number } {
  const args: string[] = [];
  let depth = 0;
  let start = from;
  let at = from;
  const take = (): void => {
    const one = line.slice(start, at).trim();
    if (one !== '' || args.length > 0) args.push(one);
  };
  for (; at < line.length; at++) {
    const one = line[at];
    if (one === quote) at = endOfText(line, at);
    else if (one === '<') at = endOfPath(line, at);
    else if (one === '(' || one === '[' || one === '{') depth += 1;
    else if (one === ')' && depth === 0) break;
    else if (one === ')' || one === ']' || one === '}') depth -= 1;
    else if (one === ',' && depth === 0) {
      take();
      start = at + 1;
    }
  }
  take();
  return { args, end: at };
}

function endOfText(line: string, from: number): number {
  for (let at = line.indexOf(quote, from + 1); at !== -1; at = line.indexOf(quote, at + 1)) {
    let before = at;
    while (line[before - 1] === backslash) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return line.length;
}

/** A path of a descriptor ends where an argument may end. */
function endOfPath(line: string, from: number): number {
  for (let at = line.indexOf('>', from + 1); at !== -1; at = line.indexOf('>', at + 1))
    if (/^(?:$|[,)\]} ]|\(deleted\))/.test(line.slice(at + 1, at + 11))) return at;
  return line.length;
}

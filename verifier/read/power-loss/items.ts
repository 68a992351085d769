/**
 * `trace.txt` of an arm under power loss → its items: what each changed, made durable, sent or answered. Pure.
 *
 * Fault model: any text. What is not of the contract's form is `wrong-shape`, what the model does not know `unmodelled`; nothing is guessed.
 */
import { syscalls } from '../../contract/data.js';
import { decodeUtf8, linesOf } from '../canonical.js';
import { callIn, endIn, malformed, nameIn, unmodelled, type ToldCall, type ToldEnd } from './line.js';
import { Files, isVolatile } from './files.js';
import type { Piece, Sync } from './pieces.js';

export interface Asked {
  readonly method: string;
  /** Below the provider's prefix. */
  readonly path: string;
  /** Null where the request has none. */
  readonly key: string | null;
}

export interface Item {
  readonly name: string;
  readonly pieces: readonly Piece[];
  readonly sync: Sync | null;
  /** Of a request that leaves. */
  readonly asks: Asked | null;
  readonly answers: boolean;
}

export interface LossTrace {
  readonly items: readonly Item[];
  readonly end: ToldEnd;
}

type Unnumbered = { [P in Piece as P['is']]: Omit<P, 'id' | 'item'> }[Piece['is']];
type Made = Partial<Omit<Item, 'name' | 'pieces'>> & { readonly pieces?: readonly Unnumbered[] };
type Meaning = (call: ToldCall, files: Files) => Made;

const newLine = 0x0a;
const mostItems = 1_000_000;
/** A text of 1 MiB, each byte of it told in four characters, and what stands around it. */
const longestLine = 4 * 1_048_576 + 65_536;

/** `beginning`: the files of the state that the arm began with, by name, with their sizes; numbered in this order. */
export function readItems(bytes: Uint8Array, beginning: ReadonlyMap<string, number>): LossTrace {
  demandShortLines(bytes);
  const text = decodeUtf8(bytes);
  if (!text.endsWith('\n')) throw malformed('The trace does not end with a whole line.');
  const lines = linesOf(text.slice(0, -1));
  const end = endIn(lines.pop() ?? '');
  if (lines.length > mostItems) throw unmodelled(`A trace of more than ${mostItems} items is not derived.`);
  const files = new Files(beginning);
  let pieces = 0;
  const items = lines.map((line, index): Item => {
    files.tell(line.length);
    const call = knownCall(line, end.pid);
    const { pieces: made = [], sync = null, asks = null, answers = false } = meaningOf(call.name)(call, files);
    const numbered = made.map((piece): Piece => ({ ...piece, id: pieces++, item: index + 1 }));
    return { name: call.name, pieces: numbered, sync, asks, answers };
  });
  return { items, end };
}

/** Before anything is made of the bytes. */
function demandShortLines(bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(newLine, from);
    const next = end < 0 ? bytes.length : end;
    if (next - from > longestLine) throw malformed(`The trace has a line of more than ${longestLine} characters.`);
    from = next + 1;
  }
}

function knownCall(line: string, pid: number): ToldCall {
  const name = nameIn(line);
  if (!isOwn(name) && !(syscalls.persistence as readonly string[]).includes(name))
    throw malformed('The trace has a line that is no call of its family.');
  if (!Object.hasOwn(meanings, name)) throw unmodelled(`The model knows no ${name}.`);
  const call = callIn(line);
  if (call.pid !== pid) throw unmodelled('The trace has a call of another thread.');
  if (isOwn(name) ? call.result !== null : call.result === null || Number(call.result) < 0)
    throw malformed('The trace has a call that did not succeed.');
  return call;
}

function isOwn(name: string): boolean {
  return name === 'request' || name === 'answer';
}

function meaningOf(name: string): Meaning {
  const meaning = meanings[name];
  if (meaning === undefined) throw unmodelled(`The model knows no ${name}.`);
  return meaning;
}

const meanings: Readonly<Record<string, Meaning>> = {
  request: (call) => ({ asks: { method: textOf(call, 0), path: textOf(call, 1), key: textOf(call, 2) || null } }),
  answer: () => ({ answers: true }),
  open: (call, files) => open(call, files, durable(files.nameIn(call, 0)), wordOf(call, 1)),
  openat: (call, files) => open(call, files, durable(files.nameIn(call, 1, 0)), wordOf(call, 2)),
  creat: (call, files) => open(call, files, durable(files.nameIn(call, 0)), 'O_WRONLY|O_CREAT|O_TRUNC'),
  dup: duplicate,
  dup2: duplicate,
  dup3: duplicate,
  fcntl(call, files) {
    if (!/^F_DUPFD(?:_CLOEXEC)?$/.test(wordOf(call, 1))) throw unmodelled('The model knows fcntl as a duplicate only.');
    return duplicate(call, files);
  },
  lseek(call, files) {
    files.at(call, 0).place = resultOf(call);
    return {};
  },
  write(call, files) {
    const { open: to, inode } = files.fileAt(call, 0);
    if (to.reads && !to.appends)
      throw unmodelled('The model knows no write through a descriptor that may have moved by reading.');
    const at = to.appends ? files.file(inode).size : to.place;
    to.place = at + resultOf(call);
    return { pieces: written(call, files, inode, at) };
  },
  pwrite64(call, files) {
    const { open: to, inode } = files.fileAt(call, 0);
    // Linux appends wherever the call says.
    return { pieces: written(call, files, inode, to.appends ? files.file(inode).size : numberOf(call, 3)) };
  },
  ftruncate: (call, files) => ({ pieces: [sized(files, files.fileAt(call, 0).inode, numberOf(call, 1))] }),
  truncate: (call, files) => ({ pieces: [sized(files, files.need(durable(files.nameIn(call, 0))).inode, numberOf(call, 1))] }),
  fsync: (call, files) => ({ sync: syncOf(call, files) }),
  fdatasync: (call, files) => ({ sync: syncOf(call, files) }),
  syncfs(call, files) {
    files.at(call, 0);
    return { sync: 'everything' };
  },
  sync: () => ({ sync: 'everything' }),
  rename: (call, files) => renamed(files, files.nameIn(call, 0), files.nameIn(call, 1)),
  renameat: (call, files) => renamed(files, files.nameIn(call, 1, 0), files.nameIn(call, 3, 2)),
  renameat2(call, files) {
    demandNoFlags(call, 4);
    return renamed(files, files.nameIn(call, 1, 0), files.nameIn(call, 3, 2));
  },
  unlink: (call, files) => unlinked(files, durable(files.nameIn(call, 0))),
  unlinkat(call, files) {
    demandNoFlags(call, 2);
    return unlinked(files, durable(files.nameIn(call, 1, 0)));
  },
  link: (call, files) => linked(files, files.nameIn(call, 0), files.nameIn(call, 1)),
  linkat(call, files) {
    demandNoFlags(call, 4);
    return linked(files, files.nameIn(call, 1, 0), files.nameIn(call, 3, 2));
  },
};

function open(call: ToldCall, files: Files, name: string, flags: string): Made {
  const has = (flag: string): boolean => flags.split('|').includes(flag);
  if (has('O_TMPFILE')) throw unmodelled('The model knows no file without a name.');
  const reads = !has('O_WRONLY');
  const opened = { reads, appends: has('O_APPEND'), place: 0 };
  if (name === '') {
    files.open(call, { ...opened, entry: null });
    return {};
  }
  const before = files.find(name);
  if (before !== undefined && has('O_CREAT') && has('O_EXCL')) throw malformed(`The trace makes ${name}, which is there.`);
  const entry = before ?? (has('O_CREAT') ? files.create(name) : files.need(name));
  files.open(call, { ...opened, entry });
  const { inode } = entry;
  if (before === undefined) return { pieces: [{ is: 'entry', of: inode, sets: [[name, inode]], words: `the new name ${name}` }] };
  return has('O_TRUNC') && files.file(inode).size > 0 ? { pieces: [sized(files, inode, 0)] } : {};
}

function duplicate(call: ToldCall, files: Files): Made {
  files.open(call, files.at(call, 0));
  return {};
}

/** Beyond the end the file is made longer first. */
function written(call: ToldCall, files: Files, inode: number, at: number): Unnumbered[] {
  const text = call.given[1];
  const size = resultOf(call);
  // One that wrote less than it was asked to is told with all that it was asked to write.
  if (text?.is !== 'text' || text.bytes.length !== numberOf(call, 2) || text.bytes.length < size)
    throw malformed(`The trace has a ${call.name} without its bytes.`);
  if (size === 0) return [];
  const longer = at + size > files.file(inode).size ? [sized(files, inode, at + size)] : [];
  const words = `${size} bytes at ${at} of ${files.file(inode).name}`;
  return [...longer, { is: 'data', of: inode, at, bytes: text.bytes.subarray(0, size), words }];
}

function sized(files: Files, inode: number, size: number): Unnumbered {
  files.resize(inode, size);
  return { is: 'size', of: inode, size, words: `the size ${size} of ${files.file(inode).name}` };
}

function syncOf(call: ToldCall, files: Files): Sync {
  const { entry } = files.at(call, 0);
  return entry === null ? 'folder' : { of: entry.inode };
}

function renamed(files: Files, from: string, to: string): Made {
  if (isVolatile(from) !== isVolatile(to)) throw unmodelled('The model knows no change of name between durable and volatile.');
  const entry = files.need(durable(from));
  const of = entry.inode;
  // Two names of one file: the system leaves both as they are.
  if (files.find(durable(to))?.inode === of) return {};
  files.rename(entry, to);
  return { pieces: [{ is: 'entry', of, sets: [[from, null] as const, [to, of] as const], words: `the name ${to} of ${from}` }] };
}

function unlinked(files: Files, name: string): Made {
  const entry = files.need(name);
  files.unlink(entry);
  return { pieces: [{ is: 'entry', of: entry.inode, sets: [[name, null]], words: `the end of the name ${name}` }] };
}

function linked(files: Files, from: string, to: string): Made {
  if (isVolatile(from) !== isVolatile(to)) throw unmodelled('The model knows no change of name between durable and volatile.');
  const of = files.need(durable(from)).inode;
  if (files.find(durable(to)) !== undefined) throw malformed(`The trace has a link to ${to}, which is there.`);
  files.link(to, of);
  return { pieces: [{ is: 'entry', of, sets: [[to, of]], words: `the name ${to} of ${from}` }] };
}

function durable(name: string): string {
  if (isVolatile(name)) throw malformed('The trace has a call on a volatile file.');
  return name;
}

function demandNoFlags(call: ToldCall, index: number): void {
  if (wordOf(call, index) !== '0') throw unmodelled(`The model knows no ${call.name} with flags.`);
}

function textOf(call: ToldCall, index: number): string {
  const argument = call.given[index];
  if (argument?.is !== 'text') throw malformed(`The trace has a ${call.name} without a text that it needs.`);
  return decodeUtf8(argument.bytes);
}

function wordOf(call: ToldCall, index: number): string {
  const argument = call.given[index];
  if (argument?.is !== 'word') throw malformed(`The trace has a ${call.name} without something that it needs.`);
  return argument.word;
}

function numberOf(call: ToldCall, index: number): number {
  return natural(wordOf(call, index), call.name);
}

function resultOf(call: ToldCall): number {
  return natural(call.result ?? '', call.name);
}

function natural(word: string, name: string): number {
  const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw malformed(`The trace has a ${name} with a number that is none.`);
  return value;
}

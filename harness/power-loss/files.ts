/**
 * The files of a state folder as the traced process saw them: descriptors, names, sizes. It turns each item of the trace into its pieces. Pure.
 *
 * A file is an inode: it is what the descriptor was opened on, whatever its names. Nothing is guessed: a call that this account does not
 * know, or that contradicts it, is no trace that states can be derived from.
 */
import { stateMark } from './kept-trace.js';
import type { AnyPiece, Effect, Inode, Sync } from './pieces.js';
import { bytesIn, descriptorIn, lengthIn, type ToldCall } from './strace-text.js';
import { Unmodelled } from './unmodelled.js';

/** A name as it was opened: it moves when it is renamed, and is lost to its file when it is taken away or goes to another one. */
interface Label {
  name: string;
  lost: boolean;
}

/** What dup shares and open does not. */
interface Opened {
  readonly inode: Inode | 'folder';
  /** Null for the folder. */
  readonly label: Label | null;
  readonly reads: boolean;
  readonly appends: boolean;
  place: number;
}

type Asked = readonly [told: string, count: string];

interface OpenFile {
  readonly opened: Opened;
  readonly inode: Inode;
  /** As the tracer names it. */
  readonly name: string;
}

/** By the contract: no state of a subject comes near, and beyond it a derivation would only fill the memory. */
const largestFile = 2 ** 28;
/** By the contract too: zeros that a file may hold beyond all that was told. */
const mostZeros = 2 ** 20;

export interface Files {
  /** The next line has so many characters: with them grows what a file may hold. */
  tell(length: number): void;
  /** The call is the item of this number. */
  take(call: ToldCall, item: number): Effect;
}

export interface FilesRequest {
  /** The files at the beginning: their names and sizes, numbered from 0 in this order. */
  readonly begun: Iterable<readonly [name: string, size: number]>;
  readonly volatile: readonly string[];
  /** Without them only counts can be made, in a fraction of the time. */
  readonly withBytes: boolean;
}

const nothing: Effect = { pieces: [], sync: null, request: null };
const none = Buffer.alloc(0);

export function createFiles({ begun, volatile, withBytes }: FilesRequest): Files {
  const names = new Map<string, Inode>();
  const sizes: number[] = [];
  const opened = new Map<string, Opened>();
  const labels = new Map<string, Label>();
  let told = 0;
  const tell = (length: number): void => {
    told += length;
  };
  for (const [name, size] of begun) {
    names.set(name, sizes.push(size) - 1);
    tell(size);
  }
  const labelOf = (name: string): Label => {
    const label = labels.get(name) ?? { name, lost: false };
    labels.set(name, label);
    return label;
  };
  /** Null takes the name away; else it goes on under another one, in the place of what that one led to. */
  const relabel = (from: string, to: string | null): void => {
    const label = labelOf(from);
    labels.delete(from);
    if (to === null) label.lost = true;
    else {
      labelOf(to).lost = true;
      label.name = to;
      labels.set(to, label);
    }
  };
  const sizeOf = (inode: Inode): number => sizes[inode] ?? 0;

  const changes = (pieces: AnyPiece[]): Effect => ({ ...nothing, pieces });
  const syncs = (sync: Sync): Effect => ({ ...nothing, sync });
  const resize = (inode: Inode, size: number, item: number, name: string): AnyPiece => {
    const most = Math.min(largestFile, told + mostZeros);
    if (size > most) throw new Unmodelled(`Item ${item} makes ${name} larger than ${most} bytes, which is all that was told.`);
    sizes[inode] = size;
    return { kind: 'size', item, inode, name, size };
  };
  /** `[told, asked]`: the bytes that the call was to write, and how many; a short write put fewer of them. */
  const put = (inode: Inode, at: number, [told, asked]: Asked, length: number, item: number, name: string): AnyPiece[] => {
    if (length === 0) return [];
    const bytes = withBytes ? bytesIn(told) : none;
    const has = bytes === none ? lengthIn(told) : bytes?.length;
    if (bytes === null || has !== numberIn(asked, item) || has < length)
      throw new Unmodelled(`Of item ${item} the tracer did not tell all the bytes.`);
    const longer = at + length > sizeOf(inode) ? [resize(inode, at + length, item, name)] : [];
    return [...longer, { kind: 'data', item, inode, name, at, length, bytes: bytes.subarray(0, length) }];
  };

  /** What a descriptor is told to lead to is what was opened, by the name that this has now. */
  const demandPath = (told: string, { label }: Opened, item: number): void => {
    const path = label === null ? stateMark : `${stateMark}/${label.name}`;
    if (descriptorIn(told)?.path !== path || told.endsWith('(deleted)') !== (label?.lost ?? false))
      throw new Unmodelled(`Item ${item} has a descriptor that leads elsewhere than to what was opened.`);
  };
  const keep = (result: string, one: Opened, item: number): void => {
    demandPath(result, one, item);
    opened.set(descriptorIn(result)?.number ?? '', one);
  };

  const open = ({ result }: ToldCall, item: number, path: string, flags: string): Effect => {
    const has = (flag: string): boolean => flags.split('|').includes(flag);
    if (descriptorIn(result) === null || has('O_TMPFILE')) throw new Unmodelled(`Item ${item} opens a file without a name.`);
    const appends = has('O_APPEND');
    const reads = !has('O_WRONLY');
    if (path === stateMark) {
      keep(result, { inode: 'folder', label: null, reads, appends, place: 0 }, item);
      return nothing;
    }
    const name = nameIn(path, item, volatile);
    const known = names.get(name);
    if ((known === undefined && !has('O_CREAT')) || (known !== undefined && has('O_CREAT') && has('O_EXCL')))
      throw new Unmodelled(`Item ${item} opens ${name}, which is ${known === undefined ? 'not there' : 'there already'}.`);
    const inode = known ?? sizes.push(0) - 1;
    keep(result, { inode, label: labelOf(name), reads, appends, place: 0 }, item);
    names.set(name, inode);
    if (known === undefined) return changes([{ kind: 'entry', item, inode, name, names: [[name, inode]] }]);
    return has('O_TRUNC') && sizeOf(inode) > 0 ? changes([resize(inode, 0, item, name)]) : nothing;
  };

  const held = (told: string, item: number): Opened => {
    const one = opened.get(descriptorIn(told)?.number ?? '');
    if (one === undefined) throw new Unmodelled(`Item ${item} uses a descriptor that no item opened.`);
    demandPath(told, one, item);
    return one;
  };
  const file = (told: string, item: number): OpenFile => {
    const one = held(told, item);
    if (one.inode === 'folder') throw new Unmodelled(`Item ${item} treats the state folder as a file.`);
    return { opened: one, inode: one.inode, name: (descriptorIn(told)?.path ?? '').slice(stateMark.length + 1) };
  };
  const named = (path: string, item: number): { name: string; inode: Inode } => {
    const name = nameIn(path, item, volatile);
    const inode = names.get(name);
    if (inode === undefined) throw new Unmodelled(`Item ${item} names ${name}, which is not there.`);
    return { name, inode };
  };
  const entry = (item: number, { name, inode }: { name: string; inode: Inode }, all: [string, Inode | null][]): Effect => {
    for (const [one, to] of all) {
      if (to === null) names.delete(one);
      else names.set(one, to);
    }
    return changes([{ kind: 'entry', item, inode, name, names: all }]);
  };

  const rename = (from: string, to: string, item: number): Effect => {
    const one = named(from, item);
    const target = nameIn(to, item, volatile);
    // Two names of one file: the system leaves both as they are.
    if (names.get(target) === one.inode) return nothing;
    relabel(one.name, target);
    return entry(item, one, [
      [one.name, null],
      [target, one.inode],
    ]);
  };
  const link = (from: string, to: string, item: number): Effect => {
    const one = named(from, item);
    const target = nameIn(to, item, volatile);
    if (names.has(target)) throw new Unmodelled(`Item ${item} links ${target}, which is there already.`);
    return entry(item, one, [[target, one.inode]]);
  };
  const unlink = (path: string, item: number): Effect => {
    const one = named(path, item);
    relabel(one.name, null);
    return entry(item, one, [[one.name, null]]);
  };
  const duplicate = ({ args, result }: ToldCall, item: number): Effect => {
    keep(result, held(args[0] ?? '', item), item);
    return nothing;
  };
  const write = ({ opened: one, inode, name }: OpenFile, asked: Asked, result: string, item: number): Effect => {
    if (one.reads && !one.appends) throw new Unmodelled(`Item ${item} writes at a place that a read may have moved, on ${name}.`);
    const at = one.appends ? sizeOf(inode) : one.place;
    const length = numberIn(result, item);
    one.place = at + length;
    return changes(put(inode, at, asked, length, item, name));
  };

  const take = (call: ToldCall, item: number): Effect => {
    const { name, args, result } = call;
    const [first = '', second = '', third = '', fourth = '', flags = '0'] = args;
    if (result === '?') throw new Unmodelled(`Item ${item}, ${name}, never returned.`);
    switch (name) {
      case 'open':
        return open(call, item, pathIn(first), second);
      case 'openat':
        return open(call, item, pathIn(second, first), third);
      case 'creat':
        return open(call, item, pathIn(first), 'O_CREAT|O_WRONLY|O_TRUNC');
      case 'dup':
      case 'dup2':
      case 'dup3':
        return duplicate(call, item);
      case 'fcntl':
        if (!second.startsWith('F_DUPFD')) break;
        return duplicate(call, item);
      case 'lseek': {
        const one = held(first, item);
        one.place = numberIn(result, item);
        return nothing;
      }
      case 'write':
        return write(file(first, item), [second, third], result, item);
      case 'pwrite64': {
        const one = file(first, item);
        // Linux appends here too, whatever place is given.
        const at = one.opened.appends ? sizeOf(one.inode) : numberIn(fourth, item);
        return changes(put(one.inode, at, [second, third], numberIn(result, item), item, one.name));
      }
      case 'ftruncate': {
        const one = file(first, item);
        return changes([resize(one.inode, numberIn(second, item), item, one.name)]);
      }
      case 'truncate': {
        const one = named(pathIn(first), item);
        return changes([resize(one.inode, numberIn(second, item), item, one.name)]);
      }
      case 'fsync':
      case 'fdatasync':
        return syncs(held(first, item).inode);
      case 'syncfs':
      case 'sync':
        return syncs('everything');
      case 'rename':
        return rename(pathIn(first), pathIn(second), item);
      case 'renameat':
        return rename(pathIn(second, first), pathIn(fourth, third), item);
      case 'renameat2':
        if (flags !== '0') break;
        return rename(pathIn(second, first), pathIn(fourth, third), item);
      case 'unlink':
        return unlink(pathIn(first), item);
      case 'unlinkat':
        if (third !== '0') break;
        return unlink(pathIn(second, first), item);
      case 'link':
        return link(pathIn(first), pathIn(second), item);
      case 'linkat':
        return link(pathIn(second, first), pathIn(fourth, third), item);
    }
    throw new Unmodelled(`Item ${item} is a call that the model does not know: ${name}.`);
  };
  return { tell, take };
}

/** A path may be relative to the folder that a descriptor was opened on. */
function pathIn(told: string, folder?: string): string {
  const path = bytesIn(told)?.toString('latin1') ?? '';
  const isBelow = folder !== undefined && descriptorIn(folder)?.path === stateMark && !/^(?:<|\/)/.test(path);
  return isBelow ? `${stateMark}/${path}` : path;
}

/** A durable file directly in the folder, under a name that a bundle can carry. */
function nameIn(path: string, item: number, volatile: readonly string[]): string {
  const name = path.startsWith(`${stateMark}/`) ? path.slice(stateMark.length + 1) : null;
  if (name === null || name === '') throw new Unmodelled(`Item ${item} names the state folder itself, or a place outside of it.`);
  if (name.includes('/')) throw new Unmodelled(`Item ${item} is about a folder below the state folder.`);
  if (!/^[A-Za-z0-9._-]+$/.test(name)) throw new Unmodelled(`Item ${item} uses a name that no bundle can carry.`);
  if (volatile.includes(name)) throw new Unmodelled(`Item ${item} changes a name between durable and volatile.`);
  return name;
}

function numberIn(told: string, item: number): number {
  const number = Number(/^\d+/.exec(told)?.[0] ?? Number.NaN);
  if (!Number.isSafeInteger(number)) throw new Unmodelled(`Item ${item} has no number where one belongs.`);
  return number;
}

/**
 * Which file a call of the trace is about: descriptors, the places that they have come to, and names of the folder as they stand with
 * everything kept. Pure.
 *
 * Fault model: any trace. A call that contradicts what came before it makes the trace unreadable.
 */
import { malformed, unmodelled, type ToldCall, type ToldPath } from './line.js';
import type { Inode } from './pieces.js';

/** What a descriptor was opened on; duplicates share it. */
export interface Open {
  /** Null for the folder. */
  readonly entry: Entry | null;
  readonly reads: boolean;
  readonly appends: boolean;
  place: number;
}

/** One name of a file. It moves when it is renamed, and a descriptor goes on to be told by the one under which it was opened. */
interface Entry {
  readonly inode: Inode;
  name: string;
  isGone: boolean;
}

interface LiveFile {
  /** With everything kept. */
  size: number;
  /** The last name under which a call met it. */
  name: string;
}

/** Never copied, and in no state. */
const volatileNames = /^(?:lease\.sqlite.*|.*-shm|wal-feature-floor\.lock)$/;
const root = '<state>';
const mostBytes = 256 * 1024 * 1024;
/** What a file may hold that neither the beginning nor the trace told: zeros up to a place. */
const mostZeros = 1024 * 1024;

export function isVolatile(name: string): boolean {
  return volatileNames.test(name);
}

export class Files {
  private readonly names = new Map<string, Entry>();
  private readonly files: LiveFile[] = [];
  private readonly opened = new Map<string, Open>();
  /** How much the beginning and the trace so far come to. */
  private told = 0;

  /** Empty, or the files at the beginning: numbered in their order. */
  constructor(beginning: ReadonlyMap<string, number>) {
    for (const [name, size] of beginning) this.create(name, size);
    for (const size of beginning.values()) this.tell(size);
  }

  /** So much more was told. */
  tell(length: number): void {
    this.told += length;
  }

  create(name: string, size = 0): Entry {
    return this.name(name, this.files.push({ size, name }) - 1);
  }

  find(name: string): Entry | undefined {
    return this.names.get(name);
  }

  /** A call that succeeded met the file. */
  need(name: string): Entry {
    const entry = this.names.get(name);
    if (entry === undefined) throw malformed(`The trace has a call on ${name}, which is not there.`);
    return entry;
  }

  /** Another name of a file. */
  link(name: string, inode: Inode): void {
    this.file(this.name(name, inode).inode).name = name;
  }

  unlink(entry: Entry): void {
    this.names.delete(entry.name);
    entry.isGone = true;
  }

  /** What the name led to before has one name less. */
  rename(entry: Entry, to: string): void {
    const before = this.names.get(to);
    if (before !== undefined) before.isGone = true;
    this.names.delete(entry.name);
    entry.name = to;
    this.names.set(to, entry);
    this.file(entry.inode).name = to;
  }

  file(inode: Inode): LiveFile {
    const file = this.files[inode];
    if (file === undefined) throw malformed('The trace has a call on a file that never was.');
    return file;
  }

  /** Refuses what nobody would hold in memory, and what was never told: a trace of a few lines makes no large states. */
  resize(inode: Inode, size: number): void {
    if (size > Math.min(mostBytes, this.told + mostZeros))
      throw unmodelled(`A file of ${size} bytes is not derived: it is larger than what was told, or than ${mostBytes} bytes.`);
    this.file(inode).size = size;
  }

  /** The call came back with the descriptor. */
  open(call: ToldCall, open: Open): void {
    demandPath(call, call.leadsTo, open);
    this.opened.set(call.result ?? '', open);
  }

  at(call: ToldCall, index: number): Open {
    const argument = call.given[index];
    const open = argument?.is === 'descriptor' ? this.opened.get(argument.number) : undefined;
    if (argument?.is !== 'descriptor' || open === undefined)
      throw malformed(`The trace has a ${call.name} through a descriptor that nothing opened.`);
    demandPath(call, argument, open);
    return open;
  }

  fileAt(call: ToldCall, index: number): { readonly open: Open; readonly inode: Inode } {
    const open = this.at(call, index);
    if (open.entry === null) throw unmodelled(`The model knows no ${call.name} of the folder.`);
    return { open, inode: open.entry.inode };
  }

  /** The name of a file of the folder; empty for the folder itself. Relative to a descriptor where the call names one before it. */
  nameIn(call: ToldCall, index: number, relativeTo: number | null = null): string {
    const argument = call.given[index];
    if (argument?.is !== 'text') throw malformed(`The trace has a ${call.name} without its path.`);
    const path = argument.bytes.toString('utf8');
    const from = path.startsWith(root) ? path.slice(root.length) : this.below(call, relativeTo, path);
    const parts = from.split('/').filter((part) => part !== '' && part !== '.');
    if (from !== '' && !from.startsWith('/')) throw malformed('The trace has a call on a path beside the state.');
    if (parts.length > 1 || parts[0] === '..') throw unmodelled('The model knows no folder below the state folder.');
    return parts[0] ?? '';
  }

  private below(call: ToldCall, relativeTo: number | null, path: string): string {
    const folder = relativeTo === null ? undefined : call.given[relativeTo];
    if (folder?.is !== 'descriptor' || folder.path !== root || path.startsWith('/'))
      throw unmodelled(`The model knows no ${call.name} between the state folder and another place.`);
    this.at(call, relativeTo ?? 0);
    return `/${path}`;
  }

  private name(name: string, inode: Inode): Entry {
    const entry = { inode, name, isGone: false };
    this.names.set(name, entry);
    return entry;
  }
}

/** A descriptor is told by the name that it was opened under, as that name is now. */
function demandPath({ name }: ToldCall, told: ToldPath | null, { entry }: Open): void {
  const path = entry === null ? root : `${root}/${entry.name}`;
  if (told?.path !== path || told.isGone !== (entry?.isGone ?? false))
    throw malformed(`The trace has a ${name} whose descriptor leads elsewhere than to what was opened under it.`);
}

/**
 * Which file a call of the trace is about: descriptors, the places that they have come to, and names of the folder as they stand with
 * everything kept. Pure.
 *
 * Fault model: any trace. A call that contradicts what came before it makes the trace unreadable.
 */
import { malformed, unmodelled, type ToldCall } from './line.js';
import type { Inode } from './pieces.js';

/** What a descriptor was opened on; duplicates share it. */
export interface Open {
  /** Null for the folder. */
  readonly inode: Inode | null;
  readonly reads: boolean;
  readonly appends: boolean;
  place: number;
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

export function isVolatile(name: string): boolean {
  return volatileNames.test(name);
}

export class Files {
  private readonly names = new Map<string, Inode>();
  private readonly files: LiveFile[] = [];
  private readonly opened = new Map<string, Open>();

  /** Empty, or the files at the beginning: numbered in their order. */
  constructor(beginning: ReadonlyMap<string, number>) {
    for (const [name, size] of beginning) this.names.set(name, this.files.push({ size, name }) - 1);
  }

  create(name: string): Inode {
    const inode = this.files.push({ size: 0, name }) - 1;
    this.names.set(name, inode);
    return inode;
  }

  find(name: string): Inode | undefined {
    return this.names.get(name);
  }

  /** A call that succeeded met the file. */
  need(name: string): Inode {
    const inode = this.names.get(name);
    if (inode === undefined) throw malformed(`The trace has a call on ${name}, which is not there.`);
    return inode;
  }

  set(name: string, inode: Inode | null): void {
    if (inode === null) this.names.delete(name);
    else {
      this.names.set(name, inode);
      this.file(inode).name = name;
    }
  }

  file(inode: Inode): LiveFile {
    const file = this.files[inode];
    if (file === undefined) throw malformed('The trace has a call on a file that never was.');
    return file;
  }

  /** Refuses what nobody would hold in memory. */
  resize(inode: Inode, size: number): void {
    if (size > mostBytes) throw unmodelled(`A file of more than ${mostBytes} bytes is not derived.`);
    this.file(inode).size = size;
  }

  open(number: string, open: Open): void {
    this.opened.set(number, open);
  }

  at(call: ToldCall, index: number): Open {
    const argument = call.given[index];
    const open = argument?.is === 'descriptor' ? this.opened.get(argument.number) : undefined;
    if (open === undefined) throw malformed(`The trace has a ${call.name} through a descriptor that nothing opened.`);
    return open;
  }

  fileAt(call: ToldCall, index: number): Open & { readonly inode: Inode } {
    const open = this.at(call, index);
    if (open.inode === null) throw unmodelled(`The model knows no ${call.name} of the folder.`);
    return open as Open & { readonly inode: Inode };
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
    return `/${path}`;
  }
}

/**
 * A folder as a map from path to bytes, read once and never opened in place. Links, devices and empty folders have no bytes to
 * hash, so they are listed apart and G1 forbids them. Everything after this file works on the map alone: a mutant needs no disk.
 *
 * Fault model: any folder, also one that changes while it is read. No link below the root is followed, nothing is waited for, and no more is read
 * than there is memory for. A file is read by one opening; where it, or the names of its folder, changed meanwhile, that is told.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  type BigIntStats,
  type Dirent,
} from 'node:fs';
import { InputError } from '../errors.js';
import { nameOf } from './names.js';

export interface Tree {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths that a bundle may not hold, with the kind of thing found there. */
  readonly forbidden: readonly { path: string; what: string }[];
  /** Files that are there but were not read, and folders that could not be listed: nothing is known about them, and why. */
  readonly unreadable: readonly Unread[];
  /** Files and folders that changed while they were read; the root is the empty path. */
  readonly changed?: readonly string[];
}

export interface Unread {
  readonly path: string;
  readonly why: string;
  /** What lies in it is not known either. */
  readonly isFolder?: boolean;
}

export interface Limits {
  /** Of all files together; which of them are beyond it depends on their sizes and names alone. */
  readonly bytes: number;
  readonly entries: number;
  /** A path longer than the system takes could not be followed. */
  readonly levels: number;
}

const most: Limits = { bytes: 2 ** 31 - 1, entries: 1_000_000, levels: 32 };

export function readTree(root: string, limits = most): Tree {
  let isFolder: boolean;
  try {
    isFolder = statSync(root).isDirectory();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'not-found' : 'unreadable';
    throw new InputError(code, code === 'not-found' ? `There is no folder ${root}.` : `The folder ${root} cannot be read.`, {
      cause,
    });
  }
  if (!isFolder) throw new InputError('not-a-folder', `A bundle is a folder; ${root} is not one.`);
  const reading = new Reading(limits);
  try {
    reading.folder(Buffer.from(realpathSync(root)), '', 0);
  } catch (cause) {
    throw new InputError('unreadable', `The folder ${root} cannot be read.`, { cause });
  }
  reading.close();
  return reading;
}

const slash = Buffer.from('/');

class Reading implements Tree {
  readonly files = new Map<string, Buffer>();
  readonly forbidden: { path: string; what: string }[] = [];
  readonly unreadable: Unread[] = [];
  readonly changed: string[] = [];
  private readonly folders: { at: Buffer; path: string; before: BigIntStats }[] = [];
  private bytes = 0;
  private entries = 0;

  constructor(private readonly limits: Limits) {}

  /** Throws where it cannot be listed. `path` is empty or ends with a slash. */
  folder(at: Buffer, path: string, level: number): void {
    const before = lstatSync(at, { bigint: true });
    const entries = readdirSync(at, { withFileTypes: true, encoding: 'buffer' }) as unknown as Dirent<Buffer>[];
    this.folders.push({ at, path, before });
    if (entries.length === 0 && path !== '') this.forbid(path.slice(0, -1), 'an empty folder');
    entries.sort((left, right) => Buffer.compare(left.name, right.name));
    for (const entry of entries) {
      this.entries += 1;
      if (this.entries > this.limits.entries) {
        this.forbid(path, `more than ${this.limits.entries} files and folders`);
        return;
      }
      this.entry(entry, Buffer.concat([at, slash, entry.name]), `${path}${nameOf(entry.name)}`, level);
    }
  }

  /** What was listed at the beginning must be listed still: a name that came, went or was exchanged has changed its folder. */
  close(): void {
    for (const { at, path, before } of this.folders) {
      const now = lstatSync(at, { bigint: true, throwIfNoEntry: false });
      if (now === undefined || !isSame(before, now)) this.changed.push(path.slice(0, -1));
    }
  }

  private entry(entry: Dirent<Buffer>, at: Buffer, path: string, level: number): void {
    if (entry.isFile()) this.file(at, path);
    else if (!entry.isDirectory()) this.forbid(path, entry.isSymbolicLink() ? 'a link' : 'what is neither a file nor a folder');
    else if (level + 1 >= this.limits.levels) this.forbid(path, `a folder nested deeper than ${this.limits.levels} levels`);
    else {
      try {
        this.folder(at, `${path}/`, level + 1);
      } catch {
        this.unreadable.push({ path, why: 'cannot be read', isFolder: true });
      }
    }
  }

  private file(at: Buffer, path: string): void {
    let descriptor: number | undefined;
    try {
      // Whatever came to lie there since it was listed: a link is not followed, a pipe not waited for.
      descriptor = openSync(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      this.opened(descriptor, path);
    } catch {
      this.unreadable.push({ path, why: 'cannot be read' });
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  }

  private opened(descriptor: number, path: string): void {
    const before = fstatSync(descriptor, { bigint: true });
    const size = Number(before.size);
    if (!before.isFile()) this.changed.push(path);
    else if (this.bytes + size > this.limits.bytes)
      this.unreadable.push({ path, why: `is larger than what is left of the ${this.limits.bytes} bytes that a bundle may have` });
    else {
      this.bytes += size;
      const bytes = bytesOf(descriptor, size);
      if (bytes.length !== size || !isSame(before, fstatSync(descriptor, { bigint: true }))) this.changed.push(path);
      this.files.set(path, bytes);
    }
  }

  private forbid(path: string, what: string): void {
    this.forbidden.push({ path, what });
  }
}

/** As many as it had when it was opened, or fewer. */
function bytesOf(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    const read = readSync(descriptor, bytes, length, size - length, null);
    if (read === 0) break;
    length += read;
  }
  return bytes.subarray(0, length);
}

function isSame(before: BigIntStats, now: BigIntStats): boolean {
  return (
    before.ino === now.ino &&
    before.dev === now.dev &&
    before.size === now.size &&
    before.mtimeNs === now.mtimeNs &&
    before.ctimeNs === now.ctimeNs
  );
}

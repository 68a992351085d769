/**
 * Appends to the log of a session: one write call and one sync for each barrier, in a file that nobody else has touched.
 *
 * Fault model: process crash, power loss, a full or failing disk, and a file that somebody moved, replaced, cut or wrote to. A write or sync
 * that failed leaves a file of which nobody knows what is durable, and a later sync may say that all is well though the kernel has
 * dropped the bytes; so the first failure ends this writer for good, and the next one reads from the disk what there is. The tail that an
 * earlier crash left is gone, durably, before the first byte is added. A barrier is acknowledged when its bytes and, the first time, the
 * name of the file are durable.
 */
import type * as fs from 'node:fs';
import { dirname } from 'node:path';
import { RuntimeError } from '../../core/errors.js';
import { SessionError } from '../core/refusals.js';
import { readError } from '../../store/read-error.js';
import type { Frame } from '../core/records.js';
import { reasonOf, systemFiles, type Files } from './files.js';
import { openLog, scanDescriptor, type Scan } from './scan.js';

/** Says for a message which frames are concerned; asked only where something failed. */
type Named = () => string;

/** Which file it is: a lock and a descriptor belong to one, not to its name. */
type Identity = Pick<fs.Stats, 'dev' | 'ino'>;

const nowhere: Named = () => '';

export class LogWriter {
  private failure: SessionError | null = null;
  /** Where the next frame goes; the file is longer only while it has a torn tail. */
  private end: number;
  private unsynced = false;
  private folderSynced = false;
  private closed = false;

  private constructor(
    private readonly path: string,
    private readonly descriptor: number,
    private readonly identity: Identity,
    readonly scan: Scan,
    private size: number,
    private readonly files: Files,
  ) {
    this.end = scan.end;
  }

  /** Reads the log through the descriptor that will write to it, and makes durable what was read: whoever opens it acts on that. */
  static open(path: string, onFrame: (frame: Frame) => void, files: Files = systemFiles): LogWriter {
    const descriptor = openLog(path, 'r+', files);
    try {
      const scan = scanDescriptor(path, descriptor, onFrame, files);
      const { dev, ino } = files.fstatSync(descriptor);
      syncRead(path, descriptor, files);
      return new LogWriter(path, descriptor, { dev, ino }, scan, scan.end + scan.tornBytes, files);
    } catch (cause) {
      files.closeSync(descriptor);
      throw cause instanceof RuntimeError ? cause : readError(path, cause);
    }
  }

  /** Bytes of the log, without a torn tail. */
  get length(): number {
    return this.end;
  }

  /** Refuses once anything has failed: what is in memory and what is on the disk may differ. */
  demandUsable(): void {
    // The number of a closed descriptor may be that of another file by now.
    if (this.closed) throw new RuntimeError('closed', 'This session is closed. Open it again to append to it.');
    if (this.failure === null) return;
    throw new SessionError(
      'writer-poisoned',
      `An earlier append to ${this.path} failed, and nothing more is written: ${this.failure.message}`,
      { cause: this.failure },
    );
  }

  /** Writes one barrier; with `sync`, durable once this returned. `what` names its frames. */
  append(bytes: Buffer, sync: boolean, what: Named): void {
    this.demandUsable();
    // Before anything is written: a process that has no descriptor left learns of it while the log is as it was.
    const folder = sync && !this.folderSynced ? this.openFolder() : null;
    try {
      this.demandUntouched(what);
      this.cutTail(what);
      this.write(bytes, what);
      if (sync) this.sync(folder, what);
    } finally {
      if (folder !== null) this.release(folder);
    }
  }

  /** Makes durable what is not, and gives the file back. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      if (this.unsynced && this.failure === null) this.sync(null, () => 'What was appended last');
    } finally {
      this.files.closeSync(this.descriptor);
    }
  }

  /** A lock belongs to a file and so does this descriptor: only the name and the size tell that others were here. */
  private demandUntouched(what: Named): void {
    const open = this.guarded(what, () => this.files.fstatSync(this.descriptor));
    const there = this.guarded(what, () => this.files.lstatSync(this.path, { throwIfNoEntry: false }));
    if (!isSameFile(open, this.identity)) this.foreign(what, 'the descriptor leads to another file');
    if (there === undefined) this.foreign(what, 'the log is gone');
    if (!isSameFile(there, this.identity)) this.foreign(what, 'another file is in its place');
    if (open.size !== this.size) this.foreign(what, `it has ${open.size} bytes and not ${this.size}`);
  }

  private cutTail(what: Named): void {
    if (this.size === this.end) return;
    this.guarded(what, () => {
      this.files.ftruncateSync(this.descriptor, this.end);
      this.files.fsyncSync(this.descriptor);
    });
    this.size = this.end;
  }

  private write(bytes: Buffer, what: Named): void {
    let written = 0;
    this.guarded(
      what,
      () => {
        while (written < bytes.length) {
          const got = this.files.writeSync(this.descriptor, bytes, written, bytes.length - written, this.end + written);
          if (got <= 0) throw new Error('nothing was taken');
          written += got;
        }
      },
      () => ` after ${written} of ${bytes.length} bytes`,
    );
    this.end += bytes.length;
    this.size = this.end;
    this.unsynced = true;
  }

  private sync(folder: number | null, what: Named): void {
    this.guarded(what, () => this.files.fdatasyncSync(this.descriptor));
    if (folder !== null) {
      this.guarded(
        what,
        () => this.files.fsyncSync(folder),
        () => ' at the sync of the folder',
      );
      this.folderSynced = true;
    }
    this.unsynced = false;
  }

  /** Nothing was written through it, so a close that fails takes nothing back. */
  private release(folder: number): void {
    try {
      this.files.closeSync(folder);
    } catch {
      // The descriptor is gone all the same.
    }
  }

  private openFolder(): number {
    const folder = dirname(this.path);
    try {
      return this.files.openSync(folder, 'r');
    } catch (cause) {
      throw readError(folder, cause);
    }
  }

  private guarded<T>(what: Named, work: () => T, where: () => string = nowhere): T {
    try {
      return work();
    } catch (cause) {
      throw this.poison(
        new SessionError(
          'log-failed',
          `${what()} could not be made durable in ${this.path} (${reasonOf(cause)}${where()}). Nothing more is written; free the cause and open the session again.`,
          { cause },
        ),
      );
    }
  }

  private foreign(what: Named, why: string): never {
    throw this.poison(
      new SessionError(
        'foreign-write',
        `${what()} was not appended to ${this.path}: somebody else changed it (${why}). Nothing more is written; find out who, then open the session again.`,
      ),
    );
  }

  private poison(failure: SessionError): SessionError {
    this.failure = failure;
    return failure;
  }
}

function isSameFile(found: Identity, { dev, ino }: Identity): boolean {
  return found.dev === dev && found.ino === ino;
}

function syncRead(path: string, descriptor: number, files: Files): void {
  try {
    files.fdatasyncSync(descriptor);
  } catch (cause) {
    throw new SessionError(
      'log-failed',
      `What ${path} holds could not be made durable (${reasonOf(cause)}). Nothing was written; check the disk, then open the session again.`,
      { cause },
    );
  }
}

/**
 * The append-only ledger: one SQLite file, one row per event, artifacts in the same transaction as the event that names them.
 *
 * Fault model: process crash at any point, and power loss. A group of events is one transaction and one sync. Each append
 * compares the last seq and digest with what this process last saw, so that an owner whose lock was defeated cannot write over
 * somebody else's history; and whether the names still lead to the files that it has open, so that it cannot go on in a file that
 * was moved away, deleted or replaced. After the first commit of an open the directory is synced, since SQLite's own files may be new names;
 * nobody learns of the commit before that. A commit that failed in an unknown way poisons the ledger until it is opened again.
 *
 * Until the first append it only looks, by a connection that can change nothing: who is refused must not even fold the log in when it
 * closes the file.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { canonical } from '../../core/canonical.js';
import { eventDigest } from '../core/event-digest.js';
import { RuntimeError } from '../../core/errors.js';
import { assertShape, type Draft, type LedgerEvent } from '../core/events.js';
import { History } from '../core/history.js';
import { openToLook, openToWrite, translated, type Connected, type Settings } from './connection.js';
import { identityOf } from '../../store/identity.js';
import { readError } from '../../store/read-error.js';
import { emptyTail, readEvents, readTail, type Row, type Tail } from './rows.js';
import { Writer } from './writer.js';

export interface StoredArtifact {
  sha256: string;
  size: number;
  media_type: string;
}

/** Throws what `append` would throw for this draft. */
export function demandRecordable(draft: Draft): void {
  assertShape(draft);
  canonical(draft.payload);
}

export class Ledger {
  private tail: Tail;
  private readonly identity: string | null;
  private writer: Writer | null = null;
  private directorySynced = false;
  private failed: unknown = null;
  /** Of the connection in use; null until it is asked for. */
  private selectArtifact: Database.Statement | null = null;

  private constructor(
    private readonly path: string,
    private connected: Connected,
    readonly history: History,
    private readonly clock: () => Date,
  ) {
    this.tail = history.events.at(-1) ?? emptyTail;
    this.identity = identityOf(path);
  }

  /** Verifies the whole file through a connection that cannot change it. */
  static open(path: string, clock: () => Date = () => new Date()): Ledger {
    const look = openToLook(path);
    try {
      const ledger = new Ledger(path, look, History.of(readEvents(look.database, emptyTail)), clock);
      look.database.exec('COMMIT');
      // A file that left WAL mode is brought back to it, as every append demands.
      if (look.journalMode !== 'wal') ledger.demandWriter();
      return ledger;
    } catch (cause) {
      const error = translated(cause, path);
      look.database.close();
      throw error;
    }
  }

  /** As read back on the connection in use. */
  get settings(): Settings {
    this.demandOpen();
    return this.connected.settings();
  }

  get nextSeq(): number {
    return this.tail.seq + 1;
  }

  /** One transaction, one sync. Returns the events as they are now in the ledger. */
  append(drafts: readonly Draft[]): LedgerEvent[] {
    this.demandOpen();
    if (this.failed !== null)
      throw new RuntimeError('ledger-failed', 'An earlier commit failed. Close the ledger and open it again.', {
        cause: this.failed,
      });
    const rows = this.placed(drafts);
    const writer = this.demandWriter();
    if (this.directorySynced) return this.committed(writer, rows, drafts);
    // Before the commit: a process that has no descriptor left learns of it while nothing is written.
    const directory = this.openDirectory();
    try {
      const events = this.committed(writer, rows, drafts);
      this.syncNames(directory);
      return events;
    } finally {
      closeSync(directory);
    }
  }

  /** Reads what others appended since this process last looked. */
  refresh(): void {
    this.demandOpen();
    try {
      this.demandSameFiles();
      const { database } = this.connected;
      if (this.isTail(readTail(database))) return;
      // In one transaction: an owner may be appending meanwhile.
      const { events, tail } = database.transaction(() => ({
        events: readEvents(database, this.tail),
        tail: readTail(database),
      }))();
      for (const event of events) {
        this.history.add(event);
        this.tail = event;
      }
      if (!this.isTail(tail)) throw this.overtaken();
    } catch (cause) {
      throw translated(cause, this.path);
    }
  }

  artifact(sha256: string): Buffer | null {
    this.demandOpen();
    try {
      this.selectArtifact ??= artifactStatement(this.connected);
      return (this.selectArtifact.get(sha256) as Buffer | undefined) ?? null;
    } catch (cause) {
      throw translated(cause, this.path);
    }
  }

  artifacts(): StoredArtifact[] {
    this.demandOpen();
    const columns = 'sha256, length(bytes) AS size, media_type';
    try {
      return this.connected.database.prepare(`SELECT ${columns} FROM artifacts ORDER BY sha256`).all() as StoredArtifact[];
    } catch (cause) {
      throw translated(cause, this.path);
    }
  }

  close(): void {
    this.connected.database.close();
  }

  /** The connection that writes takes the place of the one that looks. */
  private demandWriter(): Writer {
    if (this.writer !== null) return this.writer;
    const look = this.connected;
    this.connected = openToWrite(this.path);
    look.database.close();
    this.selectArtifact = null;
    this.writer = new Writer(this.connected.database, (found) => this.demandUntouched(found));
    return this.writer;
  }

  private committed(writer: Writer, rows: readonly Row[], drafts: readonly Draft[]): LedgerEvent[] {
    try {
      writer.write(rows, drafts);
    } catch (cause) {
      throw this.afterFailure(cause);
    }
    const events = rows.map((row, index) => eventOf(row, drafts[index] as Draft));
    for (const event of events) this.history.add(event);
    this.tail = rows.at(-1) ?? this.tail;
    return events;
  }

  /** Asked inside each write transaction, of the last event that the file holds. */
  private demandUntouched(found: Tail): void {
    this.demandSameFiles();
    if (!this.isTail(found)) throw this.overtaken();
  }

  private isTail({ seq, digest }: Tail): boolean {
    return seq === this.tail.seq && digest === this.tail.digest;
  }

  private placed(drafts: readonly Draft[]): Row[] {
    const recorded_at = this.clock().toISOString();
    let { seq, digest } = this.tail;
    return drafts.map((draft) => {
      assertShape(draft);
      seq += 1;
      const row: Row = {
        seq,
        type: draft.type,
        task_id: draft.task_id,
        call_id: draft.call_id ?? null,
        attempt_id: draft.attempt_id ?? null,
        compilation_id: draft.compilation_id ?? null,
        payload: canonical(draft.payload),
        recorded_at,
        digest,
      };
      digest = row.digest = eventDigest(row, digest);
      return row;
    });
  }

  private overtaken(what = 'Somebody else appended to this ledger'): RuntimeError {
    return new RuntimeError('overtaken', `${what}. Nothing was done; open it again and read what happened.`);
  }

  // Of the log only its presence is asked. To ask a file for its times makes the next write record a finer one, and the sync after
  // it dearer: measured, 60 µs a commit. The ledger's own file is written at checkpoints alone.
  private demandSameFiles(): void {
    if (this.identityNow() === this.identity && existsSync(`${this.path}-wal`)) return;
    throw this.overtaken(`${this.path} or its log was moved, deleted or replaced`);
  }

  /** Null where the name is gone. A folder that may no longer be looked into is a read error, not a ledger that was moved. */
  private identityNow(): string | null {
    try {
      return identityOf(this.path);
    } catch (cause) {
      throw readError(this.path, cause);
    }
  }

  private openDirectory(): number {
    try {
      return openSync(dirname(this.path), 'r');
    } catch (cause) {
      throw readError(dirname(this.path), cause);
    }
  }

  private demandOpen(): void {
    if (!this.connected.database.open) throw new RuntimeError('closed', 'The ledger is closed. Open it again.');
  }

  // A failed sync is not tried again: the kernel may drop what it could not write and report the next sync as a success.
  private syncNames(directory: number): void {
    try {
      fsyncSync(directory);
      this.directorySynced = true;
    } catch (cause) {
      throw this.poisoned(cause);
    }
  }

  private afterFailure(cause: unknown): unknown {
    // What was asked inside the transaction refused it.
    if (cause instanceof RuntimeError) return cause;
    const error = translated(cause, this.path);
    return error instanceof RuntimeError && error.code === 'ledger-busy' ? error : this.poisoned(cause);
  }

  private poisoned(cause: unknown): RuntimeError {
    this.failed = cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new RuntimeError('ledger-failed', `The commit failed: ${why}. Close the ledger and open it again.`, { cause });
  }
}

function artifactStatement({ database }: Connected): Database.Statement {
  return database.prepare('SELECT bytes FROM artifacts WHERE sha256 = ?').pluck();
}

/** The row with its payload as it was before it became text. */
function eventOf(row: Row, { payload }: Draft): LedgerEvent {
  const { seq, type, task_id, call_id, attempt_id, compilation_id, recorded_at, digest } = row;
  return { seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest } as LedgerEvent;
}

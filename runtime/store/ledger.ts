/**
 * The append-only ledger: one SQLite file, one row per event, artifacts in the same transaction as the event that names them.
 *
 * Fault model: process crash at any point, and power loss. A group of events is one transaction and one sync. Each append
 * compares the last seq and digest with what this process last saw, so that an owner whose lock was defeated cannot write over
 * somebody else's history; and whether the names still lead to the files that it has open, so that it cannot go on in a file that
 * was moved away, deleted or replaced. After the first commit of an open the directory is synced, since SQLite's own files may be new names;
 * nobody learns of the commit before that. A commit that failed in an unknown way poisons the ledger until it is opened again.
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { canonical } from '../core/canonical.js';
import { eventDigest } from '../core/digest.js';
import { RuntimeError } from '../core/errors.js';
import { assertShape, type Draft, type LedgerEvent } from '../core/events.js';
import { History } from '../core/history.js';
import { openToLook, openToWrite, translated, type Settings } from './connection.js';
import { syncDirectory } from './directory-sync.js';
import { identityOf } from './identity.js';
import { emptyTail, readEvents, readTail, type Row, type Tail } from './rows.js';

/** A bound of memory alone: an artifact that was forgotten is found in the index. */
const storedMax = 10_000;

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
  readonly history: History;
  readonly settings: Settings;
  private tail: Tail = emptyTail;
  private readonly identity: string | null;
  /** Hashes of artifacts that a commit of this open holds, so that a context used by many calls is not offered to the index again. */
  private readonly stored = new Set<string>();
  private directorySynced = false;
  private failed: unknown = null;
  private readonly insertEvent: Database.Statement;
  private readonly insertArtifact: Database.Statement;
  private readonly selectTail: Database.Statement;
  private readonly selectArtifact: Database.Statement;
  private readonly write: (rows: readonly Row[], drafts: readonly Draft[]) => void;

  private constructor(
    private readonly path: string,
    private readonly database: Database.Database,
    settings: Settings,
    events: readonly LedgerEvent[],
    private readonly clock: () => Date,
  ) {
    this.settings = settings;
    this.history = History.of(events);
    this.tail = events.at(-1) ?? emptyTail;
    this.identity = identityOf(path);
    this.insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.insertArtifact = database.prepare('INSERT OR IGNORE INTO artifacts VALUES (?, ?, ?)');
    this.selectTail = database.prepare('SELECT seq, digest FROM events ORDER BY seq DESC LIMIT 1');
    this.selectArtifact = database.prepare('SELECT bytes FROM artifacts WHERE sha256 = ?').pluck();
    const insideTransaction = database.transaction((rows: readonly Row[], drafts: readonly Draft[]) => this.insert(rows, drafts));
    this.write = (rows, drafts) => insideTransaction.immediate(rows, drafts);
  }

  /** Verifies the whole file through a connection that cannot change it, then opens it for writing. */
  static open(path: string, clock: () => Date = () => new Date()): Ledger {
    const look = openToLook(path);
    let events: LedgerEvent[];
    try {
      events = readEvents(look, emptyTail);
    } catch (cause) {
      throw translated(cause);
    } finally {
      look.close();
    }
    const { database, settings } = openToWrite(path);
    return new Ledger(path, database, settings, events, clock);
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
    try {
      this.write(rows, drafts);
    } catch (cause) {
      throw this.afterFailure(cause);
    }
    const events = rows.map((row, index) => eventOf(row, drafts[index] as Draft));
    for (const event of events) this.history.add(event);
    this.remember(drafts);
    this.tail = rows.at(-1) ?? this.tail;
    if (!this.directorySynced) this.syncNames();
    return events;
  }

  /** Reads what others appended since this process last looked. */
  refresh(): void {
    this.demandOpen();
    try {
      this.demandSameFiles();
      for (const event of readEvents(this.database, this.tail)) {
        this.history.add(event);
        this.tail = event;
      }
      const tail = readTail(this.database);
      if (tail.seq !== this.tail.seq || tail.digest !== this.tail.digest) throw this.overtaken();
    } catch (cause) {
      throw translated(cause);
    }
  }

  artifact(sha256: string): Buffer | null {
    this.demandOpen();
    try {
      return (this.selectArtifact.get(sha256) as Buffer | undefined) ?? null;
    } catch (cause) {
      throw translated(cause);
    }
  }

  artifacts(): StoredArtifact[] {
    this.demandOpen();
    const columns = 'sha256, length(bytes) AS size, media_type';
    try {
      return this.database.prepare(`SELECT ${columns} FROM artifacts ORDER BY sha256`).all() as StoredArtifact[];
    } catch (cause) {
      throw translated(cause);
    }
  }

  close(): void {
    this.database.close();
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

  private insert(rows: readonly Row[], drafts: readonly Draft[]): void {
    this.demandSameFiles();
    const found = (this.selectTail.get() as Tail | undefined) ?? emptyTail;
    if (found.seq !== this.tail.seq || found.digest !== this.tail.digest) throw this.overtaken();
    for (const draft of drafts)
      for (const { sha256, media_type, bytes } of draft.artifacts ?? [])
        if (!this.stored.has(sha256)) this.insertArtifact.run(sha256, media_type, bytes);
    for (const row of rows)
      this.insertEvent.run(
        row.seq,
        row.type,
        row.task_id,
        row.call_id,
        row.attempt_id,
        row.compilation_id,
        row.payload,
        row.recorded_at,
        row.digest,
      );
  }

  private remember(drafts: readonly Draft[]): void {
    if (this.stored.size > storedMax) this.stored.clear();
    for (const draft of drafts) for (const { sha256 } of draft.artifacts ?? []) this.stored.add(sha256);
  }

  private overtaken(what = 'Somebody else appended to this ledger'): RuntimeError {
    return new RuntimeError('overtaken', `${what}. Nothing was done; open it again and read what happened.`);
  }

  // Of the log only its presence is asked. To ask a file for its times makes the next write record a finer one, and the sync after
  // it dearer: measured, 60 µs a commit. The ledger's own file is written at checkpoints alone.
  private demandSameFiles(): void {
    if (identityOf(this.path) === this.identity && existsSync(`${this.path}-wal`)) return;
    throw this.overtaken(`${this.path} or its log was moved, deleted or replaced`);
  }

  private demandOpen(): void {
    if (!this.database.open) throw new RuntimeError('closed', 'The ledger is closed. Open it again.');
  }

  // A failed sync is not tried again: the kernel may drop what it could not write and report the next sync as a success.
  private syncNames(): void {
    try {
      syncDirectory(dirname(this.path));
      this.directorySynced = true;
    } catch (cause) {
      throw this.poisoned(cause);
    }
  }

  private afterFailure(cause: unknown): unknown {
    const error = translated(cause);
    const nothingWritten = error instanceof RuntimeError && (error.code === 'overtaken' || error.code === 'ledger-busy');
    return nothingWritten ? error : this.poisoned(cause);
  }

  private poisoned(cause: unknown): RuntimeError {
    this.failed = cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new RuntimeError('ledger-failed', `The commit failed: ${why}. Close the ledger and open it again.`, { cause });
  }
}

/** The row with its payload as it was before it became text. */
function eventOf(row: Row, { payload }: Draft): LedgerEvent {
  const { seq, type, task_id, call_id, attempt_id, compilation_id, recorded_at, digest } = row;
  return { seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest } as LedgerEvent;
}

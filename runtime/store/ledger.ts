/**
 * The append-only ledger: one SQLite file, one row per event, artifacts in the same transaction as the event that names them.
 *
 * Fault model: process crash at any point, and power loss. A group of events is one transaction and one sync. Each append
 * compares the last seq and digest with what this process last saw, so that an owner whose lock was defeated cannot write over
 * somebody else's history. After the first commit of an open the directory is synced, since SQLite's own files may be new names;
 * nobody learns of the commit before that. A commit that failed in an unknown way poisons the ledger until it is opened again.
 */
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { canonical } from '../core/canonical.js';
import { eventDigest } from '../core/digest.js';
import { RuntimeError } from '../core/errors.js';
import { assertShape, type Draft, type LedgerEvent } from '../core/events.js';
import { History } from '../core/history.js';
import { openToLook, openToWrite, translated, type Settings } from './connection.js';
import { syncDirectory } from './directory-sync.js';
import { emptyTail, readEvents, readTail, type Row, type Tail } from './rows.js';

export interface StoredArtifact {
  sha256: string;
  size: number;
  media_type: string;
}

export class Ledger {
  readonly history: History;
  readonly settings: Settings;
  private tail: Tail = emptyTail;
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
    if (!this.database.open) throw new RuntimeError('closed', 'The ledger is closed. Open it again.');
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
    const events = rows.map((row, index) => ({ ...row, payload: drafts[index]?.payload }) as LedgerEvent);
    for (const event of events) this.history.add(event);
    this.tail = rows.at(-1) ?? this.tail;
    if (!this.directorySynced) {
      syncDirectory(dirname(this.path));
      this.directorySynced = true;
    }
    return events;
  }

  /** Reads what others appended since this process last looked. */
  refresh(): void {
    try {
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
    return (this.selectArtifact.get(sha256) as Buffer | undefined) ?? null;
  }

  artifacts(): StoredArtifact[] {
    const columns = 'sha256, length(bytes) AS size, media_type';
    return this.database.prepare(`SELECT ${columns} FROM artifacts ORDER BY sha256`).all() as StoredArtifact[];
  }

  close(): void {
    this.database.close();
  }

  private placed(drafts: readonly Draft[]): Row[] {
    const recorded_at = this.clock().toISOString();
    let tail = this.tail;
    return drafts.map((draft) => {
      assertShape(draft);
      const row = {
        seq: tail.seq + 1,
        type: draft.type,
        task_id: draft.task_id,
        call_id: draft.call_id ?? null,
        attempt_id: draft.attempt_id ?? null,
        compilation_id: draft.compilation_id ?? null,
        payload: canonical(draft.payload),
        recorded_at,
      };
      tail = { ...row, digest: eventDigest(row, tail.digest) };
      return tail as Row;
    });
  }

  private insert(rows: readonly Row[], drafts: readonly Draft[]): void {
    const found = (this.selectTail.get() as Tail | undefined) ?? emptyTail;
    if (found.seq !== this.tail.seq || found.digest !== this.tail.digest) throw this.overtaken();
    for (const draft of drafts)
      for (const artifact of draft.artifacts ?? []) this.insertArtifact.run(artifact.sha256, artifact.media_type, artifact.bytes);
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

  private overtaken(): RuntimeError {
    return new RuntimeError(
      'overtaken',
      'Somebody else appended to this ledger. Nothing was done; open it again and read what happened.',
    );
  }

  private afterFailure(cause: unknown): unknown {
    const error = translated(cause);
    const nothingWritten = error instanceof RuntimeError && (error.code === 'overtaken' || error.code === 'ledger-busy');
    if (nothingWritten) return error;
    this.failed = cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new RuntimeError('ledger-failed', `The commit failed: ${why}. Close the ledger and open it again.`, { cause });
  }
}

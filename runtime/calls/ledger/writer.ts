/**
 * One group of events in one transaction: begun as IMMEDIATE, so that it waits for another writer instead of failing in its middle, and
 * ended by one sync.
 *
 * Whoever owns the writer is asked inside the transaction whether the file is still as it was; what it throws undoes everything.
 */
import type Database from 'better-sqlite3';
import type { Draft } from '../core/events.js';
import { emptyTail, type Row, type Tail } from './rows.js';

/** A bound of memory alone: an artifact that was forgotten is found in the index. */
const storedMax = 10_000;

export class Writer {
  /** Hashes of artifacts that a commit of this open holds, so that a context used by many calls is not offered to the index again. */
  private readonly stored = new Set<string>();
  private readonly insertEvent: Database.Statement;
  private readonly insertArtifact: Database.Statement;
  private readonly selectTail: Database.Statement;
  private readonly transaction: (rows: readonly Row[], drafts: readonly Draft[]) => void;

  constructor(
    database: Database.Database,
    private readonly demandUntouched: (found: Tail) => void,
  ) {
    this.insertEvent = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.insertArtifact = database.prepare('INSERT OR IGNORE INTO artifacts VALUES (?, ?, ?)');
    this.selectTail = database.prepare('SELECT seq, digest FROM events ORDER BY seq DESC LIMIT 1');
    const inside = database.transaction((rows: readonly Row[], drafts: readonly Draft[]) => this.insert(rows, drafts));
    this.transaction = (rows, drafts) => inside.immediate(rows, drafts);
  }

  write(rows: readonly Row[], drafts: readonly Draft[]): void {
    this.transaction(rows, drafts);
    if (this.stored.size > storedMax) this.stored.clear();
    for (const draft of drafts) for (const { sha256 } of draft.artifacts ?? []) this.stored.add(sha256);
  }

  private insert(rows: readonly Row[], drafts: readonly Draft[]): void {
    this.demandUntouched((this.selectTail.get() as Tail | undefined) ?? emptyTail);
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
}

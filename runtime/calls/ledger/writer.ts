/**
 * One group of events in one transaction: begun as IMMEDIATE, so that it waits for another writer instead of failing in its middle, and
 * ended by one sync.
 *
 * Whoever owns the writer is asked inside the transaction whether the file is still as it was; what it throws undoes everything.
 *
 * An owner that commits once is as usual as one that commits a thousand times: a statement is prepared when it is first needed.
 */
import type Database from 'better-sqlite3';
import type { Draft } from '../core/events.js';
import { tailOf, tailStatement, type Row, type Tail } from './rows.js';

/** A bound of memory alone: an artifact that was forgotten is found in the index. */
const storedMax = 10_000;

export class Writer {
  /** Hashes of artifacts that a commit of this open holds, so that a context used by many calls is not offered to the index again. */
  private readonly stored = new Set<string>();
  private readonly begin: Database.Statement;
  private readonly commit: Database.Statement;
  private readonly selectTail: Database.Statement;
  private insertEvent: Database.Statement | null = null;
  private insertArtifact: Database.Statement | null = null;

  constructor(
    private readonly database: Database.Database,
    private readonly demandUntouched: (found: Tail) => void,
  ) {
    this.begin = database.prepare('BEGIN IMMEDIATE');
    this.commit = database.prepare('COMMIT');
    this.selectTail = tailStatement(database);
  }

  write(rows: readonly Row[], drafts: readonly Draft[]): void {
    this.begin.run();
    try {
      this.insert(rows, drafts);
      this.commit.run();
    } catch (cause) {
      // After some errors SQLite has rolled back already.
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      throw cause;
    }
    if (this.stored.size > storedMax) this.stored.clear();
    for (const draft of drafts) for (const { sha256 } of draft.artifacts ?? []) this.stored.add(sha256);
  }

  private insert(rows: readonly Row[], drafts: readonly Draft[]): void {
    this.demandUntouched(tailOf(this.selectTail));
    for (const draft of drafts)
      for (const { sha256, media_type, bytes } of draft.artifacts ?? [])
        if (!this.stored.has(sha256)) this.artifactInsertion().run(sha256, media_type, bytes);
    for (const row of rows)
      this.eventInsertion().run(
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

  private eventInsertion(): Database.Statement {
    return (this.insertEvent ??= this.database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'));
  }

  private artifactInsertion(): Database.Statement {
    return (this.insertArtifact ??= this.database.prepare('INSERT OR IGNORE INTO artifacts VALUES (?, ?, ?)'));
  }
}

/**
 * `(database bytes, log bytes) → rows`. The merged image is opened in memory, so that nothing is created beside the evidence and
 * the log counts. Trusted: the SQLite engine as a reader of pages. Not trusted: the schema (must be exactly ours, or a view or a
 * trigger could answer in the table's place), the values, the order.
 */
import Database from 'better-sqlite3';
import { ledgerV1 } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { fileSha256 } from './hash.js';
import { mergeWal } from './wal.js';

export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly task_id: string;
  readonly call_id: string | null;
  readonly attempt_id: string | null;
  readonly compilation_id: string | null;
  /** Canonical JSON, as stored. */
  readonly payload: string;
  readonly recorded_at: string;
  readonly digest: string;
}

export interface ArtifactRow {
  readonly sha256: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

export interface LedgerRows {
  readonly events: readonly EventRow[];
  readonly artifacts: readonly ArtifactRow[];
}

const known = new Map<string, LedgerRows>();

/** Equal bytes hold equal rows: a refused arm ends with the ledger that it began with. */
export function readLedger(database: Uint8Array, log: Uint8Array | undefined): LedgerRows {
  const key = `${fileSha256(database)} ${log === undefined ? '' : fileSha256(log)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const rows = withImage(database, log, rowsOf);
  known.set(key, rows);
  return rows;
}

/** Opens the merged image in memory for the length of one call. */
export function withImage<T>(database: Uint8Array, log: Uint8Array | undefined, use: (db: Database.Database) => T): T {
  const { image } = mergeWal(database, log);
  if (image.length < 512 || image.subarray(0, 16).toString('latin1') !== 'SQLite format 3\0') {
    throw new EvidenceError('ledger-unreadable', 'There is no SQLite database in these bytes.');
  }
  // Both ids lie at fixed places of the header; asking SQL for them would cost more than the rest of the opening.
  if (image.readUInt32BE(68) !== ledgerV1.application_id || image.readUInt32BE(60) !== ledgerV1.user_version) {
    throw new EvidenceError('ledger-schema', 'The application id or the version is not that of ledger/v1.');
  }
  // An image in memory has no log; the two format bytes would make the engine look for one.
  image[18] = 1;
  image[19] = 1;
  let db: Database.Database | undefined;
  try {
    db = new Database(image);
    return use(db);
  } catch (cause) {
    if (cause instanceof Database.SqliteError) {
      throw new EvidenceError('ledger-unreadable', `SQLite cannot read the database (${cause.code}).`, { cause });
    }
    throw cause;
  } finally {
    db?.close();
  }
}

function rowsOf(db: Database.Database): LedgerRows {
  checkSchema(db);
  const events = db
    .prepare(
      'SELECT seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest FROM events ORDER BY seq',
    )
    .all();
  const artifacts = db.prepare('SELECT sha256, media_type, bytes FROM artifacts ORDER BY sha256').all() as ArtifactRow[];
  return { events: (events as EventRow[]).map((row) => strictText(db, row)), artifacts };
}

function checkSchema(db: Database.Database): void {
  const found = (db.prepare('SELECT sql FROM sqlite_schema ORDER BY rowid').pluck().all() as (string | null)[])
    .map(String)
    .sort();
  const wanted = [...ledgerV1.statements].sort();
  const same = found.length === wanted.length && found.every((sql, index) => sql === wanted[index]);
  if (!same) throw new EvidenceError('ledger-schema', 'The tables and triggers are not exactly those of ledger/v1.');
}

/** The driver decodes text tolerantly. Only a replacement character can hide bytes that are not UTF-8, so only then look closer. */
function strictText(db: Database.Database, row: EventRow): EventRow {
  const texts = [
    row.payload,
    row.type,
    row.task_id,
    row.recorded_at,
    row.digest,
    row.call_id,
    row.attempt_id,
    row.compilation_id,
  ];
  if (texts.some((text) => text?.includes('\uFFFD'))) {
    const stored = db
      .prepare('SELECT CAST(payload AS BLOB), CAST(type AS BLOB) FROM events WHERE seq = ?')
      .raw()
      .get(row.seq) as Buffer[];
    if (stored[0]?.toString('utf8') !== row.payload || !Buffer.from(row.payload, 'utf8').equals(stored[0])) {
      throw new EvidenceError('ledger-unreadable', `The payload of event ${row.seq} is not UTF-8.`);
    }
  }
  return row;
}

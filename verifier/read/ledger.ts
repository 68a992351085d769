/**
 * `(database bytes, log bytes) → rows`. The merged image is opened in memory, so that nothing is created beside the evidence and
 * the log counts. Trusted: the SQLite engine as a reader of pages. Not trusted: the schema (must be exactly ours, or a view or a
 * trigger could answer in the table's place), the values, the order.
 */
import { isUtf8 } from 'node:buffer';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { fileSha256, sha256 } from './hash.js';
import { Memory } from './memory.js';
import { mergeWal, pageSizeOf } from './wal.js';

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

const utf8 = 1;
const leafOfTable = 0x0d;

/** Equal bytes hold equal rows. */
export function readLedger(
  database: Uint8Array,
  log: Uint8Array | undefined,
  memory = new Memory(),
  lostPower = false,
): LedgerRows {
  const key = `${fileSha256(database)} ${log === undefined ? '' : fileSha256(log)}${lostPower ? ' lost' : ''}`;
  const before = memory.rows.get(key);
  if (before !== undefined) return before;
  const { image } = mergeWal(database, log, lostPower);
  const pageSize = pageSizeOf(image);
  // A page is written whole or not at all by whoever is killed, and what a log adds it adds in pages.
  if (!lostPower && pageSize > 0 && image.length % pageSize !== 0)
    throw new EvidenceError('ledger-unreadable', 'The database ends within a page.');
  const merged = sha256(image);
  // Most of what a power loss may leave differs in what no commit covers.
  const rows = memory.images.get(merged) ?? withMerged(image, rowsOf);
  memory.images.set(merged, rows);
  memory.rows.set(key, rows);
  return rows;
}

/** Opens the merged image in memory for the length of one call. */
export function withImage<T>(database: Uint8Array, log: Uint8Array | undefined, use: (db: Database.Database) => T): T {
  return withMerged(mergeWal(database, log).image, use);
}

function withMerged<T>(image: Buffer, use: (db: Database.Database) => T): T {
  if (image.length < 512 || image.subarray(0, 16).toString('latin1') !== 'SQLite format 3\0') {
    throw new EvidenceError('ledger-unreadable', 'There is no SQLite database in these bytes.');
  }
  // Both ids lie at fixed places of the header; asking SQL for them would cost more than the rest of the opening.
  if (image.readUInt32BE(68) !== ledgerV1.application_id || image.readUInt32BE(60) !== ledgerV1.user_version) {
    throw new EvidenceError('ledger-schema', 'The application id or the version is not that of ledger/v1.');
  }
  if (image.readUInt32BE(56) !== utf8) throw new EvidenceError('ledger-schema', 'The texts of the database are not UTF-8.');
  // The engine reads the schema before anything else can be asked of it.
  if (image.readUInt8(100) !== leafOfTable)
    throw new EvidenceError('ledger-schema', 'The tables and triggers do not lie in one page, as those of ledger/v1 do.');
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
  checkPages(db);
  const events = db
    .prepare(
      'SELECT seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest FROM events ORDER BY seq',
    )
    .all();
  const artifacts = db.prepare('SELECT sha256, media_type, bytes FROM artifacts ORDER BY sha256').all();
  for (const [table, rows] of Object.entries({ events, artifacts })) demandUtf8(db, table, rows as object[]);
  return { events: numbered(events as EventRow[]), artifacts: artifacts as ArtifactRow[] };
}

/** Every page has one place, every cell the type of its column: the engine's own check, which ends at the first that has not. */
function checkPages(db: Database.Database): void {
  const found = db.pragma('integrity_check(1)', { simple: true });
  if (found !== 'ok') throw new EvidenceError('ledger-unreadable', 'The pages of the database contradict one another.');
}

/** The engine counts further than a number does. */
function numbered(events: EventRow[]): EventRow[] {
  if (events.every(({ seq }) => Number.isSafeInteger(seq))) return events;
  throw new EvidenceError('ledger-unreadable', 'A seq of events is no safe integer.');
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
function demandUtf8(db: Database.Database, table: string, rows: readonly object[]): void {
  if (!rows.some(isDoubtful)) return;
  const columns = Object.keys(rows[0] ?? {});
  const stored = db.prepare(`SELECT ${columns.map((column) => `CAST(${column} AS BLOB)`).join()} FROM ${table}`);
  for (const cells of stored.raw().iterate() as Iterable<(Buffer | null)[]>) {
    const wrong = columns.find((column, index) => column !== 'bytes' && cells[index] !== null && !isUtf8(cells[index] as Buffer));
    if (wrong !== undefined) throw new EvidenceError('ledger-unreadable', `A text of ${table} (${wrong}) is not UTF-8.`);
  }
}

function isDoubtful(row: object): boolean {
  for (const column in row) {
    const value = row[column as never] as unknown;
    if (typeof value === 'string' && value.includes('\uFFFD')) return true;
  }
  return false;
}

/**
 * `(database bytes, log bytes) → rows`. The merged image is opened away from the evidence, so that nothing is created beside it and
 * the log counts. Trusted: the SQLite engine as a reader of pages. Not trusted: the schema (must be exactly ours, or a view or a
 * trigger could answer in the table's place), the values, the order.
 */
import { isUtf8 } from 'node:buffer';
import { ledgerV1 } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { fileSha256, sha256 } from './hash.js';
import { Memory } from './memory.js';
import type { Engine, OpenImage } from './sqlite/engine.js';
import { engineHere } from './sqlite/here.js';
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

const eventColumns = [
  ...['seq', 'type', 'task_id', 'call_id', 'attempt_id'],
  ...['compilation_id', 'payload', 'recorded_at', 'digest'],
];
/** As the header of a database says it. */
const utf8 = 1;
const leafOfTable = 0x0d;
const noBytes = Buffer.alloc(0);

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
  const rows = memory.images.get(merged) ?? withMerged(image, memory.engine(), rowsOf);
  memory.images.set(merged, rows);
  memory.rows.set(key, rows);
  return rows;
}

/** Opens the merged image in memory for the length of one call. */
export function withImage<T>(database: Uint8Array, log: Uint8Array | undefined, use: (db: OpenImage) => T): T {
  return withMerged(mergeWal(database, log).image, engineHere(), use);
}

function withMerged<T>(image: Buffer, engine: Engine, use: (db: OpenImage) => T): T {
  if (image.length < 512 || image.subarray(0, 16).toString('latin1') !== 'SQLite format 3\0') {
    throw new EvidenceError('ledger-unreadable', 'There is no SQLite database in these bytes.');
  }
  // Both ids lie at fixed places of the header; asking SQL for them would cost more than the rest of the opening.
  if (image.readUInt32BE(68) !== ledgerV1.application_id || image.readUInt32BE(60) !== ledgerV1.user_version) {
    throw new EvidenceError('ledger-schema', 'The application id or the version is not that of ledger/v1.');
  }
  // In another encoding a text has other bytes, and no writer of a ledger chose one.
  if (image.readUInt32BE(56) !== utf8) throw new EvidenceError('ledger-schema', 'The text encoding is not UTF-8.');
  // The engine reads the schema before anything else can be asked of it.
  if (image.readUInt8(100) !== leafOfTable)
    throw new EvidenceError('ledger-schema', 'The tables and triggers do not lie in one page, as those of ledger/v1 do.');
  // The merged image has no log; the two format bytes would make the engine look for one.
  image[18] = 1;
  image[19] = 1;
  return engine.open(image, use);
}

function rowsOf(db: OpenImage): LedgerRows {
  checkSchema(db);
  if (!db.isSound()) throw new EvidenceError('ledger-unreadable', 'The pages of the database contradict one another.');
  const events = db.rows('events', eventColumns, 'seq');
  const artifacts = db.rows('artifacts', ['sha256', 'media_type', 'bytes'], 'sha256');
  for (const [table, rows] of Object.entries({ events, artifacts })) demandUtf8(db, table, rows);
  // The values of other columns are not trusted to be of their type; whoever reads a row holds it against its shape.
  return { events: numbered(events as unknown as EventRow[]), artifacts: artifacts as unknown as ArtifactRow[] };
}

/** The engine counts further than a number does. */
function numbered(events: EventRow[]): EventRow[] {
  if (events.every(({ seq }) => Number.isSafeInteger(seq))) return events;
  throw new EvidenceError('ledger-unreadable', 'A seq of events is no safe integer.');
}

function checkSchema(db: OpenImage): void {
  const found = db
    .rows('sqlite_schema', ['sql'], 'rowid')
    .map(({ sql }) => String(sql))
    .sort();
  const wanted = [...ledgerV1.statements].sort();
  const same = found.length === wanted.length && found.every((sql, index) => sql === wanted[index]);
  if (!same) throw new EvidenceError('ledger-schema', 'The tables and triggers are not exactly those of ledger/v1.');
}

/** The driver decodes text tolerantly. Only a replacement character can hide bytes that are not UTF-8, so only then look closer. */
function demandUtf8(db: OpenImage, table: string, rows: readonly object[]): void {
  if (!rows.some(isDoubtful)) return;
  const columns = Object.keys(rows[0] ?? {});
  for (const cells of db.cells(table, columns)) {
    const wrong = columns.find((column, index) => column !== 'bytes' && !isUtf8(cells[index] ?? noBytes));
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

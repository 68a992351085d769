/**
 * Connections to a ledger file: identity and schema verified, durability set and read back.
 *
 * Measured: better-sqlite3 reports FULL on the connection that first enters WAL mode and NORMAL on every later one, so FULL is
 * set at each open and read back. SQLite before 3.51.3 can lose commits when one connection writes while another checkpoints.
 * Memory-mapped writes are off: a later power-loss model must see every write.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../../contract/data.js';
import { RuntimeError } from '../../core/errors.js';
import { syncFile } from '../../store/directory-sync.js';
import {
  demandAccess,
  demandRegular,
  demandRoom,
  exhausted,
  ledgerMissing,
  readError,
  systemCode,
} from '../../store/read-error.js';
import { damaged } from './rows.js';

/** How long a statement waits for another writer before `ledger-busy`. */
const busyTimeoutMs = 10_000;
const sqliteAtLeast = [3, 51, 3] as const;
const full = 2;
/**
 * Pages in the log before it is folded into the file and written over from its start. A log that grows costs more to sync than one
 * that is written over: measured over 400 calls, 15 % less time than with SQLite's default of 1000. Durability is the same.
 */
const foldAfterPages = 400;

/** As read back on the connection in use. */
export interface Settings {
  node: string;
  sqlite: string;
  journal_mode: string;
  synchronous: number;
}

export interface Connected {
  readonly database: Database.Database;
  /** Read back from the connection when they are asked for. */
  readonly settings: () => Settings;
}

export interface Look extends Connected {
  readonly journalMode: string;
}

export function sqliteVersion(): string {
  const database = new Database(':memory:');
  try {
    return versionOf(database);
  } finally {
    database.close();
  }
}

/**
 * A new, empty ledger in WAL mode, durable in itself; the caller gives it its final name. Until then nobody can see it, so one
 * sync at the end stands for all.
 */
export function createLedgerFile(path: string): void {
  const database = new Database(path);
  try {
    demandVersion(database);
    database.pragma('journal_mode = MEMORY');
    database.pragma('synchronous = OFF');
    database.pragma(`application_id = ${ledgerV1.application_id}`);
    database.pragma(`user_version = ${ledgerV1.user_version}`);
    database.transaction(() => {
      for (const statement of ledgerV1.statements) database.exec(statement);
    })();
    database.pragma('journal_mode = WAL');
  } finally {
    database.close();
  }
  syncFile(path);
}

/**
 * A connection that can look and never fold the log in: refusing must not change what it refuses. It is inside a transaction, which the caller
 * ends: identity, schema and events are those of one moment, and the log is locked once and not for each question.
 */
export function openToLook(path: string): Look {
  const database = opened(path, true);
  return closingOnError(database, path, () => {
    demandVersion(database);
    database.exec('BEGIN');
    demandIdentity(database);
    demandWholePages(database, path);
    const settings = (): Settings => {
      database.pragma('synchronous = FULL');
      return settingsOf(database);
    };
    return { database, journalMode: journalModeOf(database), settings };
  });
}

export function openToWrite(path: string): Connected {
  const database = opened(path, false);
  return closingOnError(database, path, () => {
    demandVersion(database);
    const settings = demandSettings(database);
    return { database, settings: () => settings };
  });
}

/** What SQLite keeps beside a ledger. */
export const besideLedger = ['-wal', '-shm', '-journal'] as const;

/** Refuses a ledger that is not there, is no file or may not be used, before anything is opened. */
export function demandLedgerFiles(path: string): void {
  if (!demandAccess(path, 'write')) throw ledgerMissing(path);
  for (const suffix of besideLedger) demandAccess(path + suffix, 'write');
}

/**
 * Translates what SQLite or the system says about an unusable file; anything else is passed on. To be asked while the connection is open:
 * closed, it gives back the descriptors whose want made it fail.
 */
export function translated(cause: unknown, path: string): unknown {
  if (systemCode(cause) !== null) return readError(path, cause);
  if (!(cause instanceof Database.SqliteError)) return cause;
  const { code, message } = cause;
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new RuntimeError(
      'ledger-busy',
      `Another process holds the ledger ${path}: ${message}. Nothing was changed; try again when it is done.`,
      { cause },
    );
  if (
    code.startsWith('SQLITE_CORRUPT') ||
    code === 'SQLITE_NOTADB' ||
    code === 'SQLITE_IOERR_SHORT_READ' ||
    code === 'SQLITE_ERROR'
  )
    return damaged(message, cause);
  return unopened(path, cause);
}

function unopened(path: string, cause: InstanceType<typeof Database.SqliteError>): RuntimeError {
  try {
    demandLedgerFiles(path);
    const none = exhausted(path, cause);
    if (none !== null) return none;
    // SQLite makes the log and its index anew where they are missing.
    if (['-wal', '-shm'].some((suffix) => !demandRegular(path + suffix))) demandRoom(dirname(path));
  } catch (found) {
    return found as RuntimeError;
  }
  return new RuntimeError(
    'state-unreadable',
    `${path} cannot be read: ${cause.message} (${cause.code}). Nothing was changed; check the disk and the folder's permissions.`,
    { cause },
  );
}

function opened(path: string, readonly: boolean): Database.Database {
  try {
    return new Database(path, { readonly, fileMustExist: true, timeout: busyTimeoutMs });
  } catch (cause) {
    if (cause instanceof Database.SqliteError) throw translated(cause, path);
    // The first opening also loads the library of SQLite, from a file.
    throw exhausted(path, cause) ?? cause;
  }
}

function closingOnError<T>(database: Database.Database, path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const error = translated(cause, path);
    database.close();
    throw error;
  }
}

function demandVersion(database: Database.Database): void {
  const version = versionOf(database);
  if (isAtLeast(version, sqliteAtLeast)) return;
  throw new RuntimeError(
    'sqlite-defective',
    `SQLite ${version} can lose commits in WAL mode. Install a better-sqlite3 with 3.51.3 or later.`,
  );
}

/** Compares dotted versions number by number. */
export function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of least.entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}

function demandIdentity(database: Database.Database): void {
  if (database.pragma('application_id', { simple: true }) !== ledgerV1.application_id)
    throw damaged('it is not a killpoint ledger');
  const version = database.pragma('user_version', { simple: true }) as number;
  if (version > ledgerV1.user_version)
    throw new RuntimeError(
      'version-newer',
      `The ledger has version ${version}; this program knows ${ledgerV1.user_version}. Update killpoint.`,
    );
  const found = database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').pluck().all() as string[];
  const expected: readonly string[] = ledgerV1.statements;
  if (
    version !== ledgerV1.user_version ||
    found.length !== expected.length ||
    found.some((sql, index) => sql !== expected[index])
  )
    throw damaged('its schema is not that of version 1');
}

/**
 * SQLite fills a last page that is cut short with zeros. With a write-ahead log that is a checkpoint which did not finish, and the
 * log repairs it; without one it is a cut file.
 */
function demandWholePages(database: Database.Database, path: string): void {
  const logSize = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (logSize > 0) return;
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  if (statSync(path).size % pageSize !== 0) throw damaged('its last page is cut short');
}

function demandSettings(database: Database.Database): Settings {
  database.exec(
    `PRAGMA mmap_size = 0; PRAGMA wal_autocheckpoint = ${foldAfterPages}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`,
  );
  const settings = settingsOf(database);
  const { journal_mode: journalMode, synchronous } = settings;
  if (!isDurable(settings))
    throw new RuntimeError(
      'settings-weak',
      `The ledger runs with journal_mode ${journalMode} and synchronous ${synchronous}, not wal and 2. Put it on a local file system.`,
    );
  return settings;
}

export function isDurable({ journal_mode, synchronous }: Settings): boolean {
  return journal_mode === 'wal' && synchronous === full;
}

function settingsOf(database: Database.Database): Settings {
  const journal_mode = journalModeOf(database);
  const synchronous = database.pragma('synchronous', { simple: true }) as number;
  return { node: process.versions.node, sqlite: versionOf(database), journal_mode, synchronous };
}

let library: string | null = null;

/** Of the library, which a process loads once: asked once. */
function versionOf(database: Database.Database): string {
  library ??= database.prepare('SELECT sqlite_version()').pluck().get() as string;
  return library;
}

function journalModeOf(database: Database.Database): string {
  return database.pragma('journal_mode', { simple: true }) as string;
}

/**
 * Who may act: the owner holds `BEGIN EXCLUSIVE` on `lease.sqlite`, a database that holds nothing.
 *
 * The kernel drops the lock when the owner dies, and keeps it while the owner is stopped; there is no time limit to guess. POSIX
 * drops a process's locks on a file when *any* descriptor of it is closed, so nothing else in the owning process may open it. The
 * journal is kept in memory, else a second file would appear beside it.
 *
 * An exclusive lock is taken in steps, and two that take it at the same moment can stop each other half-way: without a short wait,
 * nobody won in up to 5 of 100 measured races of two. The wait is for a step, not for an owner: that one may live for days.
 */
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { OwnerAlive, RuntimeError } from '../core/errors.js';
import { demandAccess, demandRegular, demandRoom, exhausted, systemCode } from './read-error.js';

export const leaseName = 'lease.sqlite';
const stepMs = 200;

export class Lease {
  private constructor(private readonly database: Database.Database) {}

  /** Takes the lease or throws `OwnerAlive`. */
  static take(directory: string): Lease {
    let database: Database.Database | null = null;
    const path = join(directory, leaseName);
    try {
      demandWritable(path);
      database = new Database(path, { timeout: stepMs });
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new Lease(database);
    } catch (cause) {
      const error = isBusy(cause) ? new OwnerAlive(directory) : unreadable(path, 'write', cause);
      database?.close();
      throw error;
    }
  }

  release(): void {
    this.database.close();
  }
}

/** Whether somebody holds the lease; changes nothing, makes no file. */
export function ownerAlive(directory: string): boolean {
  const path = join(directory, leaseName);
  const database = openForProbe(path);
  if (database === null) return false;
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    throw unreadable(path, 'read', cause);
  } finally {
    database.close();
  }
}

/** Null where it is proved that nobody ever took it. */
function openForProbe(path: string): Database.Database | null {
  try {
    if (!demandRegular(path)) return null;
    return new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
  } catch (cause) {
    throw unreadable(path, 'read', cause);
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
}

/**
 * Of a file that may only be read SQLite makes a connection that only reads, on which `BEGIN EXCLUSIVE` takes a shared lock and says nothing:
 * there would be two owners.
 */
function demandWritable(path: string): void {
  if (!demandAccess(path, 'write')) demandRoom(dirname(path));
}

/** A code of its own where the lease may not be read: the folder can still be looked at by who has it open. */
function unreadable(path: string, mode: 'read' | 'write', cause: unknown): RuntimeError {
  const found = refusal(path, mode);
  if (found !== null && found.code !== 'state-unreadable') return found;
  const none = found === null ? exhausted(path, cause) : null;
  if (none !== null) return none;
  const why = systemCode(found?.cause) ?? (cause instanceof Error ? cause.message : String(cause));
  return new RuntimeError(
    'lease-unreadable',
    `The lease ${path} cannot be read (${why}). Nothing was recorded; check its permissions and the folder's.`,
    { cause },
  );
}

function refusal(path: string, mode: 'read' | 'write'): RuntimeError | null {
  try {
    if (mode === 'write') demandWritable(path);
    else demandAccess(path, mode);
    return null;
  } catch (error) {
    return error as RuntimeError;
  }
}

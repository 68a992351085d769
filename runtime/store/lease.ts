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
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { OwnerAlive, RuntimeError } from '../core/errors.js';

export const leaseName = 'lease.sqlite';
const stepMs = 200;

export class Lease {
  private constructor(private readonly database: Database.Database) {}

  /** Takes the lease or throws `OwnerAlive`. */
  static take(directory: string): Lease {
    let database: Database.Database | null = null;
    try {
      database = new Database(join(directory, leaseName), { timeout: stepMs });
      database.pragma('journal_mode = MEMORY');
      database.exec('BEGIN EXCLUSIVE');
      return new Lease(database);
    } catch (cause) {
      database?.close();
      throw isBusy(cause) ? new OwnerAlive(directory) : unreadable(directory, cause);
    }
  }

  release(): void {
    this.database.close();
  }
}

/** Whether somebody holds the lease; changes nothing, makes no file. */
export function ownerAlive(directory: string): boolean {
  const path = join(directory, leaseName);
  if (!existsSync(path)) return false;
  const database = openForProbe(directory, path);
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    throw unreadable(directory, cause);
  } finally {
    database.close();
  }
}

function openForProbe(directory: string, path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
  } catch (cause) {
    throw unreadable(directory, cause);
  }
}

function isBusy(cause: unknown): boolean {
  return cause instanceof Database.SqliteError && cause.code.startsWith('SQLITE_BUSY');
}

function unreadable(directory: string, cause: unknown): RuntimeError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RuntimeError(
    'lease-unreadable',
    `The lease in ${directory} cannot be read: ${why}. Check the folder's permissions.`,
    { cause },
  );
}

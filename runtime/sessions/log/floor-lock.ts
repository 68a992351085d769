/**
 * One process after another: `BEGIN EXCLUSIVE` on a database that holds nothing.
 *
 * The file is never renamed and never removed: a lock belongs to a file, and whoever waits on one that is gone waits with nobody. The kernel
 * drops the lock of a process that dies.
 */
import Database from 'better-sqlite3';
import { demandRegular } from '../../store/read-error.js';

const waitMs = 30_000;

export function underLock<T>(path: string, work: () => T): T {
  demandRegular(path);
  const database = new Database(path, { timeout: waitMs });
  try {
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    return work();
  } finally {
    database.close();
  }
}

/**
 * A commit of the ledger against the bare thing: the same rows, inserted one transaction each by better-sqlite3, WAL and FULL.
 *
 * The bare loop has the bytes ready and checks nothing; the ledger makes canonical JSON, checks the shape, chains the digest and
 * compares the tail inside its transaction.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type * as ConnectionModule from '../../runtime/calls/ledger/connection.js';
import type * as LedgerModule from '../../runtime/calls/ledger/ledger.js';
import { atLeast, inFolder, median, milliseconds, pairs, ratio, shortPairs, type Measured } from './measure.js';

const commits = 1500;
const columns = ['seq', 'type', 'task_id', 'call_id', 'attempt_id', 'compilation_id', 'payload', 'recorded_at', 'digest'];
type Row = (string | number | null)[];

const task = { type: 'task.created' as const, task_id: 'task-1', payload: { title: 'Objectives without end' } };
const draftOf = (index: number) => ({
  type: 'objective.recorded' as const,
  task_id: 'task-1',
  payload: {
    objective_id: `objective-${index}`,
    statement: `Objective ${index}: ${'say what the paragraph claims. '.repeat(8)}`,
  },
});

/** Opens a fresh bare database and returns how to insert a row, as one commit. */
export function bareDatabase(path: string): { insert: (row: Row) => void; close: () => void } {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.exec(`CREATE TABLE events (seq INTEGER PRIMARY KEY, ${columns.slice(1).join(', ')})`);
  database.pragma('synchronous = FULL');
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('The bare loop does not run with FULL.');
  const statement = database.prepare(`INSERT INTO events VALUES (${columns.map(() => '?').join(', ')})`);
  return { insert: (row) => void statement.run(...row), close: () => void database.close() };
}

/** A payload is stored as its JSON; every other column is itself. */
function asColumn(value: unknown): string | number | null {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  return JSON.stringify(value);
}

export async function measureCommits(build: string): Promise<Measured[]> {
  const { Ledger } = (await import(join(build, 'runtime/calls/ledger/ledger.js'))) as typeof LedgerModule;
  const { createLedgerFile } = (await import(join(build, 'runtime/calls/ledger/connection.js'))) as typeof ConnectionModule;
  return inFolder(async (folder) => {
    let rows: Row[] = [];
    let name = 0;
    const ledgerSide = async (): Promise<number> => {
      const path = join(folder, `ledger-${name++}.sqlite`);
      createLedgerFile(path);
      const ledger = Ledger.open(path);
      ledger.append([task, draftOf(0)]);
      const written: unknown[] = [];
      const time = await milliseconds(() => {
        for (let index = 1; index <= commits; index++) written.push(...ledger.append([draftOf(index)]));
      });
      rows = written.map((event) => columns.map((column) => asColumn((event as Record<string, unknown>)[column])));
      ledger.close();
      return time;
    };
    const bareSide = (): Promise<number> => {
      const bare = bareDatabase(join(folder, `bare-${name++}.sqlite`));
      const time = milliseconds(() => {
        for (const row of rows) bare.insert(row);
      });
      bare.close();
      return time;
    };
    // One unmeasured turn each: the rows for the bare side, and warm code on both.
    await ledgerSide();
    await bareSide();
    const measured = await pairs(shortPairs, bareSide, ledgerSide);
    const perSecond = (side: 0 | 1): number => Math.round(commits / (median(measured.map((pair) => pair[side])) / 1000));
    return [atLeast('commit ÷ bare insert', ratio(measured), 0.8, `${perSecond(1)} and ${perSecond(0)} a second`)];
  });
}

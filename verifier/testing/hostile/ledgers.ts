/**
 * Databases that an engine would take: with more in them than the contract has, with less, with pages that lead to one another without end, and
 * with logs that speak of another database or of more pages than there is memory for.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ledgerV1 } from '../../contract/data.js';
import type { Editor } from '../../mutations/editor.js';
import { mergeWal } from '../../read/wal.js';
import { goodOf, snapshotFolder, type Hostile } from './hostile.js';
import { schemaTower, tower } from './page-towers.js';
import { walOf } from './wal-bytes.js';

const ledger = `${snapshotFolder}state/ledger.sqlite`;
const log = `${ledger}-wal`;
const pageBytes = 4096;

/** What is done to the files is told by the inventories too. */
function covered(change: (editor: Editor) => void): (editor: Editor) => void {
  return (editor) => {
    // What its log holds is merged into it before.
    editor.files.delete(log);
    editor.files.set(ledger, merged());
    change(editor);
    const snapshot = editor.findAny((one) => one.file('') === snapshotFolder);
    if (snapshot !== undefined) editor.coverFiles(snapshot);
  };
}

const row = (what: string, change: (editor: Editor) => void, more: Partial<Hostile> = {}): Hostile => ({
  what: `a ledger ${what}`,
  edit: covered(change),
  exit: 1,
  codes: ['ledger-schema'],
  at: ledger,
  ...more,
});

/** By the engine, in a file of its own, since some of it cannot be done in memory. */
function changedBy(use: (db: Database.Database) => void, base = merged()): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-ledger-'));
  try {
    const path = join(folder, 'ledger.sqlite');
    writeFileSync(path, base);
    const db = new Database(path);
    db.unsafeMode(true);
    use(db);
    db.pragma('journal_mode = delete');
    db.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function merged(): Buffer {
  const { files } = goodOf('calls');
  return mergeWal(files.get(ledger) ?? Buffer.alloc(0), files.get(log)).image;
}

const sql = (text: string) => (editor: Editor) =>
  void editor.files.set(
    ledger,
    changedBy((db) => void db.exec(text)),
  );

function raw(change: (bytes: Buffer) => Buffer | void): (editor: Editor) => void {
  return (editor) => {
    const bytes = changedBy(() => undefined);
    editor.files.set(ledger, change(bytes) ?? bytes);
  };
}

/** The same rows under the same names, in tables that were made otherwise. */
function made(
  pragma: string,
  loosely: boolean,
  also: (db: Database.Database) => void = () => undefined,
): (editor: Editor) => void {
  return (editor) => {
    const good = new Database(Buffer.from(changedBy(() => undefined)));
    const events = good.prepare('SELECT * FROM events').raw().all() as unknown[][];
    const artifacts = good.prepare('SELECT * FROM artifacts').raw().all() as unknown[][];
    good.close();
    const bytes = changedBy((db) => {
      db.exec(pragma);
      const [tables, triggers] = [ledgerV1.statements.slice(0, 2), ledgerV1.statements.slice(2)];
      for (const statement of tables) db.exec(loosely ? statement.replace('STRICT, ', '').replace(/ STRICT$/, '') : statement);
      for (const event of events) db.prepare(`INSERT INTO events VALUES (${event.map(() => '?').join()})`).run(...event);
      for (const artifact of artifacts) db.prepare('INSERT INTO artifacts VALUES (?, ?, ?)').run(...artifact);
      also(db);
      for (const trigger of triggers) db.exec(trigger);
      db.pragma(`application_id = ${ledgerV1.application_id}`);
      db.pragma(`user_version = ${ledgerV1.user_version}`);
      if (!loosely) return;
      db.pragma('writable_schema = ON');
      for (const statement of tables)
        db.prepare('UPDATE sqlite_schema SET sql = ? WHERE type = ? AND name = ?').run(
          statement,
          'table',
          /TABLE (\w+)/.exec(statement)?.[1],
        );
    }, Buffer.alloc(0));
    editor.files.set(ledger, bytes);
  };
}

const unreadable = { codes: ['ledger-unreadable'] } as const;

const contents: Hostile[] = [
  row('with a view more', sql('CREATE VIEW more AS SELECT * FROM events')),
  row('with a trigger more', sql('CREATE TRIGGER more AFTER INSERT ON events BEGIN SELECT 1; END')),
  row('with an index more', sql('CREATE INDEX more ON events (type)')),
  row('with a virtual table', sql('CREATE VIRTUAL TABLE more USING fts5(x)')),
  row('with a generated column', sql('ALTER TABLE events ADD COLUMN more TEXT GENERATED ALWAYS AS (upper(payload)) VIRTUAL')),
  row('whose table is a view', sql('ALTER TABLE events RENAME TO hidden; CREATE VIEW events AS SELECT * FROM hidden')),
  row('in UTF-16', made("PRAGMA encoding = 'UTF-16le'", false)),
  row('with pages of 512 bytes', made('PRAGMA page_size = 512', false)),
  row('with pages of 65,536 bytes, which says nothing else', made('PRAGMA page_size = 65536', false), { exit: 0, codes: [] }),
  row(
    'with bytes for a payload',
    made('', true, (db) => void db.exec("UPDATE events SET payload = x'7b7d' WHERE seq = 1")),
    unreadable,
  ),
  row(
    'with bytes for a type',
    made('', true, (db) => void db.exec("UPDATE events SET type = x'00' WHERE seq = 1")),
    unreadable,
  ),
  row(
    'with a text for bytes',
    made('', true, (db) => void db.exec("UPDATE artifacts SET bytes = 'text'")),
    unreadable,
  ),
  row(
    'with nothing for bytes',
    made('', true, (db) => void db.exec('INSERT INTO artifacts VALUES (1, 2, 3.5)')),
    unreadable,
  ),
  row(
    'with a seq that no number holds',
    made('', false, (db) => void db.exec('UPDATE events SET seq = 1152921504606846976 WHERE seq = 2')),
    unreadable,
  ),
  row(
    'with a text that is no UTF-8',
    made('', false, (db) => void db.exec("UPDATE events SET payload = CAST(x'22ff22' AS TEXT) WHERE seq = 1")),
    unreadable,
  ),
  row('with 200,000 artifacts that nobody names', manyArtifacts, {
    codes: ['artifact-altered', 'artifact-orphaned', 'export-mismatch'],
  }),
];

function manyArtifacts(editor: Editor): void {
  const sqlText = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO artifacts SELECT printf('%064d', i), 'x', x'' FROM n`;
  editor.files.set(
    ledger,
    changedBy((db) => void db.exec(sqlText)),
  );
}

const pages: Hostile[] = [
  row(
    'of nothing',
    raw(() => Buffer.alloc(0)),
    unreadable,
  ),
  row(
    'of noise',
    raw((bytes) => Buffer.from(bytes.map((_byte, at) => (at * 37) & 255))),
    unreadable,
  ),
  row(
    'that was cut in a page',
    raw((bytes) => bytes.subarray(0, bytes.length - 100)),
    unreadable,
  ),
  row(
    'with a page of zeros',
    raw((bytes) => void bytes.fill(0, pageBytes, 2 * pageBytes)),
    unreadable,
  ),
  row(
    'whose free pages lead to themselves',
    raw((bytes) => void (bytes.writeUInt32BE(2, 32), bytes.writeUInt32BE(9, 36))),
    unreadable,
  ),
  row('whose pages lead to one another without end', raw(tower), unreadable),
  row('whose schema leads to itself without end', raw(schemaTower), { codes: ['ledger-schema'] }),
  row('with two tables in one page', sharedRoot, unreadable),
];

function sharedRoot(editor: Editor): void {
  const bytes = changedBy((db) => {
    db.pragma('writable_schema = ON');
    db.exec(
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'events') WHERE name = 'artifacts'",
    );
  });
  editor.files.set(ledger, bytes);
}

const wal = (make: (database: Buffer) => Buffer) => (editor: Editor) => {
  const database = changedBy(() => undefined);
  editor.files.set(ledger, database);
  editor.files.set(log, make(database));
};
const firstPage = (database: Buffer): Buffer => database.subarray(0, pageBytes);

const sidecars: Hostile[] = [
  row(
    'with a log of another page size',
    wal((database) => walOf(8192, [[1, 3, Buffer.concat([database, database]).subarray(0, 8192)]])),
    unreadable,
  ),
  row(
    'with a log that says 4,294,967,295 pages',
    wal((database) => walOf(pageBytes, [[1, 0xffffffff, firstPage(database)]])),
    unreadable,
  ),
  row(
    'with a log that says 3 GiB of pages',
    wal((database) => walOf(pageBytes, [[1, 786_432, firstPage(database)]])),
    unreadable,
  ),
  row(
    'with a log that cuts it to one page',
    wal((database) => walOf(pageBytes, [[1, 1, firstPage(database)]])),
    unreadable,
  ),
  row(
    'with a log of another database',
    wal(() => foreignLog()),
    { codes: ['ledger-schema'] },
  ),
  row(
    'with a log of noise',
    wal((database) => Buffer.from(database.map((_byte, at) => (at * 37) & 255))),
    unreadable,
  ),
  row(
    'with a log of nothing',
    wal(() => Buffer.alloc(0)),
    { exit: 0, codes: [] },
  ),
  row('with a journal beside it', (editor) => void editor.files.set(`${ledger}-journal`, Buffer.alloc(512)), {
    at: `${ledger}-journal`,
    codes: ['state-malformed'],
  }),
];

function foreignLog(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'killpoint-ledger-'));
  try {
    const path = join(folder, 'other.sqlite');
    const db = new Database(path);
    db.exec('PRAGMA journal_mode = wal; CREATE TABLE other (a); INSERT INTO other VALUES (1)');
    const bytes = readFileSync(`${path}-wal`);
    db.close();
    return bytes;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const ledgers: readonly Hostile[] = [...contents, ...pages, ...sidecars];

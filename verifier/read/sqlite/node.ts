/**
 * Node's own engine, where there is one. Versions that cannot open an image in memory get it as a file that only this user can read, in a folder
 * of its own, which goes away in any case but a kill.
 *
 * Its driver would cut a text at a zero byte and refuse a large integer; so text is fetched as bytes, and integers as what they are.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EvidenceError } from '../../errors.js';
import { unreadable, type Engine, type OpenImage, type Row } from './engine.js';

interface Statement {
  all(): Row[];
  iterate(): Iterable<Row>;
  run(...parameters: readonly unknown[]): unknown;
  setReadBigInts(enabled: boolean): void;
}

interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
  /** Since Node 24. */
  serialize?(): Uint8Array;
  deserialize?(image: Uint8Array): void;
}

export interface NodeSqlite {
  DatabaseSync: new (path: string) => Connection;
}

/** Undefined where this Node has none, or only behind an option. */
export function nodeSqlite(): NodeSqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
}

export function nodeEngine({ DatabaseSync }: NodeSqlite): Engine {
  const canDeserialize = 'deserialize' in DatabaseSync.prototype;
  return {
    open(image, use) {
      if (!canDeserialize) {
        return inFile(image, (path) =>
          within(
            () => new DatabaseSync(path),
            (db) => use(opened(db, () => readFileSync(path))),
          ),
        );
      }
      return within(
        () => new DatabaseSync(':memory:'),
        (db) => {
          db.deserialize?.(image);
          return use(opened(db, () => Buffer.from(db.serialize?.() ?? [])));
        },
      );
    },
  };
}

/** What the driver throws itself names SQLite in its code. */
function within<T>(connect: () => Connection, use: (db: Connection) => T): T {
  let db: Connection | undefined;
  try {
    db = connect();
    return use(db);
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR' ? unreadable(cause) : cause;
  } finally {
    db?.close();
  }
}

function inFile<T>(image: Buffer, use: (path: string) => T): T {
  let folder: string | undefined;
  try {
    let path: string;
    try {
      folder = mkdtempSync(join(tmpdir(), 'killpoint-verify-'));
      path = join(folder, 'image.sqlite');
      writeFileSync(path, image, { mode: 0o600, flag: 'wx' });
    } catch (cause) {
      throw new EvidenceError('no-engine', 'The SQLite engine here needs a temporary file, which cannot be written.', { cause });
    }
    return use(path);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function opened(db: Connection, serialize: () => Buffer): OpenImage {
  const statement = (sql: string): Statement => {
    const prepared = db.prepare(sql);
    prepared.setReadBigInts(true);
    return prepared;
  };
  return {
    rows: (table, columns, order) => {
      const parts = columns.flatMap((column) => [
        `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END AS ${column}`,
        `typeof(${column}) = 'text' AS ${isText(column)}`,
      ]);
      const found = statement(`SELECT ${parts.join()} FROM ${table} ORDER BY ${table}.${order}`).all();
      return found.map((row) => Object.fromEntries(columns.map((column) => [column, valueIn(row, column)])));
    },
    *cells(table, columns) {
      const parts = columns.map((column) => `CAST(${column} AS BLOB) AS ${column}`);
      for (const row of statement(`SELECT ${parts.join()} FROM ${table}`).iterate())
        yield columns.map((column) => row[column] as Uint8Array | null);
    },
    isSound: () => statement('PRAGMA integrity_check(1)').all()[0]?.['integrity_check'] === 'ok',
    exec: (sql) => db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    serialize,
  };
}

function isText(column: string): string {
  return `${column}_is_text`;
}

function valueIn(row: Row, column: string): unknown {
  const value = row[column];
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof Uint8Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return row[isText(column)] === 1n ? bytes.toString('utf8') : bytes;
}

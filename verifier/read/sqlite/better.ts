/** better-sqlite3, whose addon is loaded when the first image is opened and may be missing or made for another Node. */
import Database from 'better-sqlite3';
import { unreadable, type Engine, type OpenImage, type Row } from './engine.js';

export const better: Engine = {
  open(image, use) {
    let db: Database.Database | undefined;
    try {
      db = new Database(image);
      return use(opened(db));
    } catch (cause) {
      throw cause instanceof Database.SqliteError ? unreadable(cause) : cause;
    } finally {
      db?.close();
    }
  },
};

/** Throws where the addon cannot be loaded. */
export function loadBetter(): void {
  new Database(':memory:').close();
}

function opened(db: Database.Database): OpenImage {
  return {
    rows: (table, columns, order) => db.prepare(`SELECT ${columns.join()} FROM ${table} ORDER BY ${order}`).all() as Row[],
    cells: (table, columns) => {
      const bytes = columns.map((column) => `CAST(${column} AS BLOB)`);
      return db.prepare(`SELECT ${bytes.join()} FROM ${table}`).raw().iterate() as Iterable<(Buffer | null)[]>;
    },
    isSound: () => db.pragma('integrity_check(1)', { simple: true }) === 'ok',
    exec: (sql) => void db.exec(sql),
    prepare: (sql) => db.prepare(sql),
    serialize: () => db.serialize(),
  };
}

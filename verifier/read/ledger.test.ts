import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { ledgerV1 } from '../contract/data.js';
import { Book } from '../testing/world.js';
import { parseEvents } from './events.js';
import { readLedger } from './ledger.js';

function image(change: (db: Database.Database) => void): Buffer {
  const db = new Database(':memory:');
  db.pragma(`application_id = ${ledgerV1.application_id}`);
  db.pragma(`user_version = ${ledgerV1.user_version}`);
  for (const sql of ledgerV1.statements) db.exec(sql);
  change(db);
  const bytes = db.serialize();
  db.close();
  return bytes;
}

const row = "INSERT INTO events VALUES (1, 'task.created', 'task-1', NULL, NULL, NULL, ?, '2026-01-01T00:00:00.000Z', ?)";

describe('a killed ledger', () => {
  const book = new Book().open();
  const { db, wal } = book.ledgerBytes();

  it('is read from database and log', () => {
    const { events, problems } = parseEvents(readLedger(db, wal));
    expect(problems).toEqual([]);
    expect(events).toEqual(book.events);
    expect(parseEvents(readLedger(db, undefined)).events).toEqual([]);
  });

  it('leaves its bytes as they were', () => {
    const before = Buffer.from(db);
    readLedger(db, wal);
    expect(db.equals(before)).toBe(true);
  });

  it('loses whole events and nothing else to a cut log', () => {
    const counts = new Set<number>();
    const cuts = Array.from({ length: Math.ceil(wal.length / 1031) }, (_cut, step) => step * 1031);
    for (const cut of [...cuts, wal.length]) {
      const { events, problems } = parseEvents(readLedger(db, wal.subarray(0, cut)));
      expect(problems).toEqual([]);
      expect(events).toEqual(book.events.slice(0, events.length));
      counts.add(events.length);
    }
    expect([...counts].sort()).toEqual([0, 1, 2, 3]);
  });
});

function patched(change: (bytes: Buffer) => void): Buffer {
  const bytes = image(() => undefined);
  change(bytes);
  return bytes;
}

function farAway(db: Database.Database): void {
  db.exec(`DROP TRIGGER events_gapless; ${row.replace('(1,', '(1152921504606846976,').replace('?', "'{}'").replace('?', "'x'")}`);
  db.exec(ledgerV1.statements.find((sql) => sql.includes('events_gapless')) ?? '');
}

/** What the engine would never take, under a schema that says so. */
function loosely(db: Database.Database): void {
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  const [wanted = ''] = ledgerV1.statements;
  const set = db.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'events'");
  set.run(wanted.replace(/ STRICT$/, ''));
  db.pragma('schema_version = 100');
  db.exec(row.replace('?', "x'7b7d'").replace('?', "'x'"));
  set.run(wanted);
}

function sharedRoot(db: Database.Database): void {
  db.unsafeMode(true);
  db.pragma('writable_schema = ON');
  db.exec(
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'events') WHERE name = 'artifacts'",
  );
}

describe('what is no ledger', () => {
  const refusal = (bytes: Buffer): string => {
    try {
      readLedger(bytes, undefined);
      return 'read';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  it.each<[string, string, Buffer]>([
    ['no bytes', 'ledger-unreadable', Buffer.alloc(0)],
    ['other bytes', 'ledger-unreadable', Buffer.alloc(4096, 7)],
    ['a schema and nothing else', 'read', image(() => undefined)],
    ['a trigger less', 'ledger-schema', image((db) => void db.exec('DROP TRIGGER events_no_update'))],
    ['a table more', 'ledger-schema', image((db) => void db.exec('CREATE TABLE notes (text TEXT)'))],
    ['an index more', 'ledger-schema', image((db) => void db.exec('CREATE INDEX by_type ON events (type)'))],
    ['another version', 'ledger-schema', image((db) => void db.pragma('user_version = 2'))],
    ['another application', 'ledger-schema', image((db) => void db.pragma('application_id = 1'))],
    [
      'text that is not UTF-8',
      'ledger-unreadable',
      image((db) => void db.exec(row.replace('?', "CAST(x'7b22ff227d' AS TEXT)").replace('?', "'x'"))),
    ],
    ['a seq beyond every safe integer', 'ledger-unreadable', image(farAway)],
    ['bytes where the schema demands a text', 'ledger-unreadable', image(loosely)],
    ['a schema that does not lie in the first page', 'ledger-schema', patched((bytes) => void bytes.writeUInt8(5, 100))],
    ['texts in another encoding', 'ledger-schema', patched((bytes) => void bytes.writeUInt32BE(2, 56))],
    [
      'free pages that lead to themselves',
      'ledger-unreadable',
      patched((bytes) => void (bytes.writeUInt32BE(2, 32), bytes.writeUInt32BE(9, 36))),
    ],
    ['an end within a page', 'ledger-unreadable', image(() => undefined).subarray(0, -100)],
    ['two tables in one page', 'ledger-unreadable', image(sharedRoot)],
  ])('%s: %s', (_what, code, bytes) => expect(refusal(bytes)).toBe(code));

  it('has payloads that are judged one by one', () => {
    const codes = (payload: string): string[] =>
      parseEvents(
        readLedger(
          image((db) => void db.prepare(row).run(payload, '0'.repeat(64))),
          undefined,
        ),
      ).problems.map(({ code }) => code);
    expect(codes('{"title":"T"}')).toEqual(['event-chain-broken']);
    expect(codes('{"title": "T"}')).toEqual(['event-malformed', 'event-chain-broken']);
    expect(codes('{"title":"T","title":"T"}')).toEqual(['event-malformed', 'event-chain-broken']);
    expect(codes('{"title":"\uFFFD"}')).toEqual(['event-chain-broken']);
    expect(codes('{"title":"\\ud800"}')).toEqual(['event-malformed']);
    expect(codes('{}')).toEqual(['event-malformed']);
    expect(codes('not JSON')).toEqual(['event-malformed']);
  });
});

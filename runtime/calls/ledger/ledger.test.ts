import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ledgerV1 } from '../../contract/data.js';
import { chainStart, eventDigest } from '../core/event-digest.js';
import { newFolder, open, prepare, types } from '../testing/folder.js';
import { isAtLeast } from './connection.js';
import type { Ledger } from './ledger.js';
import type { Row } from './rows.js';
import { openStateFolder } from './state-folder.js';

const withCode = (code: string) => expect.objectContaining({ code });
const ledgerIn = (folder: string): string => join(folder, 'ledger.sqlite');
const reopen = (folder: string): Ledger => openStateFolder(folder, false).ledger;

function recorded(): string {
  const folder = newFolder();
  const runtime = open(folder);
  prepare(runtime);
  runtime.close();
  return folder;
}

describe('durability', () => {
  test('a new ledger and a reopened one run in WAL mode with FULL, read back', () => {
    const folder = newFolder();
    for (const create of [true, false, false]) {
      const { ledger, lease } = openStateFolder(folder, create);
      expect(ledger.settings).toMatchObject({ journal_mode: 'wal', synchronous: 2 });
      ledger.close();
      lease?.release();
    }
  });

  test('the settings of a ledger that was closed are refused, as all else of it', () => {
    const ledger = reopen(recorded());
    expect(ledger.settings.journal_mode).toBe('wal');
    ledger.close();
    expect(() => ledger.settings).toThrow(withCode('closed'));
  });

  test('the file is exactly what the contract says', () => {
    const database = new Database(ledgerIn(recorded()), { readonly: true });
    expect(database.pragma('application_id', { simple: true })).toBe(ledgerV1.application_id);
    expect(database.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').pluck().all()).toEqual([
      ...ledgerV1.statements,
    ]);
    database.close();
  });

  test('events and artifacts cannot be changed, removed or left out', () => {
    const database = new Database(ledgerIn(recorded()));
    for (const sql of [
      "UPDATE events SET type = 'x'",
      'DELETE FROM events WHERE seq = 5',
      "UPDATE artifacts SET media_type = 'x'",
      'DELETE FROM artifacts',
      "INSERT INTO events VALUES (9, 'x', 't', NULL, NULL, NULL, '{}', 'now', 'd')",
    ])
      expect(() => database.exec(sql)).toThrow(/append-only|grow by one/);
    database.close();
  });

  test.each([
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.9.9', false],
    ['3.53', true],
    ['4.0.0', true],
  ])('SQLite %s is good enough: %s', (version, good) => {
    expect(isAtLeast(version, [3, 51, 3])).toBe(good);
  });
});

describe('appending', () => {
  const created = (id: string) => ({ type: 'task.created' as const, task_id: id, payload: { title: id } });

  test('a ledger that somebody else appended to refuses, and appends nothing', () => {
    const folder = recorded();
    const [late, early] = [reopen(folder), reopen(folder)];
    early.append([created('early')]);
    expect(() => late.append([created('late')])).toThrow(withCode('overtaken'));
    expect(() => late.append([created('late')])).toThrow(withCode('overtaken'));
    late.close();
    early.close();
    const now = reopen(folder);
    expect(now.history.events.map((event) => event.task_id).slice(5)).toEqual(['early']);
    now.close();
  });

  test('an event without its shape is refused before anything is written', () => {
    const ledger = reopen(recorded());
    expect(() => ledger.append([created('good'), { ...created('bad'), payload: { title: '' } }])).toThrow(
      withCode('input-invalid'),
    );
    expect(() => ledger.append([created('no id')])).toThrow(withCode('input-invalid'));
    expect(ledger.nextSeq).toBe(6);
    ledger.close();
  });

  test('a writer that waits is not a failure: the append lands when the other is done', async () => {
    const folder = recorded();
    const ledger = reopen(folder);
    const holder = spawn(process.execPath, ['-e', holding, ledgerIn(folder)], {
      cwd: process.cwd(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    const began = performance.now();
    ledger.append([created('waited')]);
    expect(performance.now() - began).toBeGreaterThan(300);
    ledger.close();
    await once(holder, 'exit');
  });

  const holding = `
    const database = new (require('better-sqlite3'))(process.argv[1]);
    database.exec('BEGIN IMMEDIATE');
    require('fs').writeSync(1, 'held');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    database.exec('ROLLBACK');`;
});

describe('refusing to open', () => {
  test('an absent folder, unless asked to create it', () => {
    const folder = newFolder();
    expect(() => openStateFolder(folder, false)).toThrow(withCode('state-absent'));
    expect(fs.existsSync(folder)).toBe(false);
  });

  test('a folder of something else, also when asked to create', () => {
    const folder = newFolder();
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect(() => openStateFolder(folder, true)).toThrow(withCode('directory-foreign'));
    expect(fs.readdirSync(folder)).toEqual(['notes.txt']);
  });

  test.each([
    ['another product', '{"product":"other","storage":"ledger/v1","subject":"calls"}\n', 'directory-foreign'],
    ['a session', '{"product":"killpoint","storage":"wal/v1","subject":"sessions"}\n', 'directory-foreign'],
    ['a newer storage', '{"product":"killpoint","storage":"ledger/v2","subject":"calls"}\n', 'version-newer'],
    ['no JSON', '{"product"', 'ledger-damaged'],
    [
      'a record with more members',
      '{"extra":1,"product":"killpoint","storage":"ledger/v1","subject":"calls"}\n',
      'ledger-damaged',
    ],
  ])('format.json of %s', (_name, format, code) => {
    const folder = recorded();
    fs.writeFileSync(join(folder, 'format.json'), format);
    expect(() => openStateFolder(folder, true)).toThrow(withCode(code));
  });

  test('a missing ledger is not started anew', () => {
    const folder = recorded();
    fs.rmSync(ledgerIn(folder));
    expect(() => openStateFolder(folder, true)).toThrow(withCode('ledger-missing'));
  });

  test('a ledger that is a directory', () => {
    const folder = recorded();
    fs.rmSync(ledgerIn(folder));
    fs.mkdirSync(ledgerIn(folder));
    expect(() => openStateFolder(folder, true)).toThrow(withCode('state-wrong-kind'));
  });

  test('a state folder that is a file', () => {
    const folder = newFolder();
    fs.mkdirSync(join(folder, '..'), { recursive: true });
    fs.writeFileSync(folder, '');
    expect(() => openStateFolder(folder, true)).toThrow(withCode('state-wrong-kind'));
  });

  test('a ledger whose format.json is gone, although it holds events', () => {
    const folder = recorded();
    fs.rmSync(join(folder, 'format.json'));
    expect(() => openStateFolder(folder, true)).toThrow(withCode('directory-foreign'));
  });

  test('a newer version, another schema, an altered event', () => {
    const change = (sql: string): string => {
      const folder = recorded();
      const database = new Database(ledgerIn(folder));
      database.exec(sql);
      database.close();
      return folder;
    };
    expect(() => reopen(change('PRAGMA user_version = 2'))).toThrow(withCode('version-newer'));
    expect(() => reopen(change('CREATE TABLE more (x)'))).toThrow(withCode('ledger-damaged'));
    expect(() => reopen(change('PRAGMA application_id = 1'))).toThrow(withCode('ledger-damaged'));
    expect(() => reopen(change(withoutGuard('UPDATE events SET payload = \'{"title":"Other"}\' WHERE seq = 1')))).toThrow(
      withCode('ledger-damaged'),
    );
    expect(() => reopen(change(withoutGuard('DELETE FROM events WHERE seq = 2')))).toThrow(withCode('ledger-damaged'));
  });

  test.each([
    ['a space', (text: string) => text.replace('{', '{ ')],
    ['a name that is repeated', (text: string) => text.replace('{', '{"title":"Other",')],
    ['a number with a fraction that is none', (text: string) => text.replace(/"budget_tokens":\d+/, '$&.0')],
  ])('a payload with %s, under a digest of its own', (_what, spelled) => {
    const folder = recorded();
    const database = new Database(ledgerIn(folder));
    const rows = database.prepare('SELECT * FROM events ORDER BY seq').all() as Row[];
    let [prev, altered] = [chainStart, 0];
    const updates = rows.map((row) => {
      const payload = altered === 0 ? spelled(row.payload) : row.payload;
      if (payload !== row.payload) altered = row.seq;
      prev = eventDigest({ ...row, payload }, prev);
      return `UPDATE events SET payload = '${payload.replaceAll("'", "''")}', digest = '${prev}' WHERE seq = ${row.seq}`;
    });
    database.exec(withoutGuard(updates.join(';\n')));
    database.close();
    expect(altered).toBeGreaterThan(0);
    expect(() => reopen(folder)).toThrow(withCode('ledger-damaged'));
    expect(() => reopen(folder)).toThrow(`event ${altered} holds a payload that is not canonical`);
  });

  /** The guards are taken off and put back, so that only the digest chain can tell. */
  function withoutGuard(sql: string): string {
    const guards = ledgerV1.statements.filter((statement) => statement.startsWith('CREATE TRIGGER'));
    const names = guards.map((guard) => /CREATE TRIGGER (\w+)/.exec(guard)?.[1]);
    return [...names.map((name) => `DROP TRIGGER ${name}`), sql, ...guards].join(';\n');
  }
});

test('a ledger cut at any length is refused by name and left as it was', () => {
  const folder = recorded();
  const whole = fs.readFileSync(ledgerIn(folder));
  const lengths = [0, 1, 99, 100, 512, 4095, 4096, 4097, 8192, whole.length >> 1, whole.length - 4096, whole.length - 1];
  for (const length of lengths) {
    fs.writeFileSync(ledgerIn(folder), whole.subarray(0, length));
    expect(() => openStateFolder(folder, true), `cut at ${length}`).toThrow(withCode('ledger-damaged'));
    expect(fs.readFileSync(ledgerIn(folder)).equals(whole.subarray(0, length))).toBe(true);
  }
  fs.writeFileSync(ledgerIn(folder), whole);
  const ledger = reopen(folder);
  expect(ledger.history.lastSeq).toBe(5);
  ledger.close();
});

test('a creation that died is finished by the next one that asks for it', () => {
  const folder = newFolder();
  open(folder).close();
  fs.rmSync(join(folder, 'format.json'));
  fs.writeFileSync(join(folder, 'ledger.sqlite.new'), 'half');
  expect(() => openStateFolder(folder, false)).toThrow(withCode('state-unfinished'));
  const runtime = open(folder);
  prepare(runtime);
  expect(types(runtime)).toHaveLength(5);
  runtime.close();
});

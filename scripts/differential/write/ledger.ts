/**
 * A history of calls → `format.json` and `ledger.sqlite` (and its log), as the contract has them: the schema to the letter, rows chained
 * by digest, the artifacts that events name.
 *
 * Written by the SQLite engine and nothing of the runtime. The triggers that would refuse a breach are made last.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { placesOf, resolved, type CallsHistory, type EventDraft, type Forgery } from '../history/drafts.js';
import { namedIn } from './artifacts.js';
import { canonical, sha256 } from './canonical.js';
import type { Contract } from './contract.js';
import { spoiled } from './spoil.js';

export type Files = ReadonlyMap<string, Buffer>;

export interface Row {
  readonly seq: number;
  readonly type: string;
  readonly task_id: string;
  readonly call_id: string | null;
  readonly attempt_id: string | null;
  readonly compilation_id: string | null;
  readonly payload: string;
  readonly recorded_at: string;
  readonly digest: string;
}

const recordedAt = '2026-01-01T00:00:00.000Z';
const format = Buffer.from(`${canonical({ product: 'killpoint', storage: 'ledger/v1', subject: 'calls' })}\n`);

/** The rows of a history, chained. */
export function rowsOf({ drafts, forgeries }: Pick<CallsHistory, 'drafts' | 'forgeries'>): Row[] {
  const seqOf = placesOf(drafts);
  let prev = '0'.repeat(64);
  let skipped = 0;
  return drafts.map((draft, index) => {
    const forged = forgeries.filter(({ at }) => at === index).map(({ what }) => what);
    if (forged.includes('gap')) skipped += 1;
    const row = rowOf(draft, index + 1 + skipped, seqOf, forged);
    const digest = digestOf(row, prev);
    prev = forged.includes('digest') ? sha256(`not ${digest}`) : digest;
    return { ...row, digest: prev };
  });
}

type Unchained = Omit<Row, 'digest'>;

function rowOf(draft: EventDraft, seq: number, seqOf: (uid: number) => number, forged: readonly Forgery['what'][]): Unchained {
  const id = (value: string | null): string | null => {
    const made = value === null ? null : String(resolved(value, seqOf));
    return forged.includes('own-id') && made?.endsWith(`-${seq}`) === true ? made.replace(/\d+$/, '777777') : made;
  };
  const text = canonical(resolved(draft.payload, seqOf));
  return {
    seq,
    type: draft.type,
    task_id: draft.task,
    call_id: id(draft.call),
    attempt_id: id(draft.attempt),
    compilation_id: id(draft.compilation),
    payload: forged.includes('spaced') ? text.replace('{', '{ ') : forged.includes('repeated') ? repeated(text) : text,
    recorded_at: recordedAt,
  };
}

/** The first member a second time: one name, two values. */
function repeated(text: string): string {
  const [name] = Object.keys(JSON.parse(text) as object);
  return name === undefined ? text.replace('{', '{ ') : text.replace('{', `{${JSON.stringify(name)}:null,`);
}

function digestOf({ payload, ...row }: Unchained, prev: string): string {
  const around = canonical({ ...row, payload: 0, prev });
  return sha256(around.replace('"payload":0', () => `"payload":${payload}`));
}

const templates = new Map<string, Buffer>();

/** An empty ledger, without the triggers. */
function template({ ledger }: Contract): Buffer {
  const key = ledger.statements.join('\n');
  const before = templates.get(key);
  if (before !== undefined) return before;
  const db = new Database(':memory:');
  db.pragma(`application_id = ${ledger.application_id}`);
  db.pragma(`user_version = ${ledger.user_version}`);
  for (const statement of ledger.statements.filter((one) => !one.startsWith('CREATE TRIGGER'))) db.exec(statement);
  const image = db.serialize();
  db.close();
  templates.set(key, image);
  return image;
}

const insertEvent =
  'INSERT INTO events VALUES (@seq, @type, @task_id, @call_id, @attempt_id, @compilation_id, @payload, @recorded_at, @digest)';
const insertArtifact = 'INSERT OR IGNORE INTO artifacts VALUES (@sha256, @media_type, @bytes)';

/** `folder` is used for a moment where a log is wanted, since only a file has one. */
export function ledgerFiles(history: CallsHistory, contract: Contract, folder: string): Files {
  const rows = rowsOf(history);
  // The triggers of a ledger that has a log would refuse a gap.
  const hasLog = history.hasLog && !history.forgeries.some(({ what }) => what === 'gap');
  const files = hasLog ? withLog(history, rows, contract, folder) : whole(history, rows, contract);
  return spoiled(new Map([['format.json', format], ...files]), history.spoils);
}

function whole({ spoils }: Pick<CallsHistory, 'spoils'>, rows: readonly Row[], contract: Contract): [string, Buffer][] {
  const { ledger } = contract;
  const db = new Database(template(contract));
  insert(db, rows);
  for (const statement of ledger.statements.filter((one) => one.startsWith('CREATE TRIGGER'))) db.exec(statement);
  if (spoils.some(({ kind }) => kind === 'table')) db.exec('CREATE VIEW looked_at AS SELECT * FROM events');
  if (spoils.some(({ kind }) => kind === 'application')) db.pragma('application_id = 7');
  const image = db.serialize();
  db.close();
  // As it lies on a disk: a database that has a log.
  image[18] = 2;
  image[19] = 2;
  return [['ledger.sqlite', image]];
}

function withLog(history: CallsHistory, rows: readonly Row[], contract: Contract, folder: string): [string, Buffer][] {
  const [first, ...rest] = rows;
  const [[, image] = ['', Buffer.alloc(0)]] = whole(history, first === undefined ? [] : [first], contract);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'ledger.sqlite');
  writeFileSync(path, image);
  const db = new Database(path);
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('synchronous = OFF');
  for (const row of rest) db.transaction(() => insert(db, [row]))();
  const names = ['ledger.sqlite', 'ledger.sqlite-wal'].filter((name) => existsSync(join(folder, name)));
  const files = names.map((name): [string, Buffer] => [name, readFileSync(join(folder, name))]);
  db.close();
  return files;
}

function insert(db: Database.Database, rows: readonly Row[]): void {
  const event = db.prepare(insertEvent);
  const artifact = db.prepare(insertArtifact);
  for (const row of rows) {
    // What a resume verified is the manifest's, which names it; alone it would leave bytes that nothing names.
    const named = row.type === 'call.resumed' ? [] : namedIn(JSON.parse(row.payload));
    for (const one of named) artifact.run(one);
    event.run(row);
  }
}

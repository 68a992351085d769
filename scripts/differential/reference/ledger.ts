/**
 * Bytes of a ledger → events, or the sentence of the contract that the bytes break ("The ledger", G8). SQLite is trusted to read rows of its
 * own files, and nothing else is.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { canonicalObject, canonicalText, hash, hasMembers, type Members } from './text.js';

export interface Event {
  readonly seq: number;
  readonly type: string;
  readonly task_id: string;
  readonly call_id: string | null;
  readonly attempt_id: string | null;
  readonly compilation_id: string | null;
  readonly payload: Payload;
  readonly digest: string;
}

export interface Hashes {
  readonly context_package_sha256: string;
  readonly rendered_context_sha256: string;
  readonly request_body_sha256: string;
}

/** What any payload may hold, as far as something is decided by it. */
export interface Payload extends Partial<Hashes> {
  readonly number?: number;
  readonly cites?: number;
  readonly delivery?: 'complete' | 'not_sent' | 'broken';
  readonly status?: number | null;
  readonly result?: string;
  readonly interpreter?: { readonly name: string; readonly version: number };
  readonly decision?: 'retry' | 'stop';
  readonly outcome?: 'succeeded' | 'failed';
  readonly result_id?: string | null;
  readonly error?: string | null;
  readonly attempt_ids?: readonly string[];
  readonly finding?: 'served' | 'not_served' | 'unknown';
  readonly reason?: string;
  readonly response?: { readonly status: number } | null;
  readonly response_sha256?: string | null;
  readonly text_sha256?: string | null;
  readonly idempotency_key?: string;
  readonly provider?: { readonly honours_key: boolean };
  readonly old_call_id?: string;
  readonly new_call_id?: string;
  readonly replaces?: string;
  readonly offered?: readonly { readonly id: string }[];
  readonly required_ids?: readonly string[];
  readonly fan_out?: { readonly id: string; readonly index: number; readonly of: number };
  readonly recovery?: object;
}

const members: Members = {
  'task.created': 'title',
  'task.accepted': 'result_id by note recovery?',
  'task.rejected': 'result_id by note recovery?',
  'objective.recorded': 'objective_id statement',
  'claim.recorded': 'claim_id statement basis',
  'context.compilation_requested': 'compiler budget_tokens offered required_ids recovery? fan_out? replaces?',
  'context.compiled': 'context_package_sha256 included_ids excluded total_tokens recovery?',
  'context.compilation_failed': 'error message recovery?',
  'call.requested': 'idempotency_key instruction recovery? spec_sha256? replaces?',
  'call.preparation_failed': 'error message',
  'call.manifest':
    'context_package_sha256 rendered_context_sha256 request_body_sha256 renderer interpreter retry_policy provider',
  'call.resumed': 'old_call_id new_call_id idempotency_key verified recovery? spec_verified?',
  'call.completed': 'outcome result_id error recovery?',
  'attempt.started': 'number recovery? cites?',
  'attempt.observed': 'delivery status response_sha256 content_type detail',
  'attempt.interpreted': 'interpreter result finish_reason text_sha256 detail recovery?',
  'attempt.retry_decided': 'decision reason recovery?',
  'attempt.completed': 'outcome recovery?',
  'effect.reconciled': 'attempt_ids finding basis reason evidence_sha256 authority response recovery',
  'duplicate.accepted': 'attempt_ids by note recovery',
  'result.recorded': 'result_id text_sha256 recovery?',
};

export type Read<T> = { readonly broken: string } | { readonly broken: null; readonly value: T };

export interface Row extends Omit<Event, 'payload'> {
  readonly payload: string;
  readonly recorded_at: string;
}

const inSchema =
  'artifacts artifacts_no_delete artifacts_no_update events events_gapless events_no_delete events_no_update'.split(' ');

export function readLedger(files: ReadonlyMap<string, Buffer>, scratch: string): Read<readonly Event[]> {
  const db = opened(files, scratch);
  try {
    if (db.pragma('application_id', { simple: true }) !== 1_263_550_540)
      return { broken: 'the application id is that of a ledger' };
    if (db.pragma('user_version', { simple: true }) !== 1) return { broken: 'the version of the schema is 1' };
    const names = db.prepare('SELECT name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').pluck().all();
    if (names.join(' ') !== inSchema.join(' ')) return { broken: 'the schema is the contract’s, to the letter' };
    return eventsIn(db.prepare('SELECT * FROM events ORDER BY seq').all() as Row[]);
  } finally {
    db.close();
  }
}

/** Only a file has a log; an image in memory has none, and must not say that it has. */
function opened(files: ReadonlyMap<string, Buffer>, scratch: string): Database.Database {
  const image = Buffer.from(files.get('ledger.sqlite') ?? []);
  const log = files.get('ledger.sqlite-wal');
  if (log === undefined) {
    image[18] = 1;
    image[19] = 1;
    return new Database(image);
  }
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, 'ledger.sqlite'), image);
  writeFileSync(join(scratch, 'ledger.sqlite-wal'), log);
  return new Database(join(scratch, 'ledger.sqlite'));
}

/** Rows in order. */
export function eventsIn(rows: readonly Row[]): Read<readonly Event[]> {
  const events: Event[] = [];
  for (const row of rows) {
    const broken = brokenBy(row, events.length + 1, events.at(-1)?.digest ?? '0'.repeat(64));
    if (broken !== null) return { broken };
    events.push({ ...row, payload: JSON.parse(row.payload) as Payload });
  }
  return { broken: null, value: events };
}

/** One row of `events` is one event: gapless, chained, canonical, of a known type and its shape. */
function brokenBy(row: Row, seq: number, prev: string): string | null {
  if (row.seq !== seq) return 'seq is gapless';
  const listed = members[row.type];
  if (listed === undefined) return 'every event is of a known type';
  const payload = canonicalObject(row.payload);
  if (payload === null) return 'every payload is canonical';
  const { digest, ...rest } = row;
  if (hash(canonicalText({ ...rest, payload, prev })) !== digest) return 'events are chained by digest';
  return hasMembers(payload, listed) ? null : 'every payload is of its event’s shape';
}

/**
 * Where one member of a payload says something against another: "complete: one whole response of any status, its bytes an artifact"; an answer
 * is a text; "with `served` it may hold the response".
 */
export function contradictsItself({ type, payload }: Event): boolean {
  const { delivery, status, response_sha256: bytes, result, text_sha256: text, finding, response } = payload;
  if (type === 'attempt.observed') return (delivery === 'complete') !== (status != null && bytes != null);
  if (type === 'attempt.interpreted') return (result === 'answer') !== (text != null);
  return type === 'effect.reconciled' && response != null && finding !== 'served';
}

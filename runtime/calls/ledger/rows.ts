/**
 * Rows of the ledger, read and checked: gapless, chained by digest, canonical, of a known type and its shape.
 *
 * Ledger bytes are untrusted at every open. A break in the chain is damage that no crash explains, and is refused by name; what
 * the chain cannot show is a missing end. The digest of a row is taken over the text that is stored, so the text has to be the
 * canonical one: another spelling of the same payload would have a digest of its own, and two programs two values for one row.
 */
import type Database from 'better-sqlite3';
import { isCanonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { chainStart, eventDigest, type ChainedRow } from '../core/event-digest.js';
import { isEventType, shapeProblem, type Draft, type LedgerEvent } from '../core/events.js';

export type Row = ChainedRow & { digest: string };

export interface Tail {
  seq: number;
  digest: string;
}

export const emptyTail: Tail = { seq: 0, digest: chainStart };

/** The events after a known tail, in order. */
export function readEvents(database: Database.Database, after: Tail): LedgerEvent[] {
  const rows = database
    .prepare(
      'SELECT seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest FROM events WHERE seq > ? ORDER BY seq',
    )
    // As lists: the library looks the name of each column up again for each row.
    .raw()
    .all(after.seq) as Columns[];
  let tail = after;
  return rows.map((columns) => {
    const event = checked(rowOf(columns), tail);
    tail = event;
    return event;
  });
}

export function readTail(database: Database.Database): Tail {
  return tailOf(tailStatement(database));
}

export function tailStatement(database: Database.Database): Database.Statement {
  return database.prepare('SELECT seq, digest FROM events ORDER BY seq DESC LIMIT 1');
}

export function tailOf(statement: Database.Statement): Tail {
  return (statement.get() as Tail | undefined) ?? emptyTail;
}

type Columns = [
  seq: number,
  type: string,
  task_id: string,
  call_id: string | null,
  attempt_id: string | null,
  compilation_id: string | null,
  payload: string,
  recorded_at: string,
  digest: string,
];

function rowOf([seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest]: Columns): Row {
  return { seq, type, task_id, call_id, attempt_id, compilation_id, payload, recorded_at, digest };
}

function checked(row: Row, before: Tail): LedgerEvent {
  if (row.seq !== before.seq + 1) throw damaged(`event ${before.seq + 1} is missing`);
  if (eventDigest(row, before.digest) !== row.digest) throw damaged(`event ${row.seq} does not match its digest`);
  if (!isEventType(row.type))
    throw new RuntimeError(
      'version-newer',
      `Event ${row.seq} is of the unknown type ${row.type}. Open the ledger with a newer version.`,
    );
  const event = { ...row, payload: parsed(row) } as LedgerEvent;
  const problem = shapeProblem(event as unknown as Draft);
  if (problem !== null) throw damaged(`event ${row.seq} (${row.type}): ${problem}`);
  return event;
}

function parsed(row: Row): unknown {
  let payload: unknown;
  try {
    payload = JSON.parse(row.payload);
  } catch {
    throw damaged(`event ${row.seq} holds no JSON`);
  }
  if (!isCanonical(payload, row.payload)) throw damaged(`event ${row.seq} holds a payload that is not canonical`);
  return payload;
}

export function damaged(what: string, cause?: unknown): RuntimeError {
  return new RuntimeError('ledger-damaged', `The ledger is damaged: ${what}. Nothing was changed; restore it from a copy.`, {
    cause,
  });
}

/**
 * Ledger rows → events with parsed payloads, and every problem of G8 found on the way: gaps, a broken digest chain, a payload that
 * is not canonical or not of its type's shape, an artifact that is missing or differs from its hash. A row with a problem is
 * still an event where its shape allows, so that the later checks can speak about the rest.
 */
import * as shape from '../contract/validators.js';
import type { Event } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import { canonical, isCanonical, parseJson, type Json } from './canonical.js';
import { fileSha256, textSha256 } from './hash.js';
import type { ArtifactRow, EventRow, LedgerRows } from './ledger.js';

export interface RecordProblem {
  readonly code: 'event-chain-broken' | 'event-malformed' | 'artifact-missing' | 'artifact-altered';
  readonly seq: number | null;
  readonly detail: string;
}

export interface Ledger {
  readonly events: readonly Event[];
  readonly artifacts: ReadonlyMap<string, ArtifactRow>;
  readonly problems: readonly RecordProblem[];
}

export const eventShapes: Record<string, shape.Validator<unknown>> = {
  'attempt.completed': shape.validateAttemptCompleted,
  'attempt.interpreted': shape.validateAttemptInterpreted,
  'attempt.observed': shape.validateAttemptObserved,
  'attempt.retry_decided': shape.validateAttemptRetryDecided,
  'attempt.started': shape.validateAttemptStarted,
  'call.completed': shape.validateCallCompleted,
  'call.manifest': shape.validateCallManifest,
  'call.preparation_failed': shape.validateCallPreparationFailed,
  'call.requested': shape.validateCallRequested,
  'call.resumed': shape.validateCallResumed,
  'claim.recorded': shape.validateClaimRecorded,
  'context.compilation_failed': shape.validateContextCompilationFailed,
  'context.compilation_requested': shape.validateContextCompilationRequested,
  'context.compiled': shape.validateContextCompiled,
  'objective.recorded': shape.validateObjectiveRecorded,
  'result.recorded': shape.validateResultRecorded,
  'task.accepted': shape.validateTaskAccepted,
  'task.created': shape.validateTaskCreated,
  'task.rejected': shape.validateTaskRejected,
};

/** The type's own id is made from the row that introduces it. */
const introduces: Record<string, { column: 'call_id' | 'attempt_id' | 'compilation_id'; prefix: string }> = {
  'context.compilation_requested': { column: 'compilation_id', prefix: 'compilation' },
  'call.requested': { column: 'call_id', prefix: 'call' },
  'attempt.started': { column: 'attempt_id', prefix: 'attempt' },
};

export const noDigest = '0'.repeat(64);
const known = new WeakMap<LedgerRows, Ledger>();

export function parseEvents(rows: LedgerRows): Ledger {
  const before = known.get(rows);
  if (before !== undefined) return before;
  const problems: RecordProblem[] = [];
  const artifacts = new Map(rows.artifacts.map((artifact) => [artifact.sha256, artifact]));
  for (const { sha256, bytes } of rows.artifacts) {
    if (!isUnder(bytes, sha256))
      problems.push({ code: 'artifact-altered', seq: null, detail: 'An artifact differs from its hash.' });
  }
  const events: Event[] = [];
  let previous = noDigest;
  for (const [index, row] of rows.events.entries()) {
    if (row.seq !== index + 1)
      problems.push({ code: 'event-chain-broken', seq: row.seq, detail: 'The seq does not grow by one.' });
    const event = soundBefore(row, previous) ?? judgedRow(row, previous, problems);
    if (event !== null) {
      for (const hash of artifactsNamedBy(event)) {
        if (!artifacts.has(hash))
          problems.push({ code: 'artifact-missing', seq: row.seq, detail: `${row.type} names an artifact that is not stored.` });
      }
      events.push(event);
    }
    previous = row.digest;
  }
  const ledger = { events, artifacts, problems };
  known.set(rows, ledger);
  return ledger;
}

export function eventDigest({ digest: _digest, ...rest }: Event, prev: string): string {
  return textSha256(canonical({ ...rest, prev }));
}

/** Bytes that were found under their hash: ledgers of one plan hold mostly the same artifacts. */
const hashed = new Map<string, Buffer>();

function isUnder(bytes: Buffer, sha256: string): boolean {
  if (hashed.get(sha256)?.equals(bytes) === true) return true;
  if (fileSha256(bytes) !== sha256) return false;
  hashed.set(sha256, bytes);
  return true;
}

/** Rows that were judged sound, by digest: an arm's ledger begins with all those of the killed one. */
const sound = new Map<string, { row: EventRow; previous: string; event: Event }>();

function soundBefore(row: EventRow, previous: string): Event | null {
  const before = sound.get(row.digest);
  if (before === undefined || before.previous !== previous) return null;
  return (Object.keys(row) as (keyof EventRow)[]).every((column) => row[column] === before.row[column]) ? before.event : null;
}

function judgedRow(row: EventRow, previous: string, problems: RecordProblem[]): Event | null {
  const before = problems.length;
  const event = parseRow(row, problems);
  if (event === null) return null;
  if (eventDigest(event, previous) !== row.digest) {
    problems.push({ code: 'event-chain-broken', seq: row.seq, detail: 'The event differs from its digest in the chain.' });
  }
  if (problems.length === before) sound.set(row.digest, { row, previous, event });
  return event;
}

function parseRow(row: EventRow, problems: RecordProblem[]): Event | null {
  const say = (detail: string): void => void problems.push({ code: 'event-malformed', seq: row.seq, detail });
  let payload: Json;
  try {
    payload = parseJson(row.payload);
    if (!isCanonical(payload, row.payload)) say('The payload is not in canonical form.');
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    say(error.message);
    return null;
  }
  // Names in canonical order, as the inspector exports them: equal events are then equal at a glance.
  const { attempt_id, call_id, compilation_id, digest, recorded_at, seq, task_id, type } = row;
  const event = { attempt_id, call_id, compilation_id, digest, payload, recorded_at, seq, task_id, type };
  if (!shape.validateEvent(event)) return (say('The row has not the shape of an event.'), null);
  const validate = Object.hasOwn(eventShapes, row.type) ? eventShapes[row.type] : undefined;
  if (validate === undefined) return (say('The type of the event is not known.'), null);
  if (!validate(payload)) return (say(`The payload has not the shape of ${row.type}.`), null);
  const own = introduces[row.type];
  if (own !== undefined && row[own.column] !== `${own.prefix}-${row.seq}`)
    say(`The ${own.column} is not made from the seq of its row.`);
  if (row.type === 'result.recorded' && event.payload.result_id !== `result-${row.seq}`)
    say('The result_id is not made from the seq of its row.');
  return event;
}

/** Every hash in a payload names an artifact: `…_sha256` members, and the contents of offered items. */
function artifactsNamedBy(event: Event): string[] {
  const { payload } = event as { payload: Record<string, unknown> };
  const names = Object.entries(payload).filter(([name, value]) => name.endsWith('_sha256') && typeof value === 'string');
  const offered = (payload.offered ?? []) as { content_sha256: string }[];
  return [...names.map(([, value]) => value as string), ...offered.map((item) => item.content_sha256)];
}

/**
 * Ledger rows → events with parsed payloads, and every problem of G8 found on the way: gaps, a broken digest chain, a payload that
 * is not canonical or not of its type's shape, an artifact that is missing, that differs from its hash or its media type, or that
 * nothing names. A row with a problem is still an event where its shape allows, so that the later checks can speak about the rest.
 */
import * as shape from '../contract/validators.js';
import type { Event } from '../contract/types.js';
import { EvidenceError } from '../errors.js';
import { canonical, isCanonical, parseJson, quoted, type Json } from './canonical.js';
import { fileSha256, textSha256 } from './hash.js';
import type { ArtifactRow, EventRow, LedgerRows } from './ledger.js';
import { Memory } from './memory.js';

interface RecordProblem {
  readonly code: 'event-chain-broken' | 'event-malformed' | 'artifact-missing' | 'artifact-altered' | 'artifact-orphaned';
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
  'duplicate.accepted': shape.validateDuplicateAccepted,
  'effect.reconciled': shape.validateEffectReconciled,
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

/** Of one kind: behind so many nobody reads on, and each is told in every verdict. */
const mostOfArtifacts = 1000;

export const noDigest = '0'.repeat(64);

export function parseEvents(rows: LedgerRows, memory = new Memory()): Ledger {
  const before = memory.ledgers.get(rows);
  if (before !== undefined) return before;
  const problems: RecordProblem[] = [];
  const artifacts = new Map(rows.artifacts.map((artifact) => [artifact.sha256, artifact]));
  for (const { sha256, bytes } of rows.artifacts) {
    if (problems.length >= mostOfArtifacts) break;
    if (!isUnder(bytes, sha256, memory))
      problems.push({ code: 'artifact-altered', seq: null, detail: 'An artifact differs from its hash.' });
  }
  const events: Event[] = [];
  const named = new Map<string, Set<string>>();
  let previous = noDigest;
  for (const [index, row] of rows.events.entries()) {
    if (row.seq !== index + 1)
      problems.push({ code: 'event-chain-broken', seq: row.seq, detail: 'The seq does not grow by one.' });
    const event = soundBefore(row, previous, memory) ?? judgedRow(row, previous, problems, memory);
    if (event !== null) {
      for (const { hash, mediaType } of artifactsNamedBy(event)) {
        const types = named.get(hash);
        if (types === undefined) named.set(hash, new Set([mediaType]));
        else types.add(mediaType);
        if (!artifacts.has(hash))
          problems.push({ code: 'artifact-missing', seq: row.seq, detail: `${row.type} names an artifact that is not stored.` });
      }
      events.push(event);
    }
    previous = row.digest;
  }
  // A row that could not be read may be the one that names an artifact.
  if (events.length === rows.events.length) problems.push(...strayArtifacts(rows.artifacts, named).slice(0, mostOfArtifacts));
  const ledger = { events, artifacts, problems };
  memory.ledgers.set(rows, ledger);
  return ledger;
}

function strayArtifacts(artifacts: readonly ArtifactRow[], named: ReadonlyMap<string, ReadonlySet<string>>): RecordProblem[] {
  return artifacts.flatMap(({ sha256, media_type: stored }): RecordProblem[] => {
    const types = named.get(sha256);
    if (types === undefined) return [{ code: 'artifact-orphaned', seq: null, detail: 'An artifact is named by no event.' }];
    if (types.has(stored)) return [];
    return [
      { code: 'artifact-altered', seq: null, detail: `An artifact is stored as ${stored}, which no event that names it says.` },
    ];
  });
}

export function eventDigest(event: Event, prev: string): string {
  return digestAround(event, canonical(event.payload), prev);
}

/** The row in canonical form, without `digest` and with `prev`, around the canonical text of its payload. */
function digestAround(event: Omit<Event, 'payload' | 'digest'>, payload: string, prev: string): string {
  const { attempt_id, call_id, compilation_id, recorded_at, seq, task_id, type } = event;
  const id = (text: string | null): string => (text === null ? 'null' : quoted(text));
  return textSha256(
    `{"attempt_id":${id(attempt_id)},"call_id":${id(call_id)},"compilation_id":${id(compilation_id)},"payload":${payload},` +
      `"prev":${quoted(prev)},"recorded_at":${quoted(recorded_at)},"seq":${canonical(seq)},"task_id":${quoted(task_id)},` +
      `"type":${quoted(type)}}`,
  );
}

function isUnder(bytes: Buffer, sha256: string, { artifacts }: Memory): boolean {
  if (artifacts.get(sha256)?.equals(bytes) === true) return true;
  if (fileSha256(bytes) !== sha256) return false;
  artifacts.set(sha256, bytes);
  return true;
}

/** The event of a row that was judged sound before: an arm's ledger begins with all those of the killed one. */
function soundBefore(row: EventRow, previous: string, { sound }: Memory): Event | null {
  const before = sound.get(row.digest);
  if (before === undefined || before.previous !== previous) return null;
  for (const column in row) if (row[column as keyof EventRow] !== before.row[column as keyof EventRow]) return null;
  return before.event;
}

function judgedRow(row: EventRow, previous: string, problems: RecordProblem[], { sound }: Memory): Event | null {
  const before = problems.length;
  const event = parseRow(row, problems);
  if (event === null) return null;
  // The stored text of a payload without a problem is its canonical text; it need not be made again.
  const payload = problems.length === before ? row.payload : canonical(event.payload);
  if (digestAround(event, payload, previous) !== row.digest) {
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

const text = 'text/plain;charset=utf-8';
const json = 'application/json';
/** The media type of what a member names; a response has the one that it came with. */
const mediaTypes: Record<string, string> = {
  content_sha256: text,
  context_package_sha256: json,
  evidence_sha256: json,
  rendered_context_sha256: text,
  request_body_sha256: json,
  spec_sha256: json,
  text_sha256: text,
};

interface Named {
  readonly hash: string;
  readonly mediaType: string;
}

/** A header may be there and empty. */
function asReceived(contentType: unknown): string {
  return typeof contentType === 'string' && contentType !== '' ? contentType : 'application/octet-stream';
}

interface Adopted {
  readonly response_sha256: string;
  readonly content_type: string | null;
}

/** Every hash in a payload names an artifact: `…_sha256` members, the contents of offered items, and an adopted response. */
function artifactsNamedBy({ payload }: { payload: Record<string, unknown> }): Named[] {
  const named: Named[] = [];
  for (const name in payload) {
    const hash = payload[name];
    if (!name.endsWith('_sha256') || typeof hash !== 'string') continue;
    named.push({ hash, mediaType: mediaTypes[name] ?? asReceived(payload.content_type) });
  }
  const adopted = payload.response as Adopted | null | undefined;
  if (adopted != null) named.push({ hash: adopted.response_sha256, mediaType: asReceived(adopted.content_type) });
  for (const { content_sha256: hash } of (payload.offered ?? []) as { content_sha256: string }[])
    named.push({ hash, mediaType: text });
  return named;
}

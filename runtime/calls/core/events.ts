/**
 * The events of the ledger as types, and the check that a draft has the shape of its type.
 *
 * The shapes come from the data contract. A draft is an event before it has a place in the ledger.
 */
import type {
  AttemptCompleted,
  AttemptInterpreted,
  AttemptObserved,
  AttemptRetryDecided,
  AttemptStarted,
  CallCompleted,
  CallManifest,
  CallPreparationFailed,
  CallRequested,
  CallResumed,
  ClaimRecorded,
  ContextCompilationFailed,
  ContextCompilationRequested,
  ContextCompiled,
  DuplicateAccepted,
  EffectReconciled,
  Event,
  ObjectiveRecorded,
  ResultRecorded,
  TaskAccepted,
  TaskCreated,
  TaskRejected,
} from '../../contract/types.js';
import * as shape from '../../contract/validators.js';
import { RuntimeError } from '../../core/errors.js';
import { idPattern } from '../../core/ids.js';

export interface Payloads {
  'task.created': TaskCreated;
  'objective.recorded': ObjectiveRecorded;
  'claim.recorded': ClaimRecorded;
  'context.compilation_requested': ContextCompilationRequested;
  'context.compiled': ContextCompiled;
  'context.compilation_failed': ContextCompilationFailed;
  'call.requested': CallRequested;
  'call.preparation_failed': CallPreparationFailed;
  'call.manifest': CallManifest;
  'attempt.started': AttemptStarted;
  'attempt.observed': AttemptObserved;
  'attempt.interpreted': AttemptInterpreted;
  'attempt.retry_decided': AttemptRetryDecided;
  'attempt.completed': AttemptCompleted;
  'effect.reconciled': EffectReconciled;
  'duplicate.accepted': DuplicateAccepted;
  'result.recorded': ResultRecorded;
  'call.completed': CallCompleted;
  'call.resumed': CallResumed;
  'task.accepted': TaskAccepted;
  'task.rejected': TaskRejected;
}

export type EventType = keyof Payloads;

/** One row of the ledger, its payload parsed: a union by `type`. */
export type LedgerEvent = { [T in EventType]: Omit<Event, 'type' | 'payload'> & { type: T; payload: Payloads[T] } }[EventType];

export interface Artifact {
  sha256: string;
  media_type: string;
  bytes: Uint8Array;
}

/** An event without its place; `artifacts` are stored in the same transaction. */
export type Draft = {
  [T in EventType]: {
    type: T;
    payload: Payloads[T];
    task_id: string;
    call_id?: string;
    attempt_id?: string;
    compilation_id?: string;
    artifacts?: readonly Artifact[];
  };
}[EventType];

const shapes: { [T in EventType]: shape.Validator<Payloads[T]> } = {
  'task.created': shape.validateTaskCreated,
  'objective.recorded': shape.validateObjectiveRecorded,
  'claim.recorded': shape.validateClaimRecorded,
  'context.compilation_requested': shape.validateContextCompilationRequested,
  'context.compiled': shape.validateContextCompiled,
  'context.compilation_failed': shape.validateContextCompilationFailed,
  'call.requested': shape.validateCallRequested,
  'call.preparation_failed': shape.validateCallPreparationFailed,
  'call.manifest': shape.validateCallManifest,
  'attempt.started': shape.validateAttemptStarted,
  'attempt.observed': shape.validateAttemptObserved,
  'attempt.interpreted': shape.validateAttemptInterpreted,
  'attempt.retry_decided': shape.validateAttemptRetryDecided,
  'attempt.completed': shape.validateAttemptCompleted,
  'effect.reconciled': shape.validateEffectReconciled,
  'duplicate.accepted': shape.validateDuplicateAccepted,
  'result.recorded': shape.validateResultRecorded,
  'call.completed': shape.validateCallCompleted,
  'call.resumed': shape.validateCallResumed,
  'task.accepted': shape.validateTaskAccepted,
  'task.rejected': shape.validateTaskRejected,
};

export const eventTypes = Object.keys(shapes) as EventType[];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(shapes, type);
}

/** What is wrong with the shape of an event's ids and payload, in words; null when nothing is. */
export function shapeProblem(event: Pick<Draft, 'type' | 'payload' | 'task_id'> & Partial<Draft>): string | null {
  for (const id of [event.task_id, event.call_id, event.attempt_id, event.compilation_id])
    if (typeof id === 'string' ? !idPattern.test(id) : id != null)
      return `${JSON.stringify(id)} is not an id: up to 128 of A-Z a-z 0-9 . _ -, the first a letter or digit`;
  const validate = shapes[event.type] as shape.Validator<unknown>;
  if (validate(event.payload)) return contradictionIn(event as Draft);
  const first = validate.errors?.[0];
  return `${first?.instancePath === '' ? 'it' : first?.instancePath} ${first?.message ?? 'has another shape'}`;
}

/** What one member of a payload says against another; a shape cannot. */
function contradictionIn({ type, payload }: Draft): string | null {
  if (type === 'attempt.observed') {
    const isWhole = payload.status !== null && payload.response_sha256 !== null;
    return (payload.delivery === 'complete') === isWhole ? null : 'it is complete exactly where it names a response';
  }
  if (type === 'attempt.interpreted')
    return (payload.result === 'answer') === (payload.text_sha256 !== null)
      ? null
      : 'it is an answer exactly where it names a text';
  if (type === 'effect.reconciled')
    return payload.response === null || payload.finding === 'served' ? null : 'it holds a response and is not found to be served';
  if (type === 'call.completed')
    return (payload.outcome === 'succeeded') === (payload.result_id !== null)
      ? null
      : 'it succeeded exactly where it names a result';
  return null;
}

export function assertShape(draft: Draft): void {
  const problem = shapeProblem(draft);
  if (problem !== null) throw new RuntimeError('input-invalid', `${draft.type} cannot be recorded: ${problem}.`);
}

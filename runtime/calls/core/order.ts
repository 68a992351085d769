/**
 * The order of events, checked as they are read: what an event speaks of is there before it, is open, and is not said a second time.
 *
 * The work state trusts what it is given. An attempt before its manifest, say, would make a call that may have been served look like one that
 * was never sent. Refused is only what no runtime has ever written; the finer rules are the verifier's.
 */
import { damaged } from './damaged.js';
import type { EventType, LedgerEvent } from './events.js';
import type { Attempt, CallRecord, CompilationRecord, TaskRecord } from './records.js';

interface Known {
  tasks: ReadonlyMap<string, TaskRecord>;
  calls: ReadonlyMap<string, CallRecord>;
  compilations: ReadonlyMap<string, CompilationRecord>;
}

/** Why an event cannot stand where its open call is; null where it can. */
type CallRule = (call: CallRecord, event: LedgerEvent) => string | null;

const callRules: Partial<Record<EventType, CallRule>> = {
  'call.manifest': (call) => (call.manifest === null ? null : 'comes after a manifest'),
  'call.preparation_failed': (call) => (call.manifest === null ? null : 'comes after the manifest'),
  'attempt.started': (call, { attempt_id }) => {
    if (call.manifest === null) return 'comes before the manifest';
    return attemptOf(call, attempt_id) === undefined ? null : `starts ${attempt_id} again`;
  },
  'attempt.observed': ofAttempt(({ observed }) => (observed === null ? null : 'comes after an observation')),
  'attempt.interpreted': ofAttempt((attempt) => (hasResponse(attempt) ? null : 'comes before a response')),
  'attempt.retry_decided': ofAttempt((attempt) =>
    attempt.observed !== null || hasResponse(attempt) ? null : 'comes before an observation',
  ),
  'attempt.completed': ofAttempt(() => null),
  'effect.reconciled': (call, event) => {
    const { attempt_ids } = (event as LedgerEvent & { type: 'effect.reconciled' }).payload;
    if (!attempt_ids.includes(event.attempt_id ?? '')) return `is a row of ${event.attempt_id} and does not name it`;
    return stranger(call, attempt_ids);
  },
  'call.completed': (call, event) => {
    const { outcome, error } = (event as LedgerEvent & { type: 'call.completed' }).payload;
    const isSettled = outcome === 'failed' && error?.startsWith('settled by ') === true;
    return call.preparationFailed === null || isSettled ? null : `comes after the end of ${call.id}`;
  },
  'duplicate.accepted': (call, event) =>
    stranger(call, (event as LedgerEvent & { type: 'duplicate.accepted' }).payload.attempt_ids),
};

/** Throws `ledger-damaged` for an event that makes no sense after those that are known. */
export function demandInOrder(known: Known, event: LedgerEvent): void {
  const why = problemWith(known, event);
  if (why !== null) throw damaged(event, why);
}

function problemWith({ tasks, calls, compilations }: Known, event: LedgerEvent): string | null {
  const task = tasks.get(event.task_id);
  if (event.type === 'task.created') return task === undefined ? null : `creates ${event.task_id} again`;
  if (task === undefined) return `belongs to ${event.task_id}, which was not created before`;
  if (task.stage !== 'open') return `comes after ${event.task_id} was ${task.stage}`;
  if (event.type.startsWith('context.')) return problemWithCompilation(compilations.get(event.compilation_id ?? ''), event);
  if (event.type.startsWith('task.') || event.type === 'objective.recorded' || event.type === 'claim.recorded') return null;
  return problemWithCall(calls.get(event.call_id ?? ''), event);
}

function problemWithCompilation(compilation: CompilationRecord | undefined, event: LedgerEvent): string | null {
  const { compilation_id: id } = event;
  if (event.type === 'context.compilation_requested')
    return id === null || compilation !== undefined ? `requests ${id} again` : null;
  if (compilation?.taskId !== event.task_id) return `ends ${id}, which was not requested before in its task`;
  if (compilation.supersededBy !== null) return `ends ${id}, whose place ${compilation.supersededBy} took`;
  return compilation.compiled !== null || compilation.failed !== null ? `ends ${id} again` : null;
}

function problemWithCall(call: CallRecord | undefined, event: LedgerEvent): string | null {
  const { call_id: id } = event;
  if (event.type === 'call.requested') return id === null || call !== undefined ? `requests ${id} again` : null;
  if (event.type === 'call.resumed') return null; // Its link says more, and is checked as such.
  if (call?.taskId !== event.task_id) return `belongs to ${id}, which was not requested before in its task`;
  // A call that could not be prepared can still be settled by another.
  const isOver = call.completed !== null || (call.preparationFailed !== null && event.type !== 'call.completed');
  if (isOver) return `comes after the end of ${id}`;
  if (call.supersededBy !== null) return `goes on with ${id}, whose place ${call.supersededBy} took`;
  return callRules[event.type]?.(call, event) ?? null;
}

function ofAttempt(rule: (attempt: Attempt) => string | null): CallRule {
  return (call, event) => {
    const attempt = attemptOf(call, event.attempt_id);
    return attempt === undefined ? `belongs to ${event.attempt_id}, which is no attempt of ${call.id} so far` : rule(attempt);
  };
}

function attemptOf(call: CallRecord, id: string | null): Attempt | undefined {
  return call.attempts.find((attempt) => attempt.id === id);
}

function hasResponse({ observed, reconciliations }: Attempt): boolean {
  return observed?.payload.delivery === 'complete' || reconciliations.some(({ adopted }) => adopted);
}

function stranger(call: CallRecord, attemptIds: readonly string[]): string | null {
  const found = attemptIds.find((id) => attemptOf(call, id) === undefined);
  return found === undefined ? null : `names ${found}, which is no attempt of ${call.id} so far`;
}

/**
 * What an operation concerns, found in the record and allowed by it; else the refusal that says what the record asks for.
 *
 * An id that nobody introduced is an error of its own, and never "nothing to do".
 */
import type { Committer } from '../live/committer.js';
import { RecoveryRefused } from '../core/refusals.js';
import { RuntimeError } from '../../core/errors.js';
import { refusalBySameKey, refusalOnCall, refusalOnCompilation, type Refusal } from '../core/operations.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import type { Call, CarriedOut, Drift, Operation } from '../core/vocabulary.js';
import { projectCall, projectCompilation } from '../core/work-state.js';

/** A call on which the operation may act. */
export function demandCall(committer: Committer, callId: string, asked: CarriedOut): { call: CallRecord; projected: Call } {
  const { history } = committer;
  const call = history.calls.get(callId);
  if (call === undefined) throw new RuntimeError('call-unknown', `There is no ${callId} in this ledger. Read its work state.`);
  const projected = projectCall(history, call);
  demandOpen(committer, call.taskId, callId);
  const refusal = refusalOnCall(projected, asked, endOfChain(history.calls, call), callsUnder(committer, call));
  if (refusal !== null) throw refused(callId, refusal);
  return { call, projected };
}

/** Refuses where another call under the key was served, or may have been. */
export function demandUnserved(committer: Committer, call: CallRecord, asked: CarriedOut): void {
  const { history } = committer;
  const everywhere = (history.byKey.get(call.request.idempotency_key) ?? []).map((other) => projectCall(history, other));
  const refusal = refusalBySameKey(projectCall(history, call), everywhere, callsUnder(committer, call), asked);
  if (refusal !== null) throw refused(call.id, refusal);
}

/** The calls of its task under its key, itself included. */
export function callsUnder({ history }: Committer, { taskId, request }: CallRecord): Call[] {
  const sameKey = history.byKey.get(request.idempotency_key) ?? [];
  return sameKey.filter((other) => other.taskId === taskId).map((other) => projectCall(history, other));
}

export function demandCompilationFor(committer: Committer, compilationId: string, asked: CarriedOut): CompilationRecord {
  const { compilations } = committer.history;
  const compilation = compilations.get(compilationId);
  if (compilation === undefined)
    throw new RuntimeError('compilation-unknown', `There is no ${compilationId} in this ledger. Read its work state.`);
  demandOpen(committer, compilation.taskId, compilationId);
  const refusal = refusalOnCompilation(projectCompilation(compilation), asked, endOfChain(compilations, compilation));
  if (refusal !== null) throw refused(compilationId, refusal);
  return compilation;
}

function demandOpen({ history }: Committer, taskId: string, on: string): void {
  const stage = history.tasks.get(taskId)?.stage;
  if (stage === 'open') return;
  const message = `The task of ${on} was ${stage}; nothing is added to it. Next: none.`;
  throw refused(on, { operation: 'none', hazard: 'unneeded', message });
}

/** The last one of those that took its place; null where none did. */
function endOfChain(
  records: ReadonlyMap<string, { supersededBy: string | null }>,
  record: { supersededBy: string | null },
): string | null {
  let end: string | null = null;
  for (let next = record.supersededBy; next !== null; next = records.get(next)?.supersededBy ?? null) end = next;
  return end;
}

function refused(on: string, { operation, hazard, message }: Refusal): RecoveryRefused {
  return new RecoveryRefused({ on, operation, hazard }, message);
}

/** What was asked for is right, and cannot be done here: the request would not be the recorded one, or something is missing. */
export function cannot(on: string, operation: Operation, why: string, drift: readonly Drift[] = []): RecoveryRefused {
  return new RecoveryRefused({ on, operation, hazard: null, drift }, `${on} ${why}`);
}

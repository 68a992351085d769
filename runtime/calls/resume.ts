/**
 * Resume: continue one call from the record alone, where the record proves that no effect was possible.
 *
 * The decision is made from the projection that the caller read. Only then is the lease taken, and the log read again: if it has
 * grown, somebody else acted and nothing is done. The same comparison is repeated inside the write transaction by the ledger.
 * Resuming means sending what was recorded as intended, or refusing; never what the code would send today.
 */
import type { WorkState } from '../contract/types.js';
import { ResumeRefused, RuntimeError } from '../core/errors.js';
import type { Call, Drift, Hashes, Operation } from '../core/events.js';
import type { CallRecord } from '../core/history.js';
import { driftBetween, type BuiltRequest } from '../core/request.js';
import { decideResume } from '../core/resume-rules.js';
import { projectCall } from '../core/work-state.js';
import { start, type CallOutcome } from './call.js';
import type { Committer } from './committer.js';
import type { Config } from './context.js';
import { buildRecorded, rebuild, replayable } from './prepare.js';

export interface ResumeOptions {
  /** The projection that the decision was made from. Without it, the one of this moment is used. */
  workState?: WorkState;
  /** Act only if this is the projected operation. */
  operation?: Operation;
}

interface Plan {
  call: CallRecord;
  request: BuiltRequest | null;
  verified: Hashes | null;
}

/** What a resume would do, without doing it: returns where it would act, throws `ResumeRefused` where it would not. */
export function checkResume(committer: Committer, config: Config, callId: string, options: ResumeOptions = {}): void {
  plan(committer, config, callId, options);
}

export async function resumeCall(
  committer: Committer,
  config: Config,
  callId: string,
  options: ResumeOptions = {},
): Promise<CallOutcome> {
  const seen = options.workState?.last_seq ?? committer.history.lastSeq;
  plan(committer, config, callId, options);
  committer.own();
  if (committer.history.lastSeq !== seen)
    throw new RuntimeError('overtaken', 'The ledger has grown since its work state was read. Nothing was done; read it again.');
  // Decided again from the log itself: what the caller holds may be the state of another ledger.
  const { workState: _seen, ...asked } = options;
  const { call, request, verified } = plan(committer, config, callId, asked);
  const { taskId, compilationId } = call;
  const { idempotency_key, instruction } = call.request;
  const wanted = { taskId, compilationId, idempotencyKey: idempotency_key, instruction };
  // The row of call.resumed comes first, so the new call is introduced one row later.
  const introducedAfter = 1;
  return start(
    committer,
    config,
    wanted,
    request,
    (requested, place) => ({
      joined: false,
      intent: [
        {
          ...place,
          call_id: callId,
          type: 'call.resumed',
          payload: { old_call_id: callId, new_call_id: place.call_id, idempotency_key, verified },
        },
        requested,
      ],
    }),
    introducedAfter,
  );
}

function plan(committer: Committer, config: Config, callId: string, options: ResumeOptions): Plan {
  const call = committer.history.calls.get(callId);
  if (call === undefined) throw new RuntimeError('call-unknown', `There is no ${callId} in this ledger.`);
  const projected =
    options.workState?.calls.find((candidate) => candidate.call_id === callId) ?? projectCall(committer.history, call);
  demandLawful(committer, call, projected, options.operation ?? null);
  return verifiedPlan(committer, config, call);
}

function demandLawful(committer: Committer, call: CallRecord, projected: Call, wanted: Operation | null): void {
  const sameKey = (committer.history.byKey.get(call.request.idempotency_key) ?? []).map((other) =>
    projectCall(committer.history, other),
  );
  const decision = decideResume(projected, sameKey, wanted);
  if (decision.act) {
    const stage = committer.history.tasks.get(call.taskId)?.stage;
    if (stage === 'open') return;
    throw new ResumeRefused(
      { callId: call.id, operation: 'none', hazard: 'unneeded' },
      `The task of ${call.id} was ${stage}. Next: none.`,
    );
  }
  const { operation, hazard, message } = decision;
  throw new ResumeRefused({ callId: call.id, operation, hazard }, message);
}

/** The request rebuilt from the record with the settings of today, and compared with the recorded one where there is one. */
function verifiedPlan(committer: Committer, config: Config, call: CallRecord): Plan {
  const compilation = committer.history.compilations.get(call.compilationId);
  const { instruction, idempotency_key } = call.request;
  if (call.manifest === null) {
    const request = compilation === undefined ? null : buildRecorded(committer, config, compilation, instruction);
    // Nothing was recorded to compare with, but the key may already name another body.
    if (request) replayable(committer, idempotency_key, request.hashes.request_body_sha256);
    return { call, request, verified: null };
  }
  const { context_package_sha256, rendered_context_sha256, request_body_sha256 } = call.manifest;
  const recorded = { context_package_sha256, rendered_context_sha256, request_body_sha256 };
  const request = compilation === undefined ? null : rebuild(committer, config, compilation, instruction);
  const all: Drift[] = ['context_package', 'rendered_context', 'request_body'];
  const drift = request === null ? all : driftBetween(recorded, request.hashes);
  if (drift.length > 0)
    throw new ResumeRefused(
      { callId: call.id, operation: 'start_call', hazard: null, drift },
      `${call.id} would not be the recorded request: ${drift.join(', ')} differ. Nothing was sent. Resume it with the recorded settings.`,
    );
  return { call, request, verified: recorded };
}

/**
 * Resume: continue one call from the record alone, where the record proves that no effect was possible.
 *
 * The decision is made from the projection that the caller read. Only then is the lease taken, and the log read again: if it has
 * grown, somebody else acted and nothing is done. The same comparison is repeated inside the write transaction by the ledger.
 * Resuming means sending what was recorded as intended, or refusing; never what the code would send today. So the new manifest is the
 * recorded one, member by member: the retry policy and the word about the provider's keys were part of what was intended, and a
 * policy of today could repeat what the one of then would not. Only where no manifest was recorded do the settings of today decide.
 */
import type { WorkState } from '../contract/types.js';
import { ResumeRefused, RuntimeError } from '../core/errors.js';
import type { CallRecord } from '../core/history.js';
import { driftBetween } from '../core/request.js';
import { decideResume } from '../core/resume-rules.js';
import type { Call, Drift, Manifest, Operation } from '../core/vocabulary.js';
import { projectCall } from '../core/work-state.js';
import { start, type CallOutcome } from './call.js';
import type { Committer } from './committer.js';
import type { Config } from './context.js';
import { beyondUs, buildRecorded, intended, rebuild, replayable, type Intended } from './prepare.js';

export interface ResumeOptions {
  /** The projection that the decision was made from. Without it, the one of this moment is used. */
  workState?: WorkState;
  /** Act only if this is the projected operation. */
  operation?: Operation;
}

interface Plan {
  call: CallRecord;
  /** Null where the compilation of the call cannot be used. */
  intent: Intended | null;
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
  const { call, intent } = plan(committer, config, callId, asked);
  const { taskId, compilationId } = call;
  const { idempotency_key: idempotencyKey, instruction } = call.request;
  return start(committer, config, { taskId, compilationId, idempotencyKey, instruction }, intent, call);
}

function plan(committer: Committer, config: Config, callId: string, options: ResumeOptions): Plan {
  const call = committer.history.calls.get(callId);
  if (call === undefined) throw new RuntimeError('call-unknown', `There is no ${callId} in this ledger.`);
  const projected =
    options.workState?.calls.find((candidate) => candidate.call_id === callId) ?? projectCall(committer.history, call);
  demandLawful(committer, call, projected, options.operation ?? null);
  return {
    call,
    intent: call.manifest === null ? freshIntent(committer, config, call) : sameIntent(committer, config, call, call.manifest),
  };
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

/** Nothing was recorded to compare with, but the key may already name another body. */
function freshIntent(committer: Committer, config: Config, call: CallRecord): Intended | null {
  const { instruction, idempotency_key } = call.request;
  const compilation = committer.history.compilations.get(call.compilationId);
  const request = compilation === undefined ? null : buildRecorded(committer, config, compilation, instruction);
  if (request === null) return null;
  replayable(committer, idempotency_key, request.hashes.request_body_sha256);
  return intended(config, request);
}

/** The recorded intent, with the request rebuilt from the record by the settings of today and found to be the recorded one. */
function sameIntent(committer: Committer, config: Config, call: CallRecord, recorded: Manifest): Intended {
  const refuse = (drift: Drift[], why: string): never => {
    throw new ResumeRefused({ callId: call.id, operation: 'start_call', hazard: null, drift }, `${call.id} ${why}`);
  };
  const beyond = beyondUs(recorded);
  if (beyond !== null)
    refuse([], `cannot be resumed by this program: ${beyond}. Nothing was sent. Resume it with the program that recorded it.`);
  const compilation = committer.history.compilations.get(call.compilationId);
  const request = compilation === undefined ? null : rebuild(committer, config, compilation, call.request.instruction);
  if (request === null)
    return refuse(['context_package', 'rendered_context', 'request_body'], notTheRecorded('its context no longer compiles'));
  const drift = driftBetween(recorded, request.hashes);
  if (drift.length > 0) refuse(drift, notTheRecorded(`${drift.join(', ')} differ`));
  return { request, manifest: recorded };
}

function notTheRecorded(why: string): string {
  return `would not be the recorded request: ${why}. Nothing was sent. Resume it with the recorded settings.`;
}

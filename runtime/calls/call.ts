/**
 * One model call: replayed from the record, or prepared, recorded as intended, and run.
 *
 * The lease is taken before the key is looked up, so that nobody can complete the same key between the look and the intent.
 */
import { PreparationFailed, RuntimeError } from '../core/errors.js';
import type { Draft } from '../core/events.js';
import type { CallRecord, CompilationRecord } from '../core/history.js';
import { hashesOf } from '../core/request.js';
import { runAttempts, type Ended, type Place } from './attempt.js';
import type { Committer } from './committer.js';
import { contentReader, type Config } from './context.js';
import { buildRecorded, demandKey, intended, replayable, tooLarge, type Intended, type WantedCall } from './prepare.js';
import { demandOpenTask, demandTask } from './task.js';

export interface CallOutcome {
  callId: string;
  outcome: 'succeeded' | 'failed';
  /** What acceptance accepts; null after a failure. */
  resultId: string | null;
  /** The answer; null after a failure. */
  text: string | null;
  /** Why the call failed; null after a success. */
  error: string | null;
  attempts: number;
  /** Answered from the ledger: nothing was sent and nothing was appended. */
  replayed: boolean;
}

export async function call(committer: Committer, config: Config, wanted: WantedCall): Promise<CallOutcome> {
  demandKey(wanted.idempotencyKey);
  committer.own();
  demandTask(committer, wanted.taskId);
  const compilation = demandCompilation(committer, wanted);
  const request = buildRecorded(committer, config, compilation, wanted.instruction);
  if (request) {
    const earlier = replayable(committer, wanted.idempotencyKey, request.hashes.request_body_sha256);
    if (earlier) return replay(committer, earlier);
  }
  demandOpenTask(committer, wanted.taskId);
  return start(committer, config, wanted, request && intended(config, request));
}

/**
 * Records the request and runs it. `call.requested` joins the group of the intent; with the call that it resumes, to which it is
 * linked, it is a commit of its own.
 */
export async function start(
  committer: Committer,
  config: Config,
  wanted: WantedCall,
  intent: Intended | null,
  resumed: CallRecord | null = null,
): Promise<CallOutcome> {
  const { taskId, compilationId, idempotencyKey: idempotency_key, instruction } = wanted;
  // The row of call.resumed comes first, so a call that resumes another is introduced one row later.
  const callId = `call-${committer.nextSeq + (resumed === null ? 0 : 1)}`;
  const place: Place = { task_id: taskId, call_id: callId, compilation_id: compilationId };
  let pending: Draft[] = [{ ...place, type: 'call.requested', payload: { idempotency_key, instruction } }];
  if (resumed !== null) {
    committer.commitTogether([link(resumed, place), ...pending]);
    pending = [];
  }
  const failure = preparationFailure(config, intent, wanted);
  if (failure !== null || intent === null) {
    const { error, message } = failure ?? { error: 'CompilationNotUsable' as const, message: '' };
    committer.commit([...pending, { ...place, type: 'call.preparation_failed', payload: { error, message } }]);
    throw new PreparationFailed(error, message, callId);
  }
  const { manifest, request } = intent;
  pending.push({ ...place, type: 'call.manifest', payload: manifest, artifacts: request.artifacts });
  const attempts = (): Promise<Ended> => runAttempts(committer, config, place, idempotency_key, intent, pending);
  const ended = await committer.during(taskId, attempts);
  return { callId, ...ended, replayed: false };
}

function link(resumed: CallRecord, place: Place): Draft {
  const { id: old_call_id, manifest } = resumed;
  const { idempotency_key } = resumed.request;
  const payload = { idempotency_key, new_call_id: place.call_id, old_call_id, verified: manifest && hashesOf(manifest) };
  return { ...place, call_id: old_call_id, type: 'call.resumed', payload };
}

function preparationFailure(config: Config, intent: Intended | null, wanted: WantedCall) {
  if (intent === null)
    return {
      error: 'CompilationNotUsable' as const,
      message: `${wanted.compilationId} did not compile, so there is no package to send.`,
    };
  const message = tooLarge(config, intent.request);
  return message === null ? null : { error: 'RequestTooLarge' as const, message };
}

function replay(committer: Committer, earlier: CallRecord): CallOutcome {
  const { completed, result } = earlier;
  if (completed === null) throw new RuntimeError('call-unknown', `${earlier.id} is not completed.`);
  return {
    callId: earlier.id,
    outcome: completed.outcome,
    resultId: completed.result_id,
    text: completed.outcome === 'succeeded' && result !== null ? contentReader(committer)(result.text_sha256) : null,
    error: completed.error,
    attempts: earlier.attempts.length,
    replayed: true,
  };
}

function demandCompilation(committer: Committer, wanted: WantedCall): CompilationRecord {
  const compilation = committer.history.compilations.get(wanted.compilationId);
  if (compilation?.taskId === wanted.taskId) return compilation;
  throw new RuntimeError(
    'compilation-unknown',
    `The task ${wanted.taskId} has no ${wanted.compilationId}. Compile a context first.`,
  );
}

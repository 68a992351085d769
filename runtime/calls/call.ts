/**
 * One model call: replayed from the record, or prepared, recorded as intended, and run.
 *
 * The lease is taken before the key is looked up, so that nobody can complete the same key between the look and the intent.
 */
import { PreparationFailed, RuntimeError } from '../core/errors.js';
import type { Draft } from '../core/events.js';
import type { CallRecord, CompilationRecord } from '../core/history.js';
import type { BuiltRequest } from '../core/request.js';
import { runAttempts, type Ended, type Place } from './attempt.js';
import type { Committer } from './committer.js';
import { contentReader, type Config } from './context.js';
import { buildRecorded, demandKey, manifest, replayable, tooLarge, type WantedCall } from './prepare.js';
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
  return start(committer, config, wanted, request, (requested) => ({ intent: [requested], joined: true }));
}

/**
 * Records the request and runs it. `before` says what is committed with `call.requested`: alone it joins the intent's group,
 * linked to the call that it resumes it is a commit of its own.
 */
export async function start(
  committer: Committer,
  config: Config,
  wanted: WantedCall,
  request: BuiltRequest | null,
  before: (requested: Draft, place: Place) => { intent: Draft[]; joined: boolean },
  introducedAfter = 0,
): Promise<CallOutcome> {
  const callId = `call-${committer.nextSeq + introducedAfter}`;
  const place: Place = { task_id: wanted.taskId, call_id: callId, compilation_id: wanted.compilationId };
  const payload = { idempotency_key: wanted.idempotencyKey, instruction: wanted.instruction };
  const { intent, joined } = before({ ...place, type: 'call.requested', payload }, place);
  const failure = preparationFailure(config, request, wanted);
  if (!joined) committer.commitTogether(intent);
  const pending = joined ? intent : [];
  if (failure !== null || request === null) {
    const { error, message } = failure ?? { error: 'CompilationNotUsable' as const, message: '' };
    committer.commit([...pending, { ...place, type: 'call.preparation_failed', payload: { error, message } }]);
    throw new PreparationFailed(error, message, callId);
  }
  const drafts = [...pending, manifest(config, request, place)];
  const attempts = (): Promise<Ended> => runAttempts(committer, config, place, wanted.idempotencyKey, request.body, drafts);
  const ended = await committer.during(wanted.taskId, attempts);
  return { callId, ...ended, replayed: false };
}

function preparationFailure(config: Config, request: BuiltRequest | null, wanted: WantedCall) {
  if (request === null)
    return {
      error: 'CompilationNotUsable' as const,
      message: `${wanted.compilationId} did not compile, so there is no package to send.`,
    };
  const message = tooLarge(config, request);
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

/**
 * One model call: replayed from the record, or prepared, recorded as intended, and run.
 *
 * The lease is taken before the key is looked up, so that nobody can complete the same key between the look and the intent.
 */
import { PreparationFailed } from '../core/refusals.js';
import { RuntimeError } from '../../core/errors.js';
import type { Draft, Payloads } from '../core/events.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import { specArtifact } from '../core/spec.js';
import { runAttempts, type Ended } from './attempt.js';
import type { Committer } from './committer.js';
import type { Config } from './config.js';
import { contentReader } from './context.js';
import type { Place } from './outcome.js';
import { demandKey, manifestOf, prepareToday, replayable, tooLarge, type Prepared, type WantedCall } from './prepare.js';
import type { Stamp } from './stamp.js';
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

/** What a call takes the place of. */
export type Successor = Resuming | { replaces: string; stamp: Stamp };

interface Resuming {
  resumes: CallRecord;
  link: Pick<Payloads['call.resumed'], 'verified' | 'spec_verified'>;
  stamp: Stamp;
}

export async function call(committer: Committer, config: Config, wanted: WantedCall): Promise<CallOutcome> {
  demandKey(wanted.idempotencyKey);
  committer.own();
  demandTask(committer, wanted.taskId);
  const compilation = demandCompilation(committer, wanted.taskId, wanted.compilationId);
  const prepared = prepareToday(committer, config, compilation, wanted.instruction);
  if (prepared.request !== null) {
    const earlier = replayable(committer, wanted.idempotencyKey, prepared.request.hashes.request_body_sha256);
    if (earlier) return replay(committer, earlier);
  }
  demandOpenTask(committer, wanted.taskId);
  return start(committer, config, wanted, prepared);
}

/**
 * Records the request and runs it. `call.requested` joins the group of the intent; with the call that it resumes, to which it is
 * linked, it is a commit of its own.
 */
export async function start(
  committer: Committer,
  config: Config,
  wanted: WantedCall,
  prepared: Prepared,
  successor: Successor | null = null,
): Promise<CallOutcome> {
  const place = placeOf(committer, wanted, successor);
  let pending = requestDrafts(place, wanted, prepared, successor);
  if (pending.length > 1) {
    committer.commitTogether(pending);
    pending = [];
  }
  const failure = preparationFailure(config, prepared, wanted);
  if (failure !== null) {
    committer.commit([...pending, { ...place, type: 'call.preparation_failed', payload: failure }]);
    throw new PreparationFailed(failure.error, failure.message, place.call_id);
  }
  const { spec, request } = prepared as Prepared & { request: NonNullable<Prepared['request']> };
  const manifest = manifestOf(spec, request.hashes);
  pending.push({ ...place, type: 'call.manifest', payload: manifest, artifacts: request.artifacts });
  const sending = { key: wanted.idempotencyKey, manifest, body: request.body };
  const attempts = (): Promise<Ended> => runAttempts(committer, config, place, sending, { number: 1, before: pending });
  const ended = await committer.during(wanted.taskId, attempts);
  return { callId: place.call_id, ...ended, replayed: false };
}

/** Where the new call belongs. The row of `call.resumed` comes first, so a call that resumes another is introduced one row later. */
function placeOf(committer: Committer, { taskId, compilationId }: WantedCall, successor: Successor | null): Place {
  const seq = committer.nextSeq + (isResume(successor) ? 1 : 0);
  return { task_id: taskId, call_id: `call-${seq}`, compilation_id: compilationId };
}

/** `call.requested`, with the link in front of it where another call is resumed. */
export function requestDrafts(place: Place, wanted: WantedCall, { spec }: Prepared, successor: Successor | null): Draft[] {
  const { idempotencyKey: idempotency_key, instruction } = wanted;
  const artifact = specArtifact(spec);
  const requested: Draft = {
    ...place,
    type: 'call.requested',
    payload: {
      idempotency_key,
      instruction,
      spec_sha256: artifact.sha256,
      ...(successor !== null && !isResume(successor) && { replaces: successor.replaces }),
      ...successor?.stamp,
    },
    artifacts: [artifact],
  };
  if (!isResume(successor)) return [requested];
  const { id: old_call_id } = successor.resumes;
  const payload = { idempotency_key, new_call_id: place.call_id, old_call_id, ...successor.link, ...successor.stamp };
  return [{ ...place, call_id: old_call_id, type: 'call.resumed', payload }, requested];
}

function isResume(successor: Successor | null): successor is Resuming {
  return successor !== null && 'resumes' in successor;
}

/** Why a prepared call is not sent; null when it is. */
export function preparationFailure(
  config: Config,
  { request }: Prepared,
  { compilationId }: Pick<WantedCall, 'compilationId'>,
): Payloads['call.preparation_failed'] | null {
  if (request === null)
    return {
      error: 'CompilationNotUsable',
      message: `${compilationId} did not compile, so there is no package to send.`,
    };
  const message = tooLarge(config, request);
  return message === null ? null : { error: 'RequestTooLarge', message };
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

export function demandCompilation(committer: Committer, taskId: string, compilationId: string): CompilationRecord {
  const compilation = committer.history.compilations.get(compilationId);
  if (compilation?.taskId === taskId) return compilation;
  throw new RuntimeError('compilation-unknown', `The task ${taskId} has no ${compilationId}. Compile a context first.`);
}

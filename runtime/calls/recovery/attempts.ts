/** The attempt that an operation concerns, as the record holds it. */
import { artifactBytes } from '../live/context.js';
import type { Committer } from '../live/committer.js';
import type { AttemptPlace, Place } from '../live/outcome.js';
import { invariant } from '../../core/errors.js';
import type { Attempt, CallRecord, Placed } from '../core/records.js';
import { decidingAttempt, isSince, responseOf, unsettledAttempts, type WholeResponse } from '../core/settlement.js';
import type { Manifest } from '../core/vocabulary.js';

export function placeOf(call: CallRecord): Place {
  return { task_id: call.taskId, call_id: call.id, compilation_id: call.compilationId };
}

/** The attempt that decides a call which has started one, and where its events belong. */
export function demandDeciding(call: CallRecord): { attempt: Attempt; place: AttemptPlace } {
  const attempt = decidingAttempt(call);
  invariant(attempt !== undefined, 'the work state names this operation only after an attempt');
  return { attempt, place: { ...placeOf(call), attempt_id: attempt.id } };
}

export function demandManifest({ manifest }: CallRecord): Manifest {
  invariant(manifest !== null, 'no attempt is started before the manifest');
  return manifest;
}

/** The attempts that a person or a provider is asked about: those whose effect is unknown, or the one whose response is lost. */
export function doubtful({ history }: Committer, call: CallRecord): Attempt[] {
  const unsettled = unsettledAttempts(history, call);
  return unsettled.length > 0 ? unsettled : [demandDeciding(call).attempt];
}

/** The response of an attempt with its bytes, verified. */
export function demandResponse(committer: Committer, attempt: Attempt): WholeResponse & { bytes: Buffer } {
  const response = responseOf(attempt);
  invariant(response !== null, 'an attempt is read only where its response is recorded');
  return { ...response, bytes: artifactBytes(committer, response.sha256) };
}

/** What was recorded of an attempt, where it was recorded after its response. */
export function since<P>(attempt: Attempt, recorded: Placed<P> | null | undefined): P | null {
  return recorded != null && isSince(attempt, recorded) ? recorded.payload : null;
}

/** How a call ends, in the words of the contract (G14, `finalize`). */
import {
  attemptsOf,
  callsIn,
  completedOf,
  decidingOf,
  interpretedOf,
  isCompleteOrAdopted,
  observationOf,
  ofType,
  resultOf,
  unsettledOf,
} from './calls.js';
import type { Event } from './ledger.js';

type Events = readonly Event[];

/** "Settled by <call id>": another call of the task was answered under the same key. */
export function isDoneElsewhere(own: Events, call: Event, { type, payload }: Event): boolean {
  if (type !== 'call.completed' || payload.recovery === undefined || payload.outcome !== 'failed') return false;
  const first = answeredElsewhere(own, call);
  return first !== undefined && payload.error === `settled by ${first.call_id}`;
}

export function answeredElsewhere(own: Events, call: Event): Event | undefined {
  return callsIn(own).find(
    (other) =>
      other.call_id !== call.call_id &&
      other.payload.idempotency_key === call.payload.idempotency_key &&
      completedOf(own, other)?.payload.outcome === 'succeeded',
  );
}

/**
 * G14: "A call is completed only when all its attempts have been settled before, and succeeded only with an answer and its result", and
 * "`finalize` completes with success where the deciding attempt was interpreted as an answer; else with failure".
 */
export function endBroken(own: Events, call: Event, { payload }: Event, isDone: boolean): string | null {
  const deciding = decidingOf(own, call);
  const isAnswered = deciding !== undefined && interpretedOf(own, deciding)?.payload.result === 'answer';
  const isSuccess = payload.outcome === 'succeeded';
  if (isSuccess !== isAnswered) return '`finalize` completes with success exactly after an answer';
  const result = resultOf(own, call)?.payload.result_id ?? null;
  if (isSuccess && (result === null || payload.result_id !== result)) return 'a call succeeds only with its result';
  if (isSuccess === (payload.error !== null) || (!isSuccess && payload.result_id !== null))
    return 'a success has its result, a failure its error';
  if (isDone) return unsettledOf(own, call).length === 0 ? null : 'a call is completed when its attempts are settled';
  if (unsettledOf(own, call).length > 0) return 'a call is completed when its attempts are settled';
  return leftOpen(own, call, deciding) === undefined ? null : '`finalize`: `attempt.completed` where it is missing';
}

/** Up to the deciding one, an attempt that came to its end has it on record, unless the next one cites what was found or decided of it. */
function leftOpen(own: Events, call: Event, deciding: Event | undefined): Event | undefined {
  const attempts = attemptsOf(own, call);
  const upTo = attempts.slice(0, attempts.findIndex((attempt) => attempt === deciding) + 1);
  return upTo.find((attempt, index) => {
    const isOver = isCompleteOrAdopted(own, attempt) || observationOf(own, attempt)?.payload.delivery === 'not_sent';
    const isCited = upTo[index + 1]?.payload.cites !== undefined;
    return isOver && !isCited && !ofType(own, 'attempt.completed').some(({ attempt_id: id }) => id === attempt.attempt_id);
  });
}

/**
 * The work state of calls, as literally as the words of the contract go ("The work state"): a question is a look through all events, and
 * the table is a list of sentences. Quadratic and worse, on purpose: nothing is gathered, so nothing can be gathered wrongly.
 */
import type { Event } from './ledger.js';

type Events = readonly Event[];

export const ofType = (events: Events, type: string): Events => events.filter((event) => event.type === type);
const ofCall = (events: Events, call: Event): Events => events.filter((event) => event.call_id === call.call_id);
export const callsIn = (events: Events): Events => ofType(events, 'call.requested');
export const attemptsOf = (events: Events, call: Event): Events => ofType(ofCall(events, call), 'attempt.started');
export const ofAttempt = (events: Events, attempt: Event, type: string): Events =>
  ofType(events, type).filter((event) => event.attempt_id === attempt.attempt_id);

export const manifestOf = (events: Events, call: Event): Event | undefined => ofType(ofCall(events, call), 'call.manifest')[0];
export const completedOf = (events: Events, call: Event): Event | undefined => ofType(ofCall(events, call), 'call.completed')[0];
export const preparationFailedOf = (events: Events, call: Event): Event | undefined =>
  ofType(ofCall(events, call), 'call.preparation_failed')[0];
export const resultOf = (events: Events, call: Event): Event | undefined => ofType(ofCall(events, call), 'result.recorded')[0];
export const observationOf = (events: Events, attempt: Event): Event | undefined =>
  ofAttempt(events, attempt, 'attempt.observed')[0];

/** "Superseded by a linked call": one that was resumed in its place, or that replaces it. */
export function supersededBy(events: Events, call: Event): string | null {
  const resumed = ofType(events, 'call.resumed').find(({ payload }) => payload.old_call_id === call.call_id);
  const replacing = callsIn(events).find(({ payload }) => payload.replaces === call.call_id);
  if (resumed !== undefined && (replacing === undefined || resumed.seq < replacing.seq))
    return resumed.payload.new_call_id ?? null;
  return replacing?.call_id ?? null;
}

/** "Of several reconciliations of an attempt the last counts, but nothing takes back `served`: after it, only another `served` counts." */
export function reconciliationOf(events: Events, attempt: Event): Event | undefined {
  const about = ofType(events, 'effect.reconciled').filter(({ payload }) =>
    payload.attempt_ids?.includes(attempt.attempt_id ?? ''),
  );
  const served = about.filter(({ payload }) => payload.finding === 'served');
  return served.length > 0 ? served.at(-1) : about.at(-1);
}

/** The reconciliation that counts, where its response was adopted for this attempt, whose row it is. */
export function adoptionOf(events: Events, attempt: Event): Event | undefined {
  const counting = reconciliationOf(events, attempt);
  const isOwn = counting?.attempt_id === attempt.attempt_id;
  return counting !== undefined && isOwn && counting.payload.response != null ? counting : undefined;
}

export function isCompleteOrAdopted(events: Events, attempt: Event): boolean {
  return observationOf(events, attempt)?.payload.delivery === 'complete' || adoptionOf(events, attempt) !== undefined;
}

/** The `duplicate.accepted` of the call, and whether a later attempt cites it. */
export function decisionsOf(events: Events, call: Event): { decision: Event; isSpent: boolean }[] {
  return ofType(ofCall(events, call), 'duplicate.accepted').map((decision) => ({
    decision,
    isSpent: attemptsOf(events, call).some(({ seq, payload }) => seq > decision.seq && payload.cites === decision.seq),
  }));
}

function isPassedOver(events: Events, call: Event, attempt: Event): boolean {
  return decisionsOf(events, call).some(
    ({ decision, isSpent }) => isSpent && decision.payload.attempt_ids?.includes(attempt.attempt_id ?? ''),
  );
}

/** "Where its manifest declares that the provider honours the key, by a later `complete` under the same key, in whichever call of the task, of any status but 409." */
function laterComplete(events: Events, call: Event, attempt: Event): Event | undefined {
  if (manifestOf(events, call)?.payload.provider?.honours_key !== true) return undefined;
  const sameKey = callsIn(events).filter(
    (other) => other.task_id === call.task_id && other.payload.idempotency_key === call.payload.idempotency_key,
  );
  return ofType(events, 'attempt.observed').find(
    ({ seq, call_id, payload }) =>
      seq > attempt.seq &&
      payload.delivery === 'complete' &&
      payload.status !== 409 &&
      sameKey.some((other) => other.call_id === call_id),
  );
}

export function isSettled(events: Events, call: Event, attempt: Event): boolean {
  const delivery = observationOf(events, attempt)?.payload.delivery;
  if (delivery === 'complete' || delivery === 'not_sent') return true;
  const finding = reconciliationOf(events, attempt)?.payload.finding;
  if (finding === 'served' || finding === 'not_served') return true;
  if (isPassedOver(events, call, attempt)) return true;
  return laterComplete(events, call, attempt) !== undefined;
}

/** "Served (complete, reconciled as served, or settled by a later `complete` under its key)." */
function isServed(events: Events, call: Event, attempt: Event): boolean {
  const delivery = observationOf(events, attempt)?.payload.delivery;
  if (delivery === 'complete') return true;
  if (delivery === 'not_sent') return false;
  const finding = reconciliationOf(events, attempt)?.payload.finding;
  if (finding === 'served') return true;
  if (finding === 'not_served') return false;
  return laterComplete(events, call, attempt) !== undefined && !isPassedOver(events, call, attempt);
}

export const unsettledOf = (events: Events, call: Event): Events =>
  attemptsOf(events, call).filter((attempt) => !isSettled(events, call, attempt));

/** "The last one, or an earlier one whose response a reconciliation adopted after the last one was started." */
export function decidingOf(events: Events, call: Event): Event | undefined {
  const attempts = attemptsOf(events, call);
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  const adopted = attempts
    .map((attempt) => ({ attempt, at: adoptionOf(events, attempt)?.seq ?? 0 }))
    .filter(({ at }) => at > last.seq)
    .sort((left, right) => left.at - right.at);
  return adopted.at(-1)?.attempt ?? last;
}

/** "Nothing after it": what was recorded of an attempt before its response was adopted does not speak of that response. */
function since(events: Events, attempt: Event, type: string): Event | undefined {
  const adopted = adoptionOf(events, attempt)?.seq ?? 0;
  return ofAttempt(events, attempt, type).findLast(({ seq }) => seq > adopted);
}
/** The readings of the response that counts. */
export function readingsOf(events: Events, attempt: Event): Events {
  const adopted = adoptionOf(events, attempt)?.seq ?? 0;
  return ofAttempt(events, attempt, 'attempt.interpreted').filter(({ seq }) => seq > adopted);
}
export const interpretedOf = (events: Events, attempt: Event): Event | undefined => since(events, attempt, 'attempt.interpreted');
export const decidedOf = (events: Events, attempt: Event): Event | undefined => since(events, attempt, 'attempt.retry_decided');
export const endedOf = (events: Events, attempt: Event): Event | undefined => since(events, attempt, 'attempt.completed');

type Effect = 'absent' | 'happened' | 'unknown';

/** "`unknown` if an attempt is unsettled, else `happened` if one was served, else `unknown` if one was passed over, else `absent`." */
function asRecorded(events: Events, call: Event): Effect {
  const attempts = attemptsOf(events, call);
  if (unsettledOf(events, call).length > 0) return 'unknown';
  if (attempts.some((attempt) => isServed(events, call, attempt))) return 'happened';
  return attempts.some((attempt) => isPassedOver(events, call, attempt)) ? 'unknown' : 'absent';
}

export interface Standing {
  readonly row: string;
  readonly stage: string;
  readonly operation: string;
  readonly effect: Effect;
}

/** Rows A to Q; the first that matches wins. */
export function standingOf(events: Events, call: Event): Standing {
  const recorded = asRecorded(events, call);
  const row = (label: string, stage: string, operation: string, effect: Effect): Standing => ({
    row: label,
    stage,
    operation,
    effect,
  });
  if (supersededBy(events, call) !== null) return row('A', 'superseded', 'none', recorded);
  if (completedOf(events, call) !== undefined) return row('B', 'completed', 'none', recorded);
  if (preparationFailedOf(events, call) !== undefined) return row('C', 'preparation_failed', 'fix_inputs', 'absent');
  const manifest = manifestOf(events, call);
  if (manifest === undefined) return row('D', 'requested', 'start_call', 'absent');
  const attempts = attemptsOf(events, call);
  if (attempts.length === 0) return row('E', 'manifest_recorded', 'start_call', 'absent');
  if (decisionsOf(events, call).some(({ isSpent }) => !isSpent))
    return row('L', 'duplicate_accepted', 'start_next_attempt', recorded);
  const unsettled = unsettledOf(events, call);
  const areAsked = unsettled.length > 0 && unsettled.every((attempt) => reconciliationOf(events, attempt) !== undefined);
  if (areAsked && manifest.payload.provider?.honours_key === true) return row('M', 'retry_safe', 'start_next_attempt', 'unknown');
  if (areAsked) return row('N', 'operator_needed', 'decide', 'unknown');
  if (unsettled.length > 0) return row('F', 'effect_unknown', 'reconcile_effect', 'unknown');
  const deciding = decidingOf(events, call) ?? call;
  const finding = reconciliationOf(events, deciding)?.payload.finding;
  if (finding === 'served' && !isCompleteOrAdopted(events, deciding)) return row('P', 'response_lost', 'decide', 'happened');
  if (finding === 'not_served') return row('Q', 'not_served', 'start_next_attempt', recorded);
  const decided = decidedOf(events, deciding);
  const isOpen = decided === undefined && endedOf(events, deciding) === undefined;
  if (observationOf(events, deciding)?.payload.delivery === 'not_sent' && isOpen)
    return row('G', 'not_sent', 'start_next_attempt', recorded);
  const interpreted = interpretedOf(events, deciding);
  if (isCompleteOrAdopted(events, deciding) && interpreted === undefined && isOpen)
    return row('H', 'observed', 'reinterpret', 'happened');
  if (interpreted !== undefined && isOpen) return row('I', 'interpreted', 'redecide', 'happened');
  if (decided?.payload.decision === 'retry') return row('J', 'retry_due', 'start_next_attempt', recorded);
  return row('K', 'undecided_end', 'finalize', recorded);
}

export const compilationsIn = (events: Events): Events => ofType(events, 'context.compilation_requested');

export function compilationStage(events: Events, compilation: Event): 'superseded' | 'requested' | 'failed' | 'compiled' {
  const of = (type: string): boolean => ofType(events, type).some(({ compilation_id: id }) => id === compilation.compilation_id);
  if (compilationsIn(events).some(({ payload }) => payload.replaces === compilation.compilation_id)) return 'superseded';
  if (of('context.compilation_failed')) return 'failed';
  return of('context.compiled') ? 'compiled' : 'requested';
}

/**
 * What became of an attempt, and which attempt decides a call.
 *
 * An attempt is settled by its own whole or unsent observation; by a reconciliation that found it served or not served; by an accepted
 * duplicate, once a later attempt spends it (it is then passed over: paid for, perhaps, and given up); or, where its manifest declares
 * that the key is honoured, by a later whole response under that key. A 409 is no such response: it says that the first is still open.
 * What was served stays served: a later question that is answered otherwise, or not at all, takes nothing back.
 */
import type { History } from './history.js';
import type { Attempt, CallRecord, Decision, Reconciliation } from './records.js';

export type Settlement =
  | { by: 'complete' | 'not_sent' }
  | { by: 'reconciliation'; served: boolean }
  | { by: 'passed_over' }
  /** The call whose response settles it; that of the attempt itself, perhaps. */
  | { by: 'honoured_key'; callId: string };

/** Null where nobody can know. */
export function settlementOf(history: History, call: CallRecord, attempt: Attempt): Settlement | null {
  const delivery = attempt.observed?.payload.delivery;
  if (delivery === 'complete' || delivery === 'not_sent') return { by: delivery };
  const finding = reconciliationOf(attempt)?.payload.finding;
  if (finding === 'served' || finding === 'not_served') return { by: 'reconciliation', served: finding === 'served' };
  if (isNamedBySpent(call, attempt)) return { by: 'passed_over' };
  if (call.manifest?.provider.honours_key !== true) return null;
  const settling = (history.byKey.get(call.request.idempotency_key) ?? []).find(
    (other) => other.taskId === call.taskId && other.attempts.some((one) => settlesEarlier(one, attempt.seq)),
  );
  return settling === undefined ? null : { by: 'honoured_key', callId: settling.id };
}

export function isServed(settlement: Settlement | null): boolean {
  if (settlement === null) return false;
  if (settlement.by === 'reconciliation') return settlement.served;
  return settlement.by === 'complete' || settlement.by === 'honoured_key';
}

/** The attempts whose effect nobody can know, in order. */
export function unsettledAttempts(history: History, call: CallRecord): Attempt[] {
  return call.attempts.filter((attempt) => settlementOf(history, call, attempt) === null);
}

/** The last attempt, or an earlier one whose response was adopted after the last one was started. */
export function decidingAttempt(call: CallRecord): Attempt | undefined {
  const last = call.attempts.at(-1);
  if (last === undefined) return undefined;
  const adopted = call.attempts.filter((attempt) => (adoptionOf(attempt)?.seq ?? 0) > last.seq);
  return adopted.toSorted((a, b) => (adoptionOf(a)?.seq ?? 0) - (adoptionOf(b)?.seq ?? 0)).at(-1) ?? last;
}

/** Of several reconciliations of an attempt, the one that counts: the last that found it served, else the last. */
export function reconciliationOf({ reconciliations }: Attempt): Reconciliation | null {
  return reconciliations.findLast(({ payload }) => payload.finding === 'served') ?? reconciliations.at(-1) ?? null;
}

/** The reconciliation whose response stands for the observation of this attempt. */
export function adoptionOf(attempt: Attempt): Reconciliation | null {
  const counting = reconciliationOf(attempt);
  return counting?.adopted === true ? counting : null;
}

/** Whether something was recorded of an attempt after its response: what came before an adoption does not speak of that response. */
export function isSince(attempt: Attempt, place: { seq: number } | null | undefined): boolean {
  return place != null && place.seq > (adoptionOf(attempt)?.seq ?? 0);
}

/** A whole response: the attempt's own, or one that was adopted for it. */
export interface WholeResponse {
  seq: number;
  status: number;
  sha256: string;
}

export function responseOf(attempt: Attempt): WholeResponse | null {
  const adoption = adoptionOf(attempt);
  const { status, response_sha256: sha256 } = adoption?.payload.response ?? attempt.observed?.payload ?? {};
  const seq = adoption?.seq ?? attempt.observed?.seq ?? 0;
  return status == null || sha256 == null ? null : { seq, status, sha256 };
}

/** The decision that no attempt has spent yet. */
export function unspentDecision(call: CallRecord): Decision | null {
  return call.decisions.find(({ spentBy }) => spentBy === null) ?? null;
}

/** Attempts that were given up by decisions that were spent. */
export function givenUp(call: CallRecord): Attempt[] {
  return call.attempts.filter((attempt) => isNamedBySpent(call, attempt));
}

function isNamedBySpent(call: CallRecord, attempt: Attempt): boolean {
  return call.decisions.some(({ spentBy, payload }) => spentBy !== null && payload.attempt_ids.includes(attempt.id));
}

function settlesEarlier({ observed }: Attempt, seq: number): boolean {
  return observed !== null && observed.seq > seq && observed.payload.delivery === 'complete' && observed.payload.status !== 409;
}

/** The evidence that the work state's table asks about, gathered from the record of one call. */
import type { History } from './history.js';
import type { Attempt, CallRecord } from './records.js';
import { adoptionOf, decidingAttempt, isServed, isSince, reconciliationOf, settlementOf, unspentDecision } from './settlement.js';
import type { Evidence } from './work-state-table.js';

export function evidenceOf(history: History, call: CallRecord): Evidence {
  const settlements = call.attempts.map((attempt) => ({ attempt, settlement: settlementOf(history, call, attempt) }));
  const unsettled = settlements.filter(({ settlement }) => settlement === null);
  return {
    superseded: call.supersededBy !== null,
    completed: call.completed !== null,
    preparationFailed: call.preparationFailed !== null,
    manifest: call.manifest !== null,
    attempted: call.attempts.length > 0,
    unspentDecision: unspentDecision(call) !== null,
    unsettled: unsettled.length > 0,
    asked: unsettled.every(({ attempt }) => attempt.reconciliations.length > 0),
    honoursKey: call.manifest?.provider.honours_key === true,
    served: settlements.some(({ settlement }) => isServed(settlement)),
    passedOver: settlements.some(({ settlement }) => settlement?.by === 'passed_over'),
    deciding: decidingEvidence(decidingAttempt(call)),
  };
}

const nothing: Evidence['deciding'] = { reconciled: null, delivery: null, interpreted: false, decision: null, completed: false };

function decidingEvidence(attempt: Attempt | undefined): Evidence['deciding'] {
  if (attempt === undefined) return nothing;
  const { observed, interpretations, decided, completed } = attempt;
  const adoption = adoptionOf(attempt);
  const finding = reconciliationOf(attempt)?.payload.finding;
  return {
    reconciled: finding === 'not_served' ? finding : finding === 'served' && adoption === null ? 'served_without_response' : null,
    delivery: adoption === null ? (observed?.payload.delivery ?? null) : 'complete',
    interpreted: isSince(attempt, interpretations.at(-1)),
    decision: decided !== null && isSince(attempt, decided) ? decided.payload.decision : null,
    completed: isSince(attempt, completed),
  };
}

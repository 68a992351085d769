/** The outcome of a call as the report of a role. */
import type { CallOutcome } from '../../calls/live/call.js';
import type { Report } from '../kit/role.js';

export function reportOfCall(outcome: CallOutcome): Report {
  const { callId, replayed, error } = outcome;
  if (outcome.outcome === 'failed') return { status: 'failed', detail: `${callId} failed: ${error}.`, replayed };
  return { status: 'completed', detail: `${callId} ${replayed ? 'was answered from the ledger' : 'succeeded'}.`, replayed };
}

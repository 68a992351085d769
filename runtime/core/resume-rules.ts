/**
 * May this call be resumed? Only where the record proves that no effect was possible: rows D and E of the work-state table.
 *
 * Two rules stand beside the table. The caller may name the operation that it wants, and anything but the projected one is
 * refused. And another call under the same key may already have been served: this call's own record does not show that, and
 * sending it again would pay twice.
 */
import type { Call, Operation } from './vocabulary.js';

export type ResumeDecision = { act: true } | { act: false; operation: Operation; hazard: 'unsafe' | 'unneeded'; message: string };

export function decideResume(call: Call, sameKey: readonly Call[], wanted: Operation | null): ResumeDecision {
  const operation = call.next_operation;
  const refuse = (hazard: 'unsafe' | 'unneeded', message: string): ResumeDecision => ({ act: false, operation, hazard, message });
  if (call.duplicate_risk) return refuse('unsafe', `${call.call_id} cannot be resumed: ${call.reason} Next: ${operation}.`);
  if (operation !== 'start_call')
    return refuse('unneeded', `${call.call_id} is not to be resumed: ${call.reason} Next: ${operation}.`);
  if (wanted !== null && wanted !== operation)
    return refuse('unneeded', `${call.call_id} was asked to ${wanted}; the record says ${operation}.`);
  const others = sameKey.filter((other) => other.call_id !== call.call_id);
  const unknown = others.find((other) => other.provider_effect === 'unknown');
  if (unknown) return refuse('unsafe', `${call.call_id} shares its key with ${unknown.call_id}, whose effect is unknown.`);
  const served = others.find((other) => other.provider_effect === 'happened');
  if (served) return refuse('unneeded', `${call.call_id} shares its key with ${served.call_id}, which was already served.`);
  return { act: true };
}

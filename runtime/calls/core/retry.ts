/**
 * The recorded retry policy applied to one attempt.
 *
 * A policy may act on a whole error response and on a proved `not_sent`. A broken delivery may have been served: repeating it is
 * lawful only where the provider is declared to honour the key. Null means that nothing may be decided: the effect is unknown.
 */
import type { Payloads } from './events.js';
import type { Interpretation } from './interpret.js';
import type { RetryPolicy } from './vocabulary.js';

export type Decision = Payloads['attempt.retry_decided'];

export type Seen =
  { delivery: 'complete'; status: number; result: Interpretation['result'] } | { delivery: 'not_sent' } | { delivery: 'broken' };

export function decideRetry(policy: RetryPolicy, honoursKey: boolean, attemptNumber: number, seen: Seen): Decision | null {
  const attemptsLeft = attemptNumber < policy.max_attempts;
  if (seen.delivery === 'broken') {
    const allowed = honoursKey && policy.retry_broken_if_key_honoured && attemptsLeft;
    return allowed ? { decision: 'retry', reason: 'broken_key_honoured' } : null;
  }
  if (seen.delivery === 'complete' && seen.result === 'answer') return { decision: 'stop', reason: 'answered' };
  const reason = seen.delivery === 'not_sent' ? 'not_sent' : 'retryable_status';
  const retryable = seen.delivery === 'not_sent' ? policy.retry_not_sent : policy.retry_statuses.includes(seen.status);
  if (!retryable) return { decision: 'stop', reason: 'not_retryable' };
  return attemptsLeft ? { decision: 'retry', reason } : { decision: 'stop', reason: 'attempts_exhausted' };
}

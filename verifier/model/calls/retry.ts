/**
 * The recorded retry policy applied to what is recorded about one attempt, as a labelled table: what it may decide, and why. The
 * rule behind it: a complete error and a proved not-sent may be tried again; a broken delivery may have had its effect, so it is
 * tried again only where the provider is declared to honour the key.
 */
import type { AttemptRetryDecided, CallManifest } from '../../contract/types.js';
import type { Attempt } from './history.js';
import { always, interpretationOf, responseOf } from './settlement.js';

type Decision = Pick<AttemptRetryDecided, 'decision' | 'reason'>;

/** By what was known of the attempt before the event `before`: an adopted response counts as a complete delivery. */
export function lawfulDecision(
  attempt: Attempt,
  { retry_policy: policy, provider }: CallManifest,
  before = always,
): Decision | null {
  const { number } = attempt;
  const observed = attempt.observed !== undefined && attempt.observed.seq < before ? attempt.observed : undefined;
  const response = responseOf(attempt, before);
  const interpreted = interpretationOf(attempt, before);
  const delivery = response === undefined ? observed?.delivery : 'complete';
  const whenAllowed = (allowed: boolean, reason: Decision['reason']): Decision => {
    if (!allowed) return { decision: 'stop', reason: 'not_retryable' };
    return number < policy.max_attempts ? { decision: 'retry', reason } : { decision: 'stop', reason: 'attempts_exhausted' };
  };
  switch (delivery) {
    case undefined:
      return null;
    case 'complete':
      if (interpreted === undefined) return null;
      if (interpreted.result === 'answer') return { decision: 'stop', reason: 'answered' };
      return whenAllowed(policy.retry_statuses.includes(response?.status ?? 0), 'retryable_status');
    case 'not_sent':
      return whenAllowed(policy.retry_not_sent, 'not_sent');
    case 'broken':
      return whenAllowed(policy.retry_broken_if_key_honoured && provider.honours_key, 'broken_key_honoured');
  }
}

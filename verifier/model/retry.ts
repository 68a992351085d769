/**
 * The recorded retry policy applied to what is recorded about one attempt, as a labelled table: what it may decide, and why. The
 * rule behind it: a complete error and a proved not-sent may be tried again; a broken delivery may have had its effect, so it is
 * tried again only where the provider is declared to honour the key.
 */
import type { AttemptRetryDecided, CallManifest } from '../contract/types.js';
import type { Attempt } from './history.js';

type Decision = AttemptRetryDecided;

export function lawfulDecision(attempt: Attempt, { retry_policy: policy, provider }: CallManifest): Decision | null {
  const { observed, interpreted, number } = attempt;
  if (observed === undefined) return null;
  const whenAllowed = (allowed: boolean, reason: Decision['reason']): Decision => {
    if (!allowed) return { decision: 'stop', reason: 'not_retryable' };
    return number < policy.max_attempts ? { decision: 'retry', reason } : { decision: 'stop', reason: 'attempts_exhausted' };
  };
  switch (observed.delivery) {
    case 'complete':
      if (interpreted === undefined) return null;
      if (interpreted.result === 'answer') return { decision: 'stop', reason: 'answered' };
      return whenAllowed(observed.status !== null && policy.retry_statuses.includes(observed.status), 'retryable_status');
    case 'not_sent':
      return whenAllowed(policy.retry_not_sent, 'not_sent');
    case 'broken':
      return whenAllowed(policy.retry_broken_if_key_honoured && provider.honours_key, 'broken_key_honoured');
  }
}

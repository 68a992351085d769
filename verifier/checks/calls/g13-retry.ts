/**
 * G13: Retries follow the recorded policy; a broken delivery is never retried unless the provider is declared to honour the key.
 * Verified: every recorded decision against the policy in the manifest, and that every further attempt follows a decision to retry.
 * Not verified: a new call over the same intent, which is no retry: resumes are G22, and a naive restart shows in G25. An attempt that
 * cites what makes it lawful is none of the policy's: G28 judges it.
 */
import type { Attempt, Call } from '../../model/calls/history.js';
import { lawfulDecision } from '../../model/calls/retry.js';
import { decidingAttempt, decisionOf } from '../../model/calls/settlement.js';
import type { Snapshot } from '../../read/bundle.js';
import { perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, plannedCalls } from './derived.js';

export const g13: CaseCheck = {
  guarantee: 'G13',
  sentence:
    'Retries follow the recorded policy; a broken delivery is never retried unless the provider is declared to honour the key.',
  covers: 'every decision against the recorded policy, every attempt after the first',
  doesNotCover: 'new calls over the same intent; attempts that cite a finding or a decision (G28)',
  codes: ['retry-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedDecisions, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const calls = [...historyIn(snapshot).calls.values()];
      for (const { seq, detail } of calls.flatMap(unlawful)) say('retry-unlawful', detail, { file, seq });
      // Decisions, and the attempts that need one before them.
      const decisions = calls.flatMap(({ attempts }) => attempts.flatMap((attempt) => attempt.decisions));
      return decisions.length + calls.flatMap(({ attempts }) => attempts.slice(1).filter(isByPolicy)).length;
    }),
};

/** A call that ended without an effect may have been closed because another was answered under its key: nothing was decided then. */
function plannedDecisions(snapshot: Snapshot): number {
  return plannedCalls(
    snapshot,
    ({ stage, provider_effect: effect }) => (stage === 'completed' && effect !== 'absent') || stage === 'retry_due',
  );
}

function isByPolicy({ cites }: Attempt): boolean {
  return cites === undefined;
}

function unlawful(call: Call): { seq: number; detail: string }[] {
  const { manifest } = call;
  if (manifest === undefined) return [];
  const problems: { seq: number; detail: string }[] = [];
  for (const [index, attempt] of call.attempts.entries()) {
    const before = index === 0 ? undefined : decidingAttempt(call, attempt.seq);
    const allowed = before === undefined || decisionOf(before, attempt.seq)?.decision === 'retry';
    if (isByPolicy(attempt) && !allowed)
      problems.push({ seq: attempt.seq, detail: 'An attempt was started without a decision to retry.' });
    if (isByPolicy(attempt) && index + 1 > manifest.retry_policy.max_attempts)
      problems.push({ seq: attempt.seq, detail: 'There are more attempts than the policy allows.' });
    for (const { seq, decision, reason } of attempt.decisions) {
      const lawful = lawfulDecision(attempt, manifest, seq);
      if (lawful === null || lawful.decision !== decision || lawful.reason !== reason)
        problems.push({ seq, detail: 'The decision is not the one that the recorded policy makes.' });
    }
  }
  return problems;
}

/**
 * G13: Retries follow the recorded policy; a broken delivery is never retried unless the provider is declared to honour the key.
 * Verified: every recorded decision against the policy in the manifest, and that every further attempt follows a decision to retry.
 * Not verified: a new call over the same intent, which is no retry: resumes are G22, and a naive restart shows in G25.
 */
import type { Call } from '../model/history.js';
import { lawfulDecision } from '../model/retry.js';
import type { Snapshot } from '../read/bundle.js';
import { perSnapshot, type CaseCheck } from './check.js';
import { historyIn, plannedCalls } from './derived.js';

export const g13: CaseCheck = {
  guarantee: 'G13',
  sentence:
    'Retries follow the recorded policy; a broken delivery is never retried unless the provider is declared to honour the key.',
  covers: 'every decision against the recorded policy, every attempt after the first',
  doesNotCover: 'new calls over the same intent',
  codes: ['retry-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedDecisions, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const calls = [...historyIn(snapshot).calls.values()];
      for (const { seq, detail } of calls.flatMap(unlawful)) say('retry-unlawful', detail, { file, seq });
      // Decisions, and the attempts that need one before them.
      const decisions = calls.flatMap(({ attempts }) => attempts.filter(({ decided }) => decided !== undefined));
      return decisions.length + calls.flatMap(({ attempts }) => attempts.slice(1)).length;
    }),
};

function plannedDecisions(snapshot: Snapshot): number {
  return plannedCalls(snapshot, ({ stage }) => stage === 'completed' || stage === 'retry_due');
}

function unlawful(call: Call): { seq: number; detail: string }[] {
  const { manifest } = call;
  if (manifest === undefined) return [];
  const problems: { seq: number; detail: string }[] = [];
  for (const [index, attempt] of call.attempts.entries()) {
    const before = call.attempts[index - 1];
    if (before !== undefined && (before.decided?.decision !== 'retry' || before.decided.seq > attempt.seq)) {
      problems.push({ seq: attempt.seq, detail: 'An attempt was started without a decision to retry.' });
    }
    if (index + 1 > manifest.retry_policy.max_attempts)
      problems.push({ seq: attempt.seq, detail: 'There are more attempts than the policy allows.' });
    if (attempt.decided === undefined) continue;
    const lawful = lawfulDecision(attempt, manifest);
    if (lawful === null || lawful.decision !== attempt.decided.decision || lawful.reason !== attempt.decided.reason) {
      problems.push({ seq: attempt.decided.seq, detail: 'The decision is not the one that the recorded policy makes.' });
    }
  }
  return problems;
}

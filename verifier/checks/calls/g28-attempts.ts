/**
 * G28: After an effect that is not known to be absent, an attempt is started only by a finding, an honoured key or an accepted
 * duplicate, which it cites, and a decision is spent once.
 * Verified: every attempt that follows another of its call, and every accepted duplicate, against the call as the record has it just
 * before; who accepted it against what the plan has the operator decide.
 * Not verified: the first attempt of a call over the same key, which is no retry: resumes are G22, and a naive restart shows in G25.
 */
import { decisionProblems } from '../../model/calls/decisions.js';
import { historyOf } from '../../model/calls/history.js';
import type { Snapshot } from '../../read/bundle.js';
import type { StateEvidence } from '../../read/state.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { actorsOf } from '../actors.js';
import { inheritedCount } from './derived.js';

export const g28: CaseCheck = {
  guarantee: 'G28',
  sentence:
    'After an effect that is not known to be absent, an attempt is started only by a finding, an honoured key or an accepted duplicate, which it cites, and a decision is spent once.',
  covers: 'every attempt after the first of its call, every accepted duplicate and who accepted it',
  doesNotCover: 'the first attempt of a new call over the same key',
  codes: ['attempt-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedAcceptances, (snapshot, say) => {
      const judged = snapshot.states.map((state) => ledgerJudged(snapshot, state, say));
      return judged.reduce((sum, count) => sum + count, 0);
    }),
};

/** How many decisions and attempts were judged: each ledger by itself, since nobody can read both. */
function ledgerJudged(snapshot: Snapshot, { ledger, ledgerFile: file }: StateEvidence, say: Say): number {
  const { events } = need(ledger);
  for (const { seq, detail } of decisionProblems(events, 1)) say('attempt-unlawful', detail, { file, seq });
  const calls = [...historyOf(events).calls.values()];
  const decisions = calls.flatMap(({ duplicatesAccepted }) => duplicatesAccepted);
  const added = decisions.filter(({ seq }) => seq > inheritedCount(snapshot));
  for (const { seq, by, note } of added)
    if (!isDecided(snapshot, by, note)) say('attempt-unlawful', 'The plan has no operator accept this duplicate.', { file, seq });
  return decisions.length + calls.flatMap(({ attempts }) => attempts.slice(1)).length;
}

/** Accepted duplicates that were spent, and the attempts that spent them. */
function plannedAcceptances({ planned }: Snapshot): number {
  return 2 * (planned.expect.calls ?? []).filter(({ accepted_duplicates: accepted }) => accepted !== undefined).length;
}

function isDecided(snapshot: Snapshot, by: string, note: string): boolean {
  return actorsOf(snapshot).some(({ operation, input }) => {
    const words = (input ?? {}) as { by?: unknown; note?: unknown };
    return operation === 'accept_duplicate' && words.by === by && words.note === note;
  });
}

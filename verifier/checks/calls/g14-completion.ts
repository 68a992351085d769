/**
 * G14: A call is completed only when all its attempts have been settled before, and succeeded only with an answer and its result.
 * Verified: every completed attempt and call against what was observed, interpreted and recorded before it; that what a role says it
 * answered from the ledger was completed there.
 * Not verified: that the answer is any good; a person or a check accepts it.
 */
import type { Attempt, Call, History } from '../../model/calls/history.js';
import { decidingAttempt, interpretationOf, isSettled } from '../../model/calls/settlement.js';
import type { Snapshot } from '../../read/bundle.js';
import { perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, inheritedCount, plannedCalls } from './derived.js';

export const g14: CaseCheck = {
  guarantee: 'G14',
  sentence:
    'A call is completed only when all its attempts have been settled before, and succeeded only with an answer and its result.',
  covers: 'every completed attempt and call, and every answer from the ledger',
  doesNotCover: 'the quality of an answer',
  codes: ['completion-unsound'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedEnds, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const history = historyIn(snapshot);
      const calls = [...history.calls.values()];
      for (const { seq, detail } of calls.flatMap((call) => unsound(history, call)))
        say('completion-unsound', detail, { file, seq });
      const attempts = calls.flatMap((call) => call.attempts);
      if (snapshot.answer.value?.replayed === true && !isReplay(snapshot, calls))
        say('completion-unsound', 'Nothing was there to be answered from the ledger.', { file: snapshot.file('answer.json') });
      return [...calls, ...attempts].filter(({ completed }) => completed !== undefined).length;
    }),
};

/** What is answered from the ledger was completed there, and is not sent again. */
function isReplay(snapshot: Snapshot, calls: readonly Call[]): boolean {
  const inherited = inheritedCount(snapshot);
  const hasSent = calls.some(({ attempts }) => attempts.some(({ seq }) => seq > inherited));
  return !hasSent && calls.some(({ completed }) => completed !== undefined);
}

function plannedEnds(snapshot: Snapshot): number {
  return plannedCalls(snapshot, ({ stage }) => stage === 'completed');
}

/** By its last reading before the event. */
function isAnswered(attempt: Attempt | undefined, before: number): boolean {
  return attempt !== undefined && interpretationOf(attempt, before)?.result === 'answer';
}

function unsound(history: History, call: Call): { seq: number; detail: string }[] {
  const problems: { seq: number; detail: string }[] = [];
  for (const attempt of call.attempts) {
    const { completed } = attempt;
    if (completed !== undefined && (completed.outcome === 'succeeded') !== isAnswered(attempt, completed.seq)) {
      problems.push({ seq: completed.seq, detail: 'An attempt succeeds exactly when it was answered.' });
    }
  }
  const { completed } = call;
  if (completed === undefined) return problems;
  const say = (detail: string): void => void problems.push({ seq: completed.seq, detail });
  // What came back later excuses nothing: at that moment nobody could know.
  if (call.attempts.some((attempt) => !isSettled(history, call, attempt, completed.seq)))
    say('The call was completed with an attempt that nothing had settled before.');
  const answered = isAnswered(decidingAttempt(call, completed.seq), completed.seq);
  const resultId = call.results[0]?.result_id ?? null;
  if (completed.outcome === 'succeeded') {
    if (!answered || resultId === null) say('The call succeeded without an answer and its result.');
    if (completed.result_id !== resultId || completed.error !== null) say('A success names its result and no error.');
  } else {
    if (answered) say('The call failed although it was answered.');
    if (completed.result_id !== null || completed.error === null) say('A failure names its error and no result.');
  }
  return problems;
}

/**
 * G14: A call is completed only when all its attempts are settled, and succeeded only with an answer and its result.
 * Verified: every completed attempt and call against what was observed, interpreted and recorded before.
 * Not verified: that the answer is any good; a person or a check accepts it.
 */
import { isSettled, type Call, type History } from '../model/history.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { historyIn } from './derived.js';

export const g14: CaseCheck = {
  guarantee: 'G14',
  sentence: 'A call is completed only when all its attempts are settled, and succeeded only with an answer and its result.',
  covers: 'every completed attempt and call',
  doesNotCover: 'the quality of an answer',
  codes: ['completion-unsound'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      need(snapshot.ledger);
      const file = snapshot.file('state/ledger.sqlite');
      const history = historyIn(snapshot);
      for (const call of history.calls.values()) {
        for (const { seq, detail } of unsound(history, call)) say('completion-unsound', detail, { file, seq });
      }
    }),
};

function unsound(history: History, call: Call): { seq: number; detail: string }[] {
  const problems: { seq: number; detail: string }[] = [];
  for (const { completed, interpreted } of call.attempts) {
    const answered = interpreted?.result === 'answer';
    if (completed !== undefined && (completed.outcome === 'succeeded') !== answered) {
      problems.push({ seq: completed.seq, detail: 'An attempt succeeds exactly when it was answered.' });
    }
  }
  const { completed } = call;
  if (completed === undefined) return problems;
  const say = (detail: string): void => void problems.push({ seq: completed.seq, detail });
  if (call.attempts.some((attempt) => !isSettled(history, call, attempt)))
    say('The call was completed with an unsettled attempt.');
  const answered = call.attempts.some(({ interpreted }) => interpreted?.result === 'answer');
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

/**
 * G39: An approval is asked once, answered once, for these bytes, and spent by one intent; what needs one is not dispatched without, and
 * what was denied is not dispatched.
 * Verified: every question, answer and intent of every call, against the tool's policy and the bytes that the model wrote.
 * Not verified: who the person was, and what was shown to him.
 */
import { needsApproval, toolOf } from '../../model/sessions/batch-plan.js';
import type { Call } from '../../model/sessions/history.js';
import { textSha256 } from '../../read/hash.js';
import { perSnapshot, type CaseCheck } from '../check.js';
import { historyIn } from './derived.js';
import { plannedCalls } from './planned.js';

export const g39: CaseCheck = {
  guarantee: 'G39',
  sentence:
    'An approval is asked once, answered once, for these bytes, and spent by one intent; what needs one is not dispatched without, and what was denied is not dispatched.',
  covers: 'every approval that was asked for, answered or spent, and every intent of a tool that needs one',
  doesNotCover: 'who the person was, and what was shown to them',
  codes: ['approval-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(
      snapshots,
      (snapshot) => plannedCalls(snapshot, 'awaiting_approval', 'approved', 'denied'),
      (snapshot, say) => {
        let judged = 0;
        for (const call of historyIn(snapshot).callsByKey.values()) {
          const { approvals, answers, intents } = call;
          const isNeeded = toolOf(call.step.run.config, call.name)?.approval === 'required';
          const cites = intents.some(({ approval_seq: seq }) => seq !== null);
          if (approvals.length + answers.length === 0 && !isNeeded && !cites) continue;
          judged += 1;
          for (const { detail, seq } of approvalProblems(call))
            say('approval-unlawful', detail, { file: snapshot.state.logFile, seq });
        }
        return judged;
      },
    ),
};

interface Unlawful {
  readonly detail: string;
  readonly seq: number;
}

function approvalProblems(call: Call): Unlawful[] {
  const { approvals, answers, intents, step } = call;
  const problems: Unlawful[] = [];
  const say = (seq: number | undefined, detail: string): void => void (seq === undefined ? null : problems.push({ detail, seq }));
  const [asked, again] = approvals;
  const [answer, another] = answers;
  const isNeeded = needsApproval(call, step.run.config);
  if (!isNeeded) say(asked?.seq, 'An approval is asked for that the call does not need.');
  say(again?.seq, 'An approval is asked for twice.');
  if (asked !== undefined && (asked.name !== call.name || asked.arguments_sha256 !== textSha256(call.arguments)))
    say(asked.seq, 'An approval is asked for other bytes than those of the call.');
  say(another?.seq, 'An approval is answered twice.');
  if (answer !== undefined && (asked === undefined || asked.seq >= answer.seq || answer.request_seq !== asked.seq))
    say(answer.seq, 'An answer is to no question.');
  const planned = step.batch?.started.seq ?? Infinity;
  for (const { seq } of [...approvals, ...answers]) if (seq > planned) say(seq, 'An approval comes after the plan of its call.');
  for (const { seq, approval_seq: spent } of intents) {
    if (!isNeeded && spent !== null) say(seq, 'An intent spends an approval that it does not need.');
    if (!isNeeded) continue;
    if (answer?.decision === 'denied') say(seq, 'A call is dispatched that was denied.');
    else if (spent === null || answer === undefined || spent !== answer.seq || spent >= seq)
      say(seq, 'A call is dispatched without the approval that it needs.');
  }
  return problems;
}

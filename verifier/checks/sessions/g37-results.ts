/**
 * G37: What a tool result says is what the provider says: `completed` was answered with those bytes, `not_sent` had no request.
 * Verified: of HTTP tools, every output against the hash of an answer under its key, and `is_error` against its status; that nothing was
 * received of a call that is recorded as not sent or not dispatched; the text of every result that no tool told; that an unknown one was
 * asked for, unless a kill or a cancel came between.
 * Not verified: the output of commands; an output that is recorded as not kept; whether an unknown call came back after all; where an owner
 * was to send a call from a folder that was moved away, whether the folder in its place is right that nobody did.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { toolOf } from '../../model/sessions/batch-plan.js';
import type { At, Call } from '../../model/sessions/history.js';
import { isResultText } from '../../model/sessions/texts.js';
import { memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { textSha256 } from '../../read/hash.js';
import { leavesAnswer } from '../../read/plan.js';
import type { Settled } from '../../read/receipts.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, movedHistories, sentBy } from './derived.js';
import { plannedCalls } from './planned.js';

export const g37: CaseCheck = {
  guarantee: 'G37',
  sentence:
    'What a tool result says is what the provider says: `completed` was answered with those bytes, `not_sent` had no request.',
  covers: 'every tool result of every log: its bytes and its status, or its text where no tool told one',
  doesNotCover:
    'the output of commands; outputs that are recorded as not kept; whether an unknown call came back after all; whether nothing was sent of a call that the owner of a folder that was moved away was to send',
  codes: ['tool-result-mismatch'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(
      snapshots,
      (snapshot) => plannedCalls(snapshot, 'completed', 'not_sent', 'unknown', 'interrupted', 'max_steps'),
      (snapshot, say) => {
        const calls = [...historyIn(snapshot).callsByKey.values()];
        const answers = answersByKey(snapshot);
        const sent = new Set(sentBy(snapshot).map((line) => line.idempotency_key));
        const elsewhere = intendedElsewhere(snapshot);
        const isBounded = hasCeiling(snapshot, bundle);
        let judged = 0;
        for (const call of calls) {
          for (const result of call.results) {
            judged += 1;
            const told = {
              answers: answers.get(call.key) ?? [],
              isSent: sent.has(call.key) && !elsewhere.has(call.key),
              isCut: wasCut(snapshot, call),
              isBounded,
            };
            const wrong = resultWrong(call, result, told);
            if (wrong !== null) say('tool-result-mismatch', wrong, { file: snapshot.state.logFile, seq: result.seq });
          }
        }
        return judged;
      },
    ),
};

/** What an owner sends whose folder was moved away says nothing about the folder in its place. */
function intendedElsewhere(snapshot: Snapshot): ReadonlySet<string> {
  const intended = movedHistories(snapshot).flatMap(({ callsByKey }) => [...callsByKey.values()]);
  return new Set(intended.filter(({ intents }) => intents.length > 0).map(({ key }) => key));
}

function answersByKey(snapshot: Snapshot): Map<string, Settled[]> {
  const answers = new Map<string, Settled[]>();
  for (const { received, settled } of need(snapshot.receipts).requests) {
    const key = received.idempotency_key;
    if (key === null || settled?.ended !== 'answered') continue;
    answers.set(key, [...(answers.get(key) ?? []), settled]);
  }
  return answers;
}

/** A kill, a call that failed or a cancel may have come before the request of a call had left. */
function wasCut({ lineage }: Snapshot, { step: { run } }: Call): boolean {
  return run.cancels.length > 0 || lineage.some(({ planned }) => !leavesAnswer(planned) || planned.crash !== null);
}

/** The scenario sets a ceiling that a small log can reach; the default one is a gibibyte. */
function hasCeiling({ planned, state }: Snapshot, { plan }: Bundle): boolean {
  const ceiling = memberOf(memberOf(plan.value?.scenarios[planned.scenario], 'session'), 'ceiling_bytes');
  return typeof ceiling === 'number' || (state.log.value?.bytes.length ?? 0) > sessionLogV1.ceiling_bytes / 2;
}

type Result = At<'tool_result'>;

interface Told {
  readonly answers: readonly Settled[];
  readonly isSent: boolean;
  readonly isCut: boolean;
  readonly isBounded: boolean;
}

function resultWrong(call: Call, result: Result, { answers, isSent, isCut, isBounded }: Told): string | null {
  const { outcome, output } = result;
  const isHttp = toolOf(call.step.run.config, call.name)?.kind === 'http';
  if (!isResultText(result)) return `A result is ${outcome} and says something else.`;
  switch (outcome) {
    case 'completed':
      if (output === sessionLogV1.texts.too_large && !isBounded) return 'A result was not kept that had room.';
      return isHttp ? completedWrong(result, answers) : null;
    case 'not_sent':
    case 'interrupted':
    case 'max_steps':
      return isSent ? `A call is recorded as ${outcome}, and the provider has a request of it.` : null;
    case 'unknown':
      return isSent || isCut || !isHttp ? null : 'A call is recorded as unknown that nobody asked for, and nothing came between.';
  }
}

/** What had no room is known by its status alone. The provider sends nothing but text. */
function completedWrong({ output, is_error: isError }: Result, answers: readonly Settled[]): string | null {
  const isTold = ({ status, response_sha256: hash }: Settled): boolean => {
    if (output === sessionLogV1.texts.too_large) return true;
    const isGood = status !== null && status >= 200 && status <= 299;
    return hash === textSha256(output) && isGood !== isError;
  };
  return answers.some(isTold) ? null : 'The provider gave no such answer to this call.';
}

/**
 * Who may pay again: the rule by which an attempt follows one whose effect is not known to be absent, and the rule of the decision
 * that it may spend. Both are judged against the call as it stood just before the event, so a decision cannot be spent twice: once an
 * attempt cites it, it waits no longer. Pure.
 */
import type { DuplicateAccepted, Event, SharedStage } from '../../contract/types.js';
import { historyOf, type At, type Attempt, type Call, type History, type Reconciliation } from './history.js';
import { decidingAttempt, decisionOf, isSettled, spenderOf, unspentDecision } from './settlement.js';
import { standingOf } from './work-state.js';

interface Problem {
  readonly seq: number;
  readonly detail: string;
}

/** Attempts and accepted duplicates from the row `from` on that were not lawful when they were recorded. */
export function decisionProblems(events: readonly Event[], from: number): Problem[] {
  const history = historyOf(events);
  return [...history.calls.values()].flatMap((call) => [
    ...problemsIn(call.attempts, from, (attempt) => startWrong(history, call, attempt)),
    ...problemsIn(call.duplicatesAccepted, from, (decision) => acceptanceWrong(history, call, decision)),
  ]);
}

function problemsIn<T extends { seq: number }>(items: readonly T[], from: number, judge: (item: T) => string | null): Problem[] {
  return items.flatMap((item) => {
    const detail = item.seq < from ? null : judge(item);
    return detail === null ? [] : [{ seq: item.seq, detail }];
  });
}

/** By the stage of the call: what an attempt must cite. What starts no attempt is not in it. */
const grounds: Partial<Record<SharedStage, 'nothing' | 'decision' | 'finding'>> = {
  manifest_recorded: 'nothing',
  not_sent: 'nothing',
  retry_due: 'nothing',
  duplicate_accepted: 'decision',
  retry_safe: 'finding',
  not_served: 'finding',
};

function startWrong(history: History, call: Call, { seq, cites }: Attempt): string | null {
  const { stage } = standingOf(history, call, seq);
  const decision = call.duplicatesAccepted.find((one) => one.seq === cites && one.seq < seq);
  if (decision !== undefined && spenderOf(call, decision, seq) !== undefined)
    return 'The decision that the attempt cites had been spent before.';
  if (cites === undefined && isHonouredRetry(history, call, stage, seq)) return null;
  switch (grounds[stage] ?? 'no ground') {
    case 'no ground':
      return `An attempt was started in the stage ${stage}.`;
    case 'nothing':
      return cites === undefined ? null : 'The attempt cites what it does not need.';
    case 'decision':
      return cites === unspentDecision(call, seq)?.seq
        ? null
        : 'The attempt does not cite the accepted duplicate that allows it.';
    case 'finding':
      return cites === lastFinding(history, call, seq)?.seq ? null : 'The attempt does not cite the finding that allows it.';
  }
}

/** Under an honoured key the policy may retry what broke: the key makes both the same effect. Once somebody has asked, that is cited. */
function isHonouredRetry(history: History, call: Call, stage: SharedStage, before: number): boolean {
  const last = decidingAttempt(call, before);
  if (call.manifest?.provider.honours_key !== true || last === undefined) return false;
  if (decisionOf(last, before)?.decision !== 'retry') return false;
  return stage === 'effect_unknown' || (stage === 'retry_safe' && isSettled(history, call, last, before));
}

/** The last finding of the call, where it speaks of every attempt in doubt. */
function lastFinding(history: History, call: Call, before: number): Reconciliation | undefined {
  const last = call.reconciliations.findLast(({ seq }) => seq < before);
  return inDoubt(history, call, before).every((id) => last?.attempt_ids.includes(id)) ? last : undefined;
}

function acceptanceWrong(history: History, call: Call, { seq, attempt_ids: ids }: At<DuplicateAccepted>): string | null {
  const { stage, next } = standingOf(history, call, seq);
  if (next !== 'decide') return `A duplicate was accepted in the stage ${stage}.`;
  return ids.join() === inDoubt(history, call, seq).join()
    ? null
    : 'The accepted duplicate names other attempts than those in doubt.';
}

/** The unsettled attempts of a call in order; without any, the one that was served and whose response is lost. */
export function inDoubt(history: History, call: Call, before: number): string[] {
  const open = call.attempts.filter((attempt) => attempt.seq < before && !isSettled(history, call, attempt, before));
  const deciding = open.length > 0 ? undefined : decidingAttempt(call, before);
  return (deciding === undefined ? open : [deciding]).map(({ id }) => id);
}

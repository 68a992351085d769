/**
 * What is known about an attempt's effect, and which attempt a call goes on from. Every question can be asked as of a moment: what
 * stood in the ledger before the event `before`. Pure, written from the contract's rules on work states.
 */
import type { AttemptInterpreted, AttemptRetryDecided, DuplicateAccepted } from '../../contract/types.js';
import { keyOf, type At, type Attempt, type Call, type History, type Reconciliation } from './history.js';

export const always = Infinity;

/** The bytes that an attempt goes on with: its own complete delivery, or a response that a reconciliation adopted in its place. */
interface Response {
  readonly seq: number;
  readonly status: number | null;
  readonly sha256: string | null;
  readonly contentType: string | null;
  readonly adopted: boolean;
}

/** The last word about an attempt, and nothing takes back that it was served; undefined where nobody asked. */
export function lastWord({ reconciliations }: Attempt, before = always): Reconciliation | undefined {
  const words = reconciliations.filter(({ seq }) => seq < before);
  return words.findLast(({ finding }) => finding === 'served') ?? words.at(-1);
}

export function responseOf(attempt: Attempt, before = always): Response | undefined {
  const { observed } = attempt;
  if (observed?.delivery === 'complete' && observed.seq < before) {
    const { seq, status, response_sha256: sha256, content_type: contentType } = observed;
    return { seq, status, sha256, contentType, adopted: false };
  }
  const word = lastWord(attempt, before);
  if (word?.response == null || word.attemptId !== attempt.id) return undefined;
  const { status, response_sha256: sha256, content_type: contentType } = word.response;
  return { seq: word.seq, status, sha256, contentType, adopted: true };
}

/** The last reading of the attempt's response. */
export function interpretationOf(attempt: Attempt, before = always): At<AttemptInterpreted> | undefined {
  const since = responseOf(attempt, before)?.seq ?? 0;
  return attempt.interpretations.findLast(({ seq }) => seq > since && seq < before);
}

/** What was decided on what is known now: a decision from before an adopted response is none about it. */
export function decisionOf(attempt: Attempt, before = always): At<AttemptRetryDecided> | undefined {
  const since = responseOf(attempt, before)?.seq ?? 0;
  return attempt.decisions.findLast(({ seq }) => seq > since && seq < before);
}

/** The last attempt, or an earlier one whose response was adopted after the last one was started. */
export function decidingAttempt({ attempts }: Call, before = always): Attempt | undefined {
  const last = attempts.findLast(({ seq }) => seq < before);
  if (last === undefined) return undefined;
  const adoptedAt = (attempt: Attempt): number => {
    const response = responseOf(attempt, before);
    return response?.adopted === true ? response.seq : 0;
  };
  const since = attempts.filter((attempt) => attempt.seq < last.seq && adoptedAt(attempt) > last.seq);
  return since.reduce<Attempt>((latest, one) => (adoptedAt(one) > adoptedAt(latest) ? one : latest), last);
}

/** The attempt that spent the decision. */
export function spenderOf({ attempts }: Call, { seq }: At<DuplicateAccepted>, before = always): Attempt | undefined {
  return attempts.find((attempt) => attempt.cites === seq && attempt.seq > seq && attempt.seq < before);
}

export function unspentDecision(call: Call, before = always): At<DuplicateAccepted> | undefined {
  return call.duplicatesAccepted.findLast((decision) => decision.seq < before && spenderOf(call, decision, before) === undefined);
}

/** Attempts whose unknown or lost effect an operator accepted to pay for again, and that was then done. */
export function acceptedDuplicates(call: Call, before = always): ReadonlySet<string> {
  const spent = call.duplicatesAccepted.filter(
    (decision) => decision.seq < before && spenderOf(call, decision, before) !== undefined,
  );
  return new Set(spent.flatMap(({ attempt_ids: ids }) => ids));
}

/** The call whose complete answer under the honoured key says that this attempt is over too. */
export function settledBy(history: History, call: Call, attempt: Attempt, before = always): string | undefined {
  if (call.manifest?.provider.honours_key !== true) return undefined;
  const answers = history.answers.get(keyOf(call)) ?? [];
  const later = answers[firstAfter(answers, attempt.seq)];
  return later !== undefined && later.seq < before ? later.callId : undefined;
}

/** Lists of a key grow with every call of it, so they are not walked for each attempt. */
function firstAfter(list: readonly { readonly seq: number }[], seq: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first call of the task that was answered under the key of this one: what this one was to do is done. */
export function answeredElsewhere({ calls }: History, call: Call, before = always): string | undefined {
  const isAnswered = ({ completed }: Call): boolean => completed?.outcome === 'succeeded' && completed.seq < before;
  return [...calls.values()].find((one) => one !== call && keyOf(one) === keyOf(call) && isAnswered(one))?.id;
}

/** Settled: nobody needs to ask any more whether this attempt's effect happened. */
export function isSettled(history: History, call: Call, attempt: Attempt, before = always): boolean {
  const { observed: own } = attempt;
  if (own !== undefined && own.delivery !== 'broken' && own.seq < before) return true;
  const finding = lastWord(attempt, before)?.finding ?? 'unknown';
  if (finding !== 'unknown' || acceptedDuplicates(call, before).has(attempt.id)) return true;
  return settledBy(history, call, attempt, before) !== undefined;
}

/** The effect of the attempt is known to have happened. */
export function wasServed(history: History, call: Call, attempt: Attempt, before = always): boolean {
  const { observed: own } = attempt;
  if (own !== undefined && own.delivery !== 'broken' && own.seq < before) return own.delivery === 'complete';
  const finding = lastWord(attempt, before)?.finding ?? 'unknown';
  if (finding !== 'unknown') return finding === 'served';
  return settledBy(history, call, attempt, before) !== undefined;
}

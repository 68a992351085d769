/**
 * Finalize: close a call about whose deciding attempt everything is known.
 *
 * It ends as the straight path would have ended it. A call whose attempts were settled by the response of another call has no response of
 * its own, and fails by that name.
 */
import type { CallOutcome } from '../calls/call.js';
import type { Committer } from '../calls/committer.js';
import { contentReader } from '../calls/context.js';
import { attemptCompletedDraft, closingDrafts } from '../calls/outcome.js';
import { recoveredBy } from '../calls/stamp.js';
import type { Draft } from '../core/events.js';
import { settlementOf } from '../core/settlement.js';
import { demandDeciding, placeOf, since } from './attempts.js';
import { demandCall } from './demand.js';
import type { OperationOptions } from './options.js';
import { act, appending, type Plan } from './plan.js';

export function finalize(committer: Committer, callId: string, options: OperationOptions): CallOutcome {
  return act(committer, options, () => planFinalize(committer, callId));
}

export function planFinalize(committer: Committer, callId: string): Plan<CallOutcome> {
  const { call } = demandCall(committer, callId, 'finalize');
  const { attempt, place } = demandDeciding(call);
  const stamp = recoveredBy('finalize');
  const drafts: Draft[] = [];
  if (since(attempt, attempt.completed) === null)
    drafts.push(attemptCompletedDraft(place, since(attempt, attempt.decided), stamp));
  const read = since(attempt, attempt.interpretations.at(-1));
  const text = read === null || read.text_sha256 === null ? null : contentReader(committer)(read.text_sha256);
  const meaning = read && { result: read.result, detail: read.detail, text };
  const settlement = settlementOf(committer.history, call, attempt);
  const otherwise = settlement?.by === 'honoured_key' ? `settled by ${settlement.callId}` : 'not_sent';
  const closing = closingDrafts(placeOf(call), committer.nextSeq + drafts.length, meaning, otherwise, stamp, call.result);
  const outcome = { callId, ...closing.end, attempts: call.attempts.length, replayed: false };
  return appending(committer, [...drafts, ...closing.drafts], () => outcome);
}

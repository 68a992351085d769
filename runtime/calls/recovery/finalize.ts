/**
 * Finalize: close a call about whose deciding attempt everything is known.
 *
 * It ends as the straight path would have ended it. A call whose attempts were settled by the response of another call has no response of
 * its own, and fails by that name; so does a call that has nothing under way while another was answered under its key, for which there is
 * nothing left to send.
 */
import type { CallOutcome } from '../live/call.js';
import type { Committer } from '../live/committer.js';
import { contentReader } from '../live/context.js';
import { attemptCompletedDraft, closingDrafts } from '../live/outcome.js';
import { recoveredBy } from '../live/stamp.js';
import type { Draft } from '../core/events.js';
import { answeringCall } from '../core/operations.js';
import type { CallRecord } from '../core/records.js';
import { settlementOf } from '../core/settlement.js';
import { act, appending, type Proposal } from './act.js';
import { demandDeciding, placeOf, since } from './attempts.js';
import { callsUnder, demandCall } from './demand.js';
import type { OperationOptions } from './options.js';

const stamp = () => recoveredBy('finalize');

export function finalize(committer: Committer, callId: string, options: OperationOptions): CallOutcome {
  return act(committer, options, () => proposeFinalize(committer, callId));
}

export function proposeFinalize(committer: Committer, callId: string): Proposal<CallOutcome> {
  const { call, projected } = demandCall(committer, callId, 'finalize');
  const answering = answeringCall(projected, callsUnder(committer, call));
  if (answering !== null) return proposeSettled(committer, call, answering.call_id);
  const { attempt, place } = demandDeciding(call);
  const drafts: Draft[] = [];
  if (since(attempt, attempt.completed) === null)
    drafts.push(attemptCompletedDraft(place, since(attempt, attempt.decided), stamp()));
  const read = since(attempt, attempt.interpretations.at(-1));
  const text = read === null || read.text_sha256 === null ? null : contentReader(committer)(read.text_sha256);
  const meaning = read && { result: read.result, detail: read.detail, text };
  const settlement = settlementOf(committer.history, call, attempt);
  const otherwise = settlement?.by === 'honoured_key' ? `settled by ${settlement.callId}` : 'not_sent';
  const closing = closingDrafts(placeOf(call), committer.nextSeq + drafts.length, meaning, otherwise, stamp(), call.result);
  const outcome = { callId, ...closing.end, attempts: call.attempts.length, replayed: false };
  return appending(committer, [...drafts, ...closing.drafts], () => outcome);
}

function proposeSettled(committer: Committer, call: CallRecord, by: string): Proposal<CallOutcome> {
  const { drafts, end } = closingDrafts(placeOf(call), committer.nextSeq, null, `settled by ${by}`, stamp());
  const outcome = { callId: call.id, ...end, attempts: call.attempts.length, replayed: false };
  return appending(committer, drafts, () => outcome);
}

/**
 * Accept a duplicate: an operator's recorded decision that one later attempt may pay again for what these attempts may have paid for.
 *
 * It sends nothing. The attempt that cites it spends it, and it cannot be spent twice.
 */
import type { Committer } from '../live/committer.js';
import { recoveredBy } from '../live/stamp.js';
import type { Draft } from '../core/events.js';
import { act, appending, type Proposal } from './act.js';
import { doubtful, placeOf } from './attempts.js';
import { demandCall } from './demand.js';
import { demandDecision } from './given.js';
import type { AcceptedBy, OperationOptions } from './options.js';

export function acceptDuplicate(
  committer: Committer,
  callId: string,
  decision: AcceptedBy,
  options: OperationOptions,
): { seq: number } {
  return act(committer, options, () => proposeAcceptDuplicate(committer, callId, decision));
}

export function proposeAcceptDuplicate(committer: Committer, callId: string, decision: AcceptedBy): Proposal<{ seq: number }> {
  demandDecision(decision);
  const { by, note } = decision;
  const { call } = demandCall(committer, callId, 'accept_duplicate');
  const attempt_ids = doubtful(committer, call).map(({ id }) => id);
  const payload = { attempt_ids, by, note, ...recoveredBy('accept_duplicate') };
  const draft: Draft = { ...placeOf(call), type: 'duplicate.accepted', payload };
  const { nextSeq: seq } = committer;
  return appending(committer, [draft], () => ({ seq }));
}

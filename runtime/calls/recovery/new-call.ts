/** The proposal of a call that takes the place of another: its link, its request, and the straight path from there. */
import { preparationFailure, start, type CallOutcome, type Successor } from '../live/call.js';
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import type { Prepared, WantedCall } from '../live/prepare.js';
import type { EventType } from '../core/events.js';
import { requestSend, type Proposal } from './act.js';

export function newCallProposal(
  committer: Committer,
  config: Config,
  wanted: WantedCall,
  prepared: Prepared,
  successor: Successor,
): Proposal<Promise<CallOutcome>> {
  const linked: EventType[] = 'resumes' in successor ? ['call.resumed', 'call.requested'] : ['call.requested'];
  const carryOut = (): Promise<CallOutcome> => start(committer, config, wanted, prepared, successor);
  if (prepared.request === null || preparationFailure(config, prepared, wanted) !== null)
    return { appends: [...linked, 'call.preparation_failed'], sends: [], carryOut };
  return {
    appends: [...linked, 'call.manifest', 'attempt.started'],
    sends: [requestSend(wanted.idempotencyKey, prepared.request.hashes)],
    carryOut,
  };
}

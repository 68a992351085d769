/** Redecide: apply the recorded retry policy to a response that is interpreted. Nothing is sent; what follows is an operation of its own. */
import type { Committer } from '../live/committer.js';
import { decidedDraft } from '../live/outcome.js';
import { recoveredBy } from '../live/stamp.js';
import { invariant } from '../../core/errors.js';
import { decideRetry } from '../core/retry.js';
import { responseOf } from '../core/settlement.js';
import { act, appending, type Proposal } from './act.js';
import { demandDeciding, demandManifest, since } from './attempts.js';
import { demandCall } from './demand.js';
import type { OperationOptions, Redecided } from './options.js';

export function redecide(committer: Committer, callId: string, options: OperationOptions): Redecided {
  return act(committer, options, () => proposeRedecide(committer, callId));
}

export function proposeRedecide(committer: Committer, callId: string): Proposal<Redecided> {
  const { call } = demandCall(committer, callId, 'redecide');
  const { attempt, place } = demandDeciding(call);
  const { retry_policy, provider } = demandManifest(call);
  const meaning = since(attempt, attempt.interpretations.at(-1));
  const response = responseOf(attempt);
  invariant(meaning !== null && response !== null, 'only an interpreted response is decided about');
  const told = { delivery: 'complete' as const, status: response.status, result: meaning.result };
  const decision = decideRetry(retry_policy, provider.honours_key, attempt.number, told);
  invariant(decision !== null, 'a whole response always has a decision');
  return appending(committer, [decidedDraft(place, decision, recoveredBy('redecide'))], () => decision);
}

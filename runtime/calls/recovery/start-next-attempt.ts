/**
 * Start the next attempt of a call, where the record makes it lawful.
 *
 * After a proof that nothing was sent, and after an error, the recorded policy decides. After an effect that is not known to be absent the
 * policy is not asked: the attempt cites what allows it, which is a finding that nothing was served, an honoured key that was asked about
 * in vain, or an accepted duplicate, which it spends. The bytes that are sent are the recorded ones.
 */
import { runAttempts, type First } from '../live/attempt.js';
import type { CallOutcome } from '../live/call.js';
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { attemptCompletedDraft, decidedDraft } from '../live/outcome.js';
import { recoveredBy } from '../live/stamp.js';
import { invariant } from '../../core/errors.js';
import type { Draft } from '../core/events.js';
import type { CallRecord } from '../core/records.js';
import { decideRetry } from '../core/retry.js';
import { reconciliationOf, unsettledAttempts, unspentDecision } from '../core/settlement.js';
import type { Call } from '../core/vocabulary.js';
import { act, appending, requestSend, typesOf, type Proposal } from './act.js';
import { demandDeciding, demandManifest, placeOf, since } from './attempts.js';
import { demandCall, demandUnserved } from './demand.js';
import { intentOf } from './intent.js';
import type { OperationOptions, Stopped } from './options.js';

const stamp = () => recoveredBy('start_next_attempt');

export async function startNextAttempt(
  committer: Committer,
  config: Config,
  callId: string,
  options: OperationOptions,
): Promise<CallOutcome | Stopped> {
  return await act(committer, options, () => proposeNextAttempt(committer, config, callId, options));
}

export function proposeNextAttempt(
  committer: Committer,
  config: Config,
  callId: string,
  { settings }: OperationOptions,
): Proposal<CallOutcome | Stopped | Promise<CallOutcome>> {
  const { call, projected } = demandCall(committer, callId, 'start_next_attempt');
  const manifest = demandManifest(call);
  const before = draftsBefore(call, projected.stage);
  const [decided] = before;
  if (decided?.type === 'attempt.retry_decided' && decided.payload.decision === 'stop') {
    const { reason: stopped } = decided.payload;
    return appending(committer, before, () => ({ stopped }));
  }
  // An operator who accepted a duplicate, and a provider that honours the key, have answered this question.
  if (projected.stage !== 'duplicate_accepted' && !manifest.provider.honours_key)
    demandUnserved(committer, call, 'start_next_attempt');
  const { request } = intentOf(committer, config, call, 'start_next_attempt', settings);
  invariant(request !== null, 'a call with a manifest has a request');
  const { idempotency_key: key } = call.request;
  const first: First = {
    number: (call.attempts.at(-1)?.number ?? 0) + 1,
    before,
    lawful: { ...citation(committer, call, projected.stage), ...stamp() },
  };
  const sending = { key, manifest, body: request.body };
  const run = async (): Promise<CallOutcome> => {
    const ended = await committer.during(call.taskId, () => runAttempts(committer, config, placeOf(call), sending, first));
    return { callId, ...ended, replayed: false };
  };
  return { appends: [...typesOf(before), 'attempt.started'], sends: [requestSend(key, manifest)], carryOut: run };
}

/** What is recorded of the deciding attempt before the next one starts: the policy's decision, and its end. */
function draftsBefore(call: CallRecord, stage: Call['stage']): Draft[] {
  if (stage !== 'not_sent' && stage !== 'retry_due') return [];
  const { attempt, place } = demandDeciding(call);
  const completed = attemptCompletedDraft(place, null, stamp());
  const missing = since(attempt, attempt.completed) === null ? [completed] : [];
  if (stage === 'retry_due') return missing;
  const { retry_policy, provider } = demandManifest(call);
  const decision = decideRetry(retry_policy, provider.honours_key, attempt.number, { delivery: 'not_sent' });
  invariant(decision !== null, 'an attempt that was not sent always has a decision');
  const decided = decidedDraft(place, decision, stamp());
  return decision.decision === 'stop' ? [decided] : [decided, ...missing];
}

/** The event that makes the attempt lawful where no policy does. */
function citation({ history }: Committer, call: CallRecord, stage: Call['stage']): { cites?: number } {
  const seqOf = (place: { seq: number } | null | undefined): { cites: number } => {
    invariant(place != null, 'the work state says that there is something to cite');
    return { cites: place.seq };
  };
  if (stage === 'duplicate_accepted') return seqOf(unspentDecision(call));
  if (stage === 'retry_safe') {
    const unsettled = unsettledAttempts(history, call).at(-1);
    return seqOf(unsettled && reconciliationOf(unsettled));
  }
  if (stage === 'not_served') return seqOf(reconciliationOf(demandDeciding(call).attempt));
  return {};
}

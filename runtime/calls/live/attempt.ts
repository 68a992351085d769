/**
 * The attempts of one call: intent, request, observation, interpretation, decision, end.
 *
 * Output commit: `attempt.started` is durable before the first byte leaves, and one `attempt.started` is at most one request. The
 * response bytes are stored in the transaction of `attempt.observed`; everything after it can be derived from them again. A call
 * with an unsettled attempt is never completed: it stays open, and its caller gets `EffectUnknown`. So does a caller whose
 * response could not be recorded (disk full, ledger busy, closed meanwhile): an error that reads "try again" would be a trap.
 *
 * What the manifest says is what is done: retry policy, declaration of the provider and path come from it, never from the settings.
 */
import { interpret, knownVersion, type Interpretation } from '../core/interpret.js';
import { decideRetry, type Decision } from '../core/retry.js';
import { EffectUnknown } from '../core/refusals.js';
import { invariant, RuntimeError } from '../../core/errors.js';
import type { Draft } from '../core/events.js';
import { unsettledAttempts } from '../core/settlement.js';
import type { Call, Manifest } from '../core/vocabulary.js';
import { projectCall } from '../core/work-state.js';
import { asDelivery, type Delivery } from '../wire/transport.js';
import type { Committer } from './committer.js';
import type { Config } from './config.js';
import {
  attemptCompletedDraft,
  closingDrafts,
  decidedDraft,
  interpretedDraft,
  observedDraft,
  type AttemptPlace,
  type End,
  type Place,
} from './outcome.js';
import { straight, type Stamp } from './stamp.js';

export interface Ended extends End {
  attempts: number;
}

/** What every attempt of a call sends, and by which promises. */
export interface Sending {
  key: string;
  manifest: Manifest;
  body: Buffer;
}

/** The attempt to begin with: its number, what is committed together with its start, and why it is lawful where a recovery starts it. */
export interface First {
  number: number;
  before: readonly Draft[];
  lawful?: Stamp & { cites?: number };
}

/** Commits what is pending together with the first `attempt.started`, then runs attempts until the call ends. */
export async function runAttempts(
  committer: Committer,
  config: Config,
  place: Place,
  sending: Sending,
  { number: first, before, lawful = {} }: First,
): Promise<Ended> {
  let pending: Draft[] = [...before];
  let served: AttemptPlace | null = null;
  for (let number = first; ; number += 1) {
    const fencingToken = committer.nextSeq + pending.length;
    const attempt = { ...place, attempt_id: `attempt-${fencingToken}` };
    const payload = { number, ...(number === first && lawful) };
    record(committer, served, [...pending, { ...attempt, type: 'attempt.started', payload }]);
    const delivery = await deliver(committer.closed, config, sending, fencingToken);
    served = attempt;
    const step = conclude(committer, sending.manifest, attempt, number, delivery);
    if (step.next === 'retry') {
      pending = step.drafts;
      continue;
    }
    record(committer, served, step.drafts);
    if (step.end === null) throw new EffectUnknown(place.call_id, step.unsettledId, step.detail, left(committer, place.call_id));
    return { ...step.end, attempts: number };
  }
}

/** Commits; where a request may have been served before, a failure leaves its effect unknown. */
function record(committer: Committer, served: AttemptPlace | null, drafts: readonly Draft[]): void {
  try {
    committer.commit(drafts);
  } catch (cause) {
    if (served === null || !(cause instanceof RuntimeError)) throw cause;
    const call = left(committer, served.call_id);
    const what = call.provider_effect === 'unknown' ? 'what came back' : 'what follows from what came back';
    throw new EffectUnknown(served.call_id, served.attempt_id, `${what} could not be recorded: ${cause.message}`, call, {
      cause,
    });
  }
}

/** A call as its record shows it now. */
function left({ history }: Committer, callId: string): Call {
  const call = history.calls.get(callId);
  invariant(call !== undefined, 'an attempt is started only of a call on record');
  return projectCall(history, call);
}

async function deliver(
  signal: AbortSignal,
  { url, timeoutMs, transport }: Config,
  { key: idempotencyKey, manifest, body }: Sending,
  fencingToken: number,
): Promise<Delivery> {
  const { path } = manifest.provider;
  try {
    return asDelivery(await transport({ url, path, idempotencyKey, fencingToken, body, timeoutMs, signal }));
  } catch (error) {
    // A transport that throws has proved nothing.
    return { delivery: 'broken', detail: error instanceof Error ? error.message : String(error) };
  }
}

type Step =
  | { next: 'retry'; drafts: Draft[] }
  | { next: 'end'; drafts: Draft[]; end: End }
  | { next: 'end'; drafts: Draft[]; end: null; detail: string; unsettledId: string };

function conclude(committer: Committer, manifest: Manifest, attempt: AttemptPlace, number: number, delivery: Delivery): Step {
  const drafts: Draft[] = [observedDraft(attempt, delivery)];
  if (delivery.delivery === 'broken') {
    const decision = decideRetry(manifest.retry_policy, manifest.provider.honours_key, number, delivery);
    if (decision === null) return { next: 'end', drafts, end: null, detail: delivery.detail, unsettledId: attempt.attempt_id };
    drafts.push(decidedDraft(attempt, decision, straight));
    return { next: 'retry', drafts };
  }
  const version = knownVersion(manifest.interpreter);
  invariant(version !== null, 'a request is sent only where this program can read its answer');
  const meaning = delivery.delivery === 'complete' ? interpret(delivery.status, delivery.bytes, version) : null;
  if (meaning !== null) drafts.push(interpretedDraft(attempt, meaning, version, straight));
  const decision = decisionFor(manifest, number, delivery, meaning);
  drafts.push(decidedDraft(attempt, decision, straight), attemptCompletedDraft(attempt, decision, straight));
  if (decision.decision === 'retry') return { next: 'retry', drafts };
  const unsettledId = earlierUnsettled(committer, manifest, attempt, delivery);
  if (unsettledId !== null)
    return { next: 'end', drafts, end: null, detail: 'an earlier attempt is settled by nothing', unsettledId };
  const { attempt_id: _attempt, ...place } = attempt;
  const closing = closingDrafts(place, committer.nextSeq + drafts.length, meaning, 'not_sent', straight);
  return { next: 'end', drafts: [...drafts, ...closing.drafts], end: closing.end };
}

function decisionFor(
  manifest: Manifest,
  number: number,
  delivery: Exclude<Delivery, { delivery: 'broken' }>,
  meaning: Interpretation | null,
): Decision {
  const seen =
    delivery.delivery === 'complete' && meaning !== null
      ? { delivery: 'complete' as const, status: delivery.status, result: meaning.result }
      : { delivery: 'not_sent' as const };
  const decision = decideRetry(manifest.retry_policy, manifest.provider.honours_key, number, seen);
  invariant(decision !== null, 'a settled delivery always has a decision');
  return decision;
}

/** An earlier attempt of the call that this delivery does not settle either. */
function earlierUnsettled(
  { history }: Committer,
  { provider }: Manifest,
  attempt: AttemptPlace,
  delivery: Exclude<Delivery, { delivery: 'broken' }>,
): string | null {
  if (provider.honours_key && delivery.delivery === 'complete' && delivery.status !== 409) return null;
  const call = history.calls.get(attempt.call_id);
  const earlier = call === undefined ? [] : unsettledAttempts(history, call).filter(({ id }) => id !== attempt.attempt_id);
  return earlier[0]?.id ?? null;
}

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
import { interpret, interpreter, type Interpretation } from '../core/interpret.js';
import { decideRetry, type Decision } from '../core/retry.js';
import { sha256 } from '../core/digest.js';
import { EffectUnknown, invariant, RuntimeError } from '../core/errors.js';
import type { Draft, Payloads } from '../core/events.js';
import { settled } from '../core/history.js';
import type { Manifest } from '../core/vocabulary.js';
import { asDelivery, type Delivery } from '../wire/transport.js';
import type { Committer } from './committer.js';
import { textArtifact, type Config } from './context.js';
import type { Intended } from './prepare.js';

/** Where the events of a call belong. */
export interface Place {
  task_id: string;
  call_id: string;
  compilation_id: string;
}

export interface Ended {
  outcome: 'succeeded' | 'failed';
  resultId: string | null;
  text: string | null;
  error: string | null;
  attempts: number;
}

/** Commits what is pending together with the first `attempt.started`, then runs attempts until the call ends. */
export async function runAttempts(
  committer: Committer,
  config: Config,
  place: Place,
  key: string,
  { manifest, request }: Intended,
  before: readonly Draft[],
): Promise<Ended> {
  let pending: Draft[] = [...before];
  let served: Attempt | null = null;
  for (let number = 1; ; number += 1) {
    const attempt = { ...place, attempt_id: `attempt-${committer.nextSeq + pending.length}` };
    record(committer, served, [...pending, { ...attempt, type: 'attempt.started', payload: { number } }]);
    const delivery = await deliver(committer.closed, config, manifest.provider.path, key, request.body);
    served = attempt;
    const step = conclude(committer, manifest, attempt, number, delivery);
    if (step.next === 'retry') {
      pending = step.drafts;
      continue;
    }
    record(committer, served, step.drafts);
    if (step.ended === null) throw new EffectUnknown(place.call_id, attempt.attempt_id, step.detail);
    return { ...step.ended, attempts: number };
  }
}

/** Commits; where a request may have been served before, a failure leaves its effect unknown. */
function record(committer: Committer, served: Attempt | null, drafts: readonly Draft[]): void {
  try {
    committer.commit(drafts);
  } catch (cause) {
    if (served === null || !(cause instanceof RuntimeError)) throw cause;
    const detail = `what came back could not be recorded: ${cause.message}`;
    throw new EffectUnknown(served.call_id, served.attempt_id, detail, { cause });
  }
}

async function deliver(
  signal: AbortSignal,
  { url, timeoutMs, transport }: Config,
  path: string,
  idempotencyKey: string,
  body: Buffer,
): Promise<Delivery> {
  try {
    return asDelivery(await transport({ url, path, idempotencyKey, body, timeoutMs, signal }));
  } catch (error) {
    // A transport that throws has proved nothing.
    return { delivery: 'broken', detail: error instanceof Error ? error.message : String(error) };
  }
}

type Attempt = Place & { attempt_id: string };
type Step =
  { next: 'retry'; drafts: Draft[] } | { next: 'end'; drafts: Draft[]; ended: Omit<Ended, 'attempts'> | null; detail: string };

function conclude(committer: Committer, manifest: Manifest, attempt: Attempt, number: number, delivery: Delivery): Step {
  const drafts: Draft[] = [observed(attempt, delivery)];
  if (delivery.delivery === 'broken') {
    const decision = decideRetry(manifest.retry_policy, manifest.provider.honours_key, number, delivery);
    if (decision === null) return { next: 'end', drafts, ended: null, detail: delivery.detail };
    drafts.push({ ...attempt, type: 'attempt.retry_decided', payload: decision });
    return { next: 'retry', drafts };
  }
  const meaning = delivery.delivery === 'complete' ? interpret(delivery.status, delivery.bytes) : null;
  if (meaning !== null) drafts.push(interpreted(attempt, meaning));
  const decision = decisionFor(manifest, number, delivery, meaning);
  drafts.push({ ...attempt, type: 'attempt.retry_decided', payload: decision });
  drafts.push({
    ...attempt,
    type: 'attempt.completed',
    payload: { outcome: decision.reason === 'answered' ? 'succeeded' : 'failed' },
  });
  if (decision.decision === 'retry') return { next: 'retry', drafts };
  if (delivery.delivery === 'not_sent' && earlierUnsettled(committer, attempt.call_id, attempt.attempt_id))
    return { next: 'end', drafts, ended: null, detail: 'an earlier attempt was broken and this one was not sent' };
  return close(committer, attempt, drafts, meaning, delivery);
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

function close(
  committer: Committer,
  attempt: Attempt,
  drafts: Draft[],
  meaning: Interpretation | null,
  delivery: Delivery,
): Step {
  const { attempt_id: _attempt, ...call } = attempt;
  if (meaning?.result === 'answer') {
    const resultId = `result-${committer.nextSeq + drafts.length}`;
    drafts.push({ ...call, type: 'result.recorded', payload: { result_id: resultId, text_sha256: sha256(meaning.text) } });
    drafts.push({ ...call, type: 'call.completed', payload: { error: null, outcome: 'succeeded', result_id: resultId } });
    return { next: 'end', drafts, ended: { outcome: 'succeeded', resultId, text: meaning.text, error: null }, detail: '' };
  }
  const error = meaning === null ? 'not_sent' : `${meaning.result}: ${meaning.detail}`;
  drafts.push({ ...call, type: 'call.completed', payload: { error, outcome: 'failed', result_id: null } });
  const detail = delivery.delivery === 'not_sent' ? delivery.detail : '';
  return { next: 'end', drafts, ended: { outcome: 'failed', resultId: null, text: null, error }, detail };
}

function observed(attempt: Attempt, delivery: Delivery): Draft {
  if (delivery.delivery !== 'complete') {
    const detail = delivery.detail.toWellFormed();
    const payload = { content_type: null, delivery: delivery.delivery, detail, response_sha256: null, status: null };
    return { ...attempt, type: 'attempt.observed', payload };
  }
  const response = {
    sha256: sha256(delivery.bytes),
    // A header may be there and empty.
    media_type: delivery.contentType || 'application/octet-stream',
    bytes: delivery.bytes,
  };
  const payload: Payloads['attempt.observed'] = {
    content_type: delivery.contentType,
    delivery: 'complete',
    detail: null,
    response_sha256: response.sha256,
    status: delivery.status,
  };
  return { ...attempt, type: 'attempt.observed', payload, artifacts: [response] };
}

function interpreted(attempt: Attempt, meaning: Interpretation): Draft {
  const text = meaning.text === null ? null : textArtifact(meaning.text);
  const { result, finishReason: finish_reason, detail } = meaning;
  const payload = { detail, finish_reason, interpreter, result, text_sha256: text?.sha256 ?? null };
  return { ...attempt, type: 'attempt.interpreted', payload, ...(text && { artifacts: [text] }) };
}

function earlierUnsettled(committer: Committer, callId: string, attemptId: string): boolean {
  const call = committer.history.calls.get(callId);
  return call?.attempts.some((attempt) => attempt.id !== attemptId && !settled(committer.history, call, attempt)) ?? false;
}

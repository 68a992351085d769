/**
 * Reconcile: record what became of an effect that is unknown, as the provider tells it or as an operator states it.
 *
 * The provider is asked once, by a look-up or a fence, and everything that came back is kept as evidence. A response that comes back is
 * adopted: it stands for the observation, and no second request is sent. Nothing here sends the request again, whatever was found.
 */
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { keptResponse } from '../live/outcome.js';
import { recoveredBy } from '../live/stamp.js';
import { jsonArtifact } from '../core/artifacts.js';
import { canonical } from '../../core/canonical.js';
import { invariant } from '../../core/errors.js';
import type { Artifact, Draft } from '../core/events.js';
import { conclusionOf, encoded, type Conclusion, type Told } from '../core/reconciliation.js';
import type { Attempt, CallRecord } from '../core/records.js';
import { askProvider, questionOf, type KeyQuestion } from '../wire/key-questions.js';
import { act, appending, overtaken, type Proposal } from './act.js';
import { demandManifest, doubtful, placeOf } from './attempts.js';
import { cannot, demandCall } from './demand.js';
import { demandStatement } from './given.js';
import type { Reconciled, ReconcileOptions, Statement } from './options.js';

export async function reconcile(
  committer: Committer,
  config: Config,
  callId: string,
  options: ReconcileOptions,
): Promise<Reconciled> {
  return await act(committer, options, () => proposeReconcile(committer, config, callId, options));
}

export function proposeReconcile(
  committer: Committer,
  config: Config,
  callId: string,
  { statement }: ReconcileOptions,
): Proposal<Reconciled | Promise<Reconciled>> {
  if (statement !== undefined) demandStatement(statement);
  const { call, projected } = demandCall(committer, callId, 'reconcile_effect');
  const attempts = doubtful(committer, call);
  if (statement !== undefined) return proposeStatement(committer, call, attempts, statement);
  if (config.reconcile === 'none')
    throw cannot(
      callId,
      projected.next_operation,
      'cannot be reconciled with the provider: that it answers questions about a key is not on record, and was not said here. ' +
        'Say that it offers a look-up or a fence, or state what is known.',
    );
  const { request_body_sha256: requestSha256 } = demandManifest(call);
  const { idempotency_key: idempotencyKey } = call.request;
  const fencingToken = lastOf(attempts).seq;
  const question = questionOf({ ask: config.reconcile, idempotencyKey, requestSha256, fencingToken });
  const { method, path } = question;
  return {
    appends: ['effect.reconciled'],
    sends: [{ method, path, idempotency_key: idempotencyKey, body_sha256: null }],
    carryOut: () => committer.during(call.taskId, () => ask(committer, config, call, attempts, question)),
  };
}

async function ask(
  committer: Committer,
  { url, timeoutMs }: Config,
  call: CallRecord,
  attempts: readonly Attempt[],
  question: KeyQuestion,
): Promise<Reconciled> {
  const told = await askProvider(url, question, timeoutMs, committer.closed);
  demandSameDoubt(committer, call, attempts);
  const isFence = question.method === 'POST';
  const conclusion = conclusionOf(told, isFence, question.requestSha256);
  const basis = isFence ? 'provider_fence' : 'provider_lookup';
  const evidence = evidenceArtifact({ basis, exchange: exchangeOf(question, told), statement: null });
  committer.commit([reconciledDraft(call, attempts, { basis, authority: 'provider', evidence, conclusion })]);
  return { finding: conclusion.finding, reason: conclusion.reason };
}

/** While the provider was asked, this process may have gone on; then the answer is about another state. */
function demandSameDoubt(committer: Committer, call: CallRecord, attempts: readonly Attempt[]): void {
  demandCall(committer, call.id, 'reconcile_effect');
  const now = doubtful(committer, call);
  if (now.length !== attempts.length || now.some(({ id }, index) => id !== attempts[index]?.id)) throw overtaken();
}

function proposeStatement(
  committer: Committer,
  call: CallRecord,
  attempts: readonly Attempt[],
  { by, note, finding, response }: Statement,
): Proposal<Reconciled> {
  const basis = 'operator_statement';
  const conclusion: Conclusion = { finding, reason: 'stated', response: response ?? null };
  const evidence = evidenceArtifact({ basis, exchange: null, statement: { by, note } });
  const draft = reconciledDraft(call, attempts, { basis, authority: by, evidence, conclusion });
  return appending(committer, [draft], () => ({ finding, reason: 'stated' }));
}

interface Grounds {
  basis: 'provider_lookup' | 'provider_fence' | 'operator_statement';
  authority: string;
  evidence: Artifact;
  conclusion: Conclusion;
}

function reconciledDraft(
  call: CallRecord,
  attempts: readonly Attempt[],
  { basis, authority, evidence, conclusion }: Grounds,
): Draft {
  const { finding, reason, response } = conclusion;
  const adopted = response === null ? null : keptResponse(response);
  return {
    ...placeOf(call),
    attempt_id: lastOf(attempts).id,
    type: 'effect.reconciled',
    payload: {
      attempt_ids: attempts.map(({ id }) => id),
      authority,
      basis,
      evidence_sha256: evidence.sha256,
      finding,
      reason,
      ...recoveredBy('reconcile_effect'),
      response: adopted && adopted.response,
    },
    artifacts: adopted === null ? [evidence] : [evidence, adopted.artifact],
  };
}

function evidenceArtifact(evidence: object): Artifact {
  return jsonArtifact(canonical(evidence));
}

/** The question and what came, whole or not at all. */
function exchangeOf({ method, path, requestSha256, fencingToken }: KeyQuestion, told: Told): object {
  const asked = { ended: told.ended, fencing_token: fencingToken, method, path, request_sha256: requestSha256 };
  if (told.ended !== 'complete') return { ...asked, body: null, content_type: null, status: null };
  const { status, contentType, bytes } = told;
  return { ...asked, body: encoded(bytes), content_type: contentType, status };
}

function lastOf(attempts: readonly Attempt[]): Attempt {
  const last = attempts.at(-1);
  invariant(last !== undefined, 'the work state names a reconciliation only where an attempt is in doubt');
  return last;
}

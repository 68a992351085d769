/**
 * What follows from a delivery, as drafts of events: observation, reading, decision, end of the attempt, end of the call.
 *
 * The straight path and a recovery use the same ones, so that a call that was recovered cannot end otherwise than one that was not. A
 * recovery's carry its stamp.
 */
import { sha256 } from '../../core/digest.js';
import type { Draft, Payloads } from '../core/events.js';
import { interpreter, type Interpretation, type InterpreterVersion } from '../core/interpret.js';
import type { KeptResponse } from '../core/reconciliation.js';
import type { Decision } from '../core/retry.js';
import type { Delivery } from '../wire/transport.js';
import { textArtifact } from '../core/artifacts.js';
import type { Stamp } from './stamp.js';

/** Where the events of a call belong. */
export interface Place {
  task_id: string;
  call_id: string;
  compilation_id: string;
}

export type AttemptPlace = Place & { attempt_id: string };

/** How a call ends, told once the events are on record. */
export interface End {
  outcome: 'succeeded' | 'failed';
  resultId: string | null;
  text: string | null;
  error: string | null;
}

export function observedDraft(attempt: AttemptPlace, delivery: Delivery): Draft {
  if (delivery.delivery !== 'complete') {
    const detail = delivery.detail.toWellFormed();
    const payload = { content_type: null, delivery: delivery.delivery, detail, response_sha256: null, status: null };
    return { ...attempt, type: 'attempt.observed', payload };
  }
  const { response, artifact } = keptResponse(delivery);
  const payload: Payloads['attempt.observed'] = {
    content_type: response.content_type,
    delivery: 'complete',
    detail: null,
    response_sha256: response.response_sha256,
    status: response.status,
  };
  return { ...attempt, type: 'attempt.observed', payload, artifacts: [artifact] };
}

/** A whole response as a payload names it, and its bytes as an artifact. */
export function keptResponse({ status, contentType, bytes }: KeptResponse) {
  // A header may be there and empty.
  const artifact = { sha256: sha256(bytes), media_type: contentType || 'application/octet-stream', bytes };
  return { response: { content_type: contentType, response_sha256: artifact.sha256, status }, artifact };
}

export function interpretedDraft(
  attempt: AttemptPlace,
  meaning: Interpretation,
  version: InterpreterVersion,
  stamp: Stamp,
): Draft {
  const text = meaning.text === null ? null : textArtifact(meaning.text);
  const { result, finishReason: finish_reason, detail } = meaning;
  const payload = {
    detail,
    finish_reason,
    interpreter: interpreter(version),
    result,
    text_sha256: text?.sha256 ?? null,
    ...stamp,
  };
  return { ...attempt, type: 'attempt.interpreted', payload, ...(text && { artifacts: [text] }) };
}

export function decidedDraft(attempt: AttemptPlace, decision: Decision, stamp: Stamp): Draft {
  return { ...attempt, type: 'attempt.retry_decided', payload: { ...decision, ...stamp } };
}

/** An attempt succeeded where its answer was what ended the asking. */
export function attemptCompletedDraft(attempt: AttemptPlace, decision: Decision | null, stamp: Stamp): Draft {
  const outcome = decision?.reason === 'answered' ? 'succeeded' : 'failed';
  return { ...attempt, type: 'attempt.completed', payload: { outcome, ...stamp } };
}

/**
 * The last events of a call, of which the first will be at `seq`: the result where there is an answer that is not recorded yet, and the
 * end. `meaning` is null where nothing was interpreted; `otherwise` then says why the call failed.
 */
export function closingDrafts(
  place: Place,
  seq: number,
  meaning: Pick<Interpretation, 'result' | 'text' | 'detail'> | null,
  otherwise: string,
  stamp: Stamp,
  recordedResult: Payloads['result.recorded'] | null = null,
): { drafts: Draft[]; end: End } {
  if (meaning?.result === 'answer' && meaning.text !== null) {
    const resultId = recordedResult?.result_id ?? `result-${seq}`;
    const result = { result_id: resultId, text_sha256: sha256(meaning.text), ...stamp };
    const drafts: Draft[] = recordedResult === null ? [{ ...place, type: 'result.recorded', payload: result }] : [];
    drafts.push({
      ...place,
      type: 'call.completed',
      payload: { error: null, outcome: 'succeeded', result_id: resultId, ...stamp },
    });
    return { drafts, end: { outcome: 'succeeded', resultId, text: meaning.text, error: null } };
  }
  const error = meaning === null ? otherwise : `${meaning.result}: ${meaning.detail}`;
  const payload = { error, outcome: 'failed' as const, result_id: null, ...stamp };
  return {
    drafts: [{ ...place, type: 'call.completed', payload }],
    end: { outcome: 'failed', resultId: null, text: null, error },
  };
}

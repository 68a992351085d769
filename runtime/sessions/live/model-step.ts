/**
 * One model step: the request that the log renders to, sent at most so often as the run allows, and its answer as one unit.
 *
 * Nothing of an answer is on record before all of it is. Under `rerun` a step that was cut off is run again; under `intent` each attempt is
 * durable before it is sent, and one that may have been served is never sent again. Every attempt has a key of its own.
 */
import { sha256 } from '../../core/digest.js';
import { exchange, type Exchanged } from '../../wire/exchange.js';
import { interpretAnswer, type ModelAnswer } from '../core/interpret.js';
import { modelKey, stepId } from '../core/keys.js';
import type { Draft, DraftOf } from '../core/records.js';
import { renderRequest } from '../core/renderer.js';
import type { Run } from '../core/run.js';
import { transcriptOf } from '../core/transcript.js';
import { timeoutMsMax } from '../tools/outcome.js';
import { failRun } from './finish.js';
import type { LiveRun, Tenure } from './tenure.js';

type Finished = DraftOf<'model_attempt_finished'>['payload'];

export async function runStep(tenure: Tenure, live: LiveRun): Promise<void> {
  const { run } = live;
  const { config } = run;
  tenure.appendPreface();
  const watermark = tenure.history.lastSeq;
  const body = renderRequest(config, transcriptOf(tenure.history, watermark));
  const place = { run_id: run.runId, step_id: stepId(watermark + 1) };
  const request = { sha256: sha256(body), size: body.length };
  let pending: Draft[] = [{ type: 'step_started', payload: { ...place, watermark_seq: watermark } }];
  let detail = 'no attempt was allowed';
  for (let attempt = 1; attempt <= config.model_attempts; attempt += 1) {
    const isIntent = config.model_leg === 'intent';
    if (isIntent) pending.push({ type: 'model_attempt_started', payload: { ...place, attempt, request } });
    if (pending.length > 0) tenure.append(pending, { sync: isIntent });
    pending = [];
    // A cancel or a close may have come with what was just appended.
    if (live.stop.signal.aborted) return;
    const exchanged = await ask(tenure, live, modelKey(tenure.sessionId, run.runId, place.step_id, attempt), body);
    tenure.demandOpen();
    const meaning = meaningOf(exchanged);
    const finished: Draft = {
      type: 'model_attempt_finished',
      payload: attemptPayload(
        { ...place, attempt, request, ts_ms: tenure.clock() },
        exchanged,
        meaning,
        live.stop.signal.aborted,
      ),
    };
    if (meaning?.result === 'answer') {
      const { assistant, usage } = meaning;
      tenure.append([finished, { type: 'model_step_finished', payload: { ...place, assistant, usage } }]);
      return;
    }
    tenure.append([finished], { sync: false });
    if (endsHere(run, finished.payload.outcome)) return;
    detail = `${finished.payload.outcome}: ${meaning?.detail ?? (exchanged.ended === 'complete' ? '' : exchanged.detail)}`;
  }
  failRun(tenure, run, detail);
}

/** What the record says decides then: a cancel, or an attempt that may have been served and must not be made again. */
function endsHere(run: Run, outcome: Finished['outcome']): boolean {
  return run.cancel !== null || outcome === 'cancelled' || (outcome === 'broken' && run.config.model_leg === 'intent');
}

function ask({ providerUrl }: Tenure, { run, stop }: LiveRun, key: string, body: Buffer): Promise<Exchanged> {
  if (providerUrl === null) return Promise.resolve({ ended: 'refused', detail: 'there is no provider URL' });
  return exchange({
    method: 'POST',
    url: providerUrl,
    path: run.config.provider.path,
    headers: { 'content-type': 'application/json', 'content-length': body.length, 'idempotency-key': key },
    body,
    timeoutMs: Math.min(run.config.model_timeout_ms, timeoutMsMax),
    signal: stop.signal,
  });
}

function meaningOf(exchanged: Exchanged): ModelAnswer | null {
  return exchanged.ended === 'complete' ? interpretAnswer(exchanged.status, exchanged.bytes) : null;
}

function attemptPayload(
  place: Pick<Finished, 'run_id' | 'step_id' | 'attempt' | 'request' | 'ts_ms'>,
  exchanged: Exchanged,
  meaning: ModelAnswer | null,
  aborted: boolean,
): Finished {
  const { ts_ms, ...ids } = place;
  if (exchanged.ended !== 'complete' || meaning === null) {
    const outcome = exchanged.ended === 'refused' ? 'not_sent' : aborted ? 'cancelled' : 'broken';
    return { ...ids, response: null, http_status: null, content_type: null, response_body_cap: null, outcome, ts_ms };
  }
  const { status, contentType, bytes } = exchanged;
  return {
    ...ids,
    response: { sha256: sha256(bytes), size: bytes.length },
    http_status: status,
    content_type: contentType?.slice(0, 200).toWellFormed() ?? null,
    response_body_cap: null,
    outcome: meaning.result,
    ts_ms,
  };
}

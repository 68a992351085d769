/**
 * G35: Every model request has its step, under its key, and its body is what the log up to the step's watermark renders to, once for each
 * attempt.
 * Verified: key, method, path, content type and every byte of the body; that no key is asked twice, and none for a step that another process
 * began; under `intent` the hash that was recorded before; what the log says of an attempt against what the provider answered it.
 * Not verified: what an answer said that no script told, since its bytes are nowhere; an attempt that is recorded as broken or cancelled. A request whose
 * step a power loss took is judged in the arm that ran on.
 */
import { groupBy } from '../../model/effects.js';
import type { At, History, Step } from '../../model/sessions/history.js';
import { modelKey } from '../../model/sessions/keys.js';
import { requestOf } from '../../model/sessions/render.js';
import { requestKind, stepOfKey } from '../../model/sessions/requests.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Request } from '../../read/receipts.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { inheritedLines } from '../derived.js';
import type { Sent } from '../subject-model.js';
import { historiesIn, historyIn, inheritedCount, lateOwners, lostSteps, sentBy } from './derived.js';
import { plannedModelRequests } from './planned.js';

export const g35: CaseCheck = {
  guarantee: 'G35',
  sentence:
    'Every model request has its step, under its key, and its body is what the log up to the step\u2019s watermark renders to, once for each attempt.',
  covers:
    'every model request in every receipt log; every attempt that is recorded as ended, by status and by the hash of the bytes',
  doesNotCover: 'what an answer said that no script told; attempts that are recorded as broken or cancelled',
  codes: ['request-unfounded'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedModelRequests, (snapshot, say) => {
      const file = snapshot.file('receipts.jsonl');
      const asked = new Map<string | null, number>();
      const late = lateOwners(snapshot);
      const lost = lostSteps(snapshot);
      // What is for nobody, neither a model nor a tool, has no step either.
      const sent = sentBy(snapshot).filter((line) => requestKind(line) !== 'tool');
      for (const line of sent) {
        const times = (asked.get(line.idempotency_key) ?? 0) + 1;
        const wrong = requestWrong(snapshot, line) ?? (times > 1 + late ? 'A model was asked twice under one key.' : null);
        const isLost = line.seq <= inheritedLines(snapshot) && lost.has(line.idempotency_key ?? '');
        if (wrong !== null && !isLost) say('request-unfounded', wrong, { file, seq: line.seq });
        asked.set(line.idempotency_key, times);
      }
      attemptsWrong(snapshot, say);
      return sent.length;
    }),
};

/** Of several folders, it has its place in one. */
function requestWrong(snapshot: Snapshot, line: Sent): string | null {
  const wrong = historiesIn(snapshot).map((history) => wrongIn(history, snapshot, line));
  return wrong.includes(null) ? null : (wrong[0] ?? null);
}

function wrongIn(history: History, snapshot: Snapshot, line: Sent): string | null {
  const asked = stepOfKey(history, line.idempotency_key);
  if (asked === null) return 'The provider received a request for which there is no step.';
  const { step, attempt } = asked;
  const { config } = step.run;
  if (line.method !== 'POST' || line.path !== config.provider.path)
    return 'A model was asked at another place than its run says.';
  if ((line.headers['content-type'] ?? 'application/json') !== 'application/json') return 'A model request was not sent as JSON.';
  if (attempt > Math.min(config.model_attempts, attemptsOf(step)))
    return 'A model was asked more often than there were attempts.';
  const intent = step.attempts.find((one) => one.attempt === attempt);
  if (config.model_leg === 'intent' && intent?.request.sha256 !== line.body_sha256)
    return 'A model was asked otherwise than was recorded before.';
  if (line.seq > inheritedLines(snapshot) && step.seq <= inheritedCount(snapshot))
    return 'A model was asked for a step that another process began.';
  const wanted = requestOf(history, step);
  return wanted?.sha256 === line.body_sha256
    ? null
    : 'A model request is not what the log up to the watermark of its step renders to.';
}

/** How many attempts can have been sent: those that ended, and one more where the last had no answer and the step is open. */
function attemptsOf({ attemptsFinished: ended, finished }: Step): number {
  const isOver = finished !== undefined || ended.at(-1)?.outcome === 'answer';
  return ended.length + (isOver ? 0 : 1);
}

/** Every attempt on record against what its step renders to, and every one that has ended against the answers under its key. */
function attemptsWrong(snapshot: Snapshot, say: Say): void {
  const { requests } = need(snapshot.receipts);
  const byKey = groupBy(requests, ({ received }) => received.idempotency_key ?? '');
  const sent = new Set(sentBy(snapshot).map((line) => line.idempotency_key));
  const history = historyIn(snapshot);
  const file = snapshot.state.logFile;
  for (const step of history.stepsById.values()) {
    const wanted = requestOf(history, step);
    for (const { seq, request } of [...step.attempts, ...step.attemptsFinished]) {
      const size = wanted === null ? null : Buffer.byteLength(wanted.text);
      if (request.sha256 !== wanted?.sha256 || request.size !== size)
        say('request-unfounded', 'An attempt is recorded with another request than its step renders to.', { file, seq });
    }
    for (const ended of step.attemptsFinished) {
      const key = modelKey(history.sessionId ?? '', step.run.id, step.id, ended.attempt);
      const wrong = attemptWrong(step, ended, byKey.get(key) ?? [], sent.has(key));
      if (wrong !== null) say('request-unfounded', wrong, { file, seq: ended.seq });
    }
  }
}

type Ended = At<'model_attempt_finished'>;

function attemptWrong(
  step: Step,
  { outcome, response, http_status: status }: Ended,
  found: readonly Request[],
  isSent: boolean,
): string | null {
  switch (outcome) {
    case 'not_sent':
      return isSent || response !== null || status !== null
        ? 'An attempt is recorded as not sent, and something came of it.'
        : null;
    case 'broken':
    case 'cancelled':
      return null;
    case 'answer':
    case 'provider_error':
    case 'uninterpretable': {
      const isAnswer = found.some(
        ({ settled }) =>
          settled?.ended === 'answered' && settled.status === status && settled.response_sha256 === response?.sha256,
      );
      if (!isAnswer) return 'The provider gave no such answer to this attempt.';
      if (
        outcome === 'answer' ? status !== 200 : step.finished !== undefined && step.attemptsFinished.at(-1)?.outcome !== 'answer'
      )
        return 'An attempt is an answer that the provider did not give.';
      return null;
    }
  }
}

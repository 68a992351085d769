/**
 * The outcome of a snapshot of a session, derived from its receipts and its log by one ordered table. Effects are counted by identity; a
 * tool's key that has two was paid for twice, whatever else is true.
 */
import type { SharedOutcome } from '../../contract/types.js';
import type { ReceiptLog, Request } from '../../read/receipts.js';
import { toolOf } from './batch-plan.js';
import type { Call, History } from './history.js';
import { callOfKey, requestKind, stepOfKey } from './requests.js';

interface OutcomeInput {
  readonly history: History;
  readonly receipts: Pick<ReceiptLog, 'requests'>;
  readonly answered: 'completed' | 'refused' | 'failed' | null;
  /** Log and receipts are those that the snapshot began with. */
  readonly unchanged: boolean;
  /** Keys of model requests whose step a power loss took, and which is run again. */
  readonly lostSteps?: ReadonlySet<string>;
}

export function outcomeOf({ history, receipts, answered, unchanged, lostSteps }: OutcomeInput): SharedOutcome {
  const served = receipts.requests.filter(({ settled }) => settled?.effect?.replayed === false);
  const effects = effectsByKey(served.filter(({ received }) => requestKind(received) === 'tool'));
  const count = (key: string): number => effects.get(key)?.size ?? 0;
  const calls = [...history.callsByKey.values()];
  if ([...effects.values()].some((ids) => ids.size > 1)) return 'duplicated';
  const isLost = (request: Request): boolean =>
    !isIntended(history, request) && lostSteps?.has(request.received.idempotency_key ?? '') !== true;
  if (served.some(isLost)) return 'lost';
  if (calls.some((call) => isHttp(call) && call.results.some(isSuccess) && count(call.key) === 0)) return 'lost';
  if (answered === 'refused' && unchanged) return 'refused';
  const isOnce = (call: Call): boolean => (isHttp(call) ? count(call.key) === 1 : count(call.key) <= 1);
  const isDone =
    history.runs.every(({ finished }) => finished?.reason === 'completed') &&
    calls.filter(({ intents }) => intents.length > 0).every(isOnce);
  return history.runs.length > 0 && isDone ? 'completed_once' : 'undecided';
}

/** Distinct effects by key; those without a key have no intent and are lost. */
function effectsByKey(served: readonly Request[]): Map<string, Set<string>> {
  const byKey = new Map<string, Set<string>>();
  for (const { received, settled } of served) {
    const key = received.idempotency_key;
    if (key === null) continue;
    const ids = byKey.get(key) ?? new Set();
    byKey.set(key, ids.add(settled?.effect?.effect_id ?? ''));
  }
  return byKey;
}

/** An effect of a tool needs an intent of its key, one of a model request a step. */
function isIntended(history: History, { received }: Request): boolean {
  const { idempotency_key: key } = received;
  if (requestKind(received) === 'model') return stepOfKey(history, key) !== null;
  return (callOfKey(history, key)?.intents.length ?? 0) > 0;
}

function isHttp({ name, step }: Call): boolean {
  return toolOf(step.run.config, name)?.kind === 'http';
}

/** A whole response whose status was 2xx. */
function isSuccess({ outcome, is_error: isError }: Call['results'][number]): boolean {
  return outcome === 'completed' && !isError;
}

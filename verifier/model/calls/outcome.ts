/**
 * The outcome of a snapshot, derived from its receipts and its ledger by one ordered table. A duplicate is a duplicate whatever else
 * is true; a refusal counts only if the bytes did not move.
 */
import type { SharedOutcome } from '../../contract/types.js';
import type { ReceiptLog } from '../../read/receipts.js';
import { countEffects, requestMatch } from '../effects.js';
import type { History } from './history.js';
import { intentsOf } from './intents.js';

interface OutcomeInput {
  readonly history: History;
  readonly receipts: ReceiptLog;
  readonly answered: 'completed' | 'refused' | 'failed' | null;
  /** Ledger and receipts are those that the snapshot began with. */
  readonly unchanged: boolean;
}

export function outcomeOf({ history, receipts, answered, unchanged }: OutcomeInput): SharedOutcome {
  const { byKey } = countEffects(receipts);
  const intended = new Set(intentsOf(history).map(({ match }) => match));
  const calls = [...history.calls.values()];
  const current = calls.filter((call) => call.supersededBy === undefined);
  const succeeded = calls.filter((call) => call.completed?.outcome === 'succeeded');
  const hadEffect = receipts.requests.filter(({ settled }) => settled?.effect?.replayed === false);
  if ([...byKey.values()].some((count) => count > 1)) return 'duplicated';
  if (hadEffect.some((request) => !intended.has(requestMatch(request)))) return 'lost';
  if (succeeded.some((call) => !byKey.has(call.key))) return 'lost';
  if (answered === 'refused' && unchanged) return 'refused';
  const once = (key: string): boolean => byKey.get(key) === 1;
  const allDone = current.every((call) => call.completed?.outcome === 'succeeded' && once(call.key));
  return current.length > 0 && allDone ? 'completed_once' : 'undecided';
}

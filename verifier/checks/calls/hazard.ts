/**
 * The hazard that a refusal names: unsafe where what was asked would have sent a request while an effect is not known, else unneeded.
 * One that names none was refused for drift, or for what the program could not do.
 */
import type { Answer } from '../../contract/types.js';
import { callState } from '../../model/calls/work-state.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Actor } from '../actors.js';
import { historyIn, historiesOfGroup } from './derived.js';

/** Told nothing, a role would start the call. */
const sends: ReadonlySet<string> = new Set(['start_call', 'start_next_attempt']);

/** Among several processes the record may have been a shorter one when it was read: one that it was must show the hazard. */
export function hazardWrong(
  snapshot: Snapshot,
  asked: Actor['operation'],
  refusal: NonNullable<Answer['refusal']>,
): string | null {
  const { hazard, drift, call_id: id } = refusal;
  if (hazard !== null && drift.length > 0) return 'The refusal names a hazard, and a drift beside it.';
  // Fixed inputs begin another call, under a key of which nothing is said here.
  if (hazard === null || asked === 'fix_inputs') return null;
  const histories = snapshot.group === undefined ? [historyIn(snapshot)] : historiesOfGroup(snapshot);
  const shown = histories.flatMap((history) => {
    const call = history.calls.get(id ?? '');
    if (call === undefined) return [];
    return [sends.has(asked ?? 'start_call') && callState(history, call).duplicate_risk ? 'unsafe' : 'unneeded'];
  });
  if (shown.length === 0 || shown.includes(hazard)) return null;
  return `The refusal calls ${hazard} what the record shows as ${shown[0]}.`;
}

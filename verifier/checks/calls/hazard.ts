/**
 * The hazard that a refusal names: unsafe where what was asked would have sent a request while an effect is not known, else unneeded.
 * One that names none was refused for drift, or for what the program could not do.
 */
import type { Answer } from '../../contract/types.js';
import { callState } from '../../model/calls/work-state.js';
import type { Snapshot } from '../../read/bundle.js';
import type { Actor } from '../actors.js';
import { historyIn } from './derived.js';

/** Told nothing, a role would start the call. */
const sends: ReadonlySet<string> = new Set(['start_call', 'start_next_attempt']);

/** Of one process alone: among several the record may have been another one when it was read. */
export function hazardWrong(
  snapshot: Snapshot,
  asked: Actor['operation'],
  refusal: NonNullable<Answer['refusal']>,
): string | null {
  const { hazard, drift, call_id: id } = refusal;
  if (hazard !== null && drift.length > 0) return 'The refusal names a hazard, and a drift beside it.';
  // Fixed inputs begin another call, under a key of which nothing is said here.
  if (snapshot.group !== undefined || hazard === null || asked === 'fix_inputs') return null;
  const history = historyIn(snapshot);
  const call = history.calls.get(id ?? '');
  if (call === undefined) return null;
  const isUnsafe = sends.has(asked ?? 'start_call') && callState(history, call).duplicate_risk;
  const wanted = isUnsafe ? 'unsafe' : 'unneeded';
  return hazard === wanted ? null : `The refusal calls ${hazard} what the record shows as ${wanted}.`;
}

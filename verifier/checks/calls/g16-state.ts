/**
 * G16: The work state that the inspector projected is the one that the verifier derives from the bytes.
 * Verified: every member of every task's projection but prose, from a model written from the contract alone.
 * Not verified: `reason`, which is for people.
 */
import type { WorkState } from '../../contract/types.js';
import { workStates, type DerivedState } from '../../model/calls/work-state.js';
import { sameJson } from '../../read/canonical.js';
import type { Snapshot } from '../../read/bundle.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { plannedEvents } from '../derived.js';

export const g16: CaseCheck = {
  guarantee: 'G16',
  sentence: 'The work state that the inspector projected is the one that the verifier derives from the bytes.',
  covers: 'every member but prose of every task\u2019s projection in every snapshot',
  doesNotCover: 'prose',
  codes: ['state-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedTasks, (snapshot, say) => {
      const derived = workStates(need(snapshot.ledger).events);
      const { projections, status } = need(snapshot.inspection);
      const projected = (projections ?? []).map(withoutProse);
      const file = snapshot.file('inspection.json');
      if (status === 'refused' && projections !== undefined)
        say('state-mismatch', 'An inspector that was refused projected a state.', { file });
      for (const state of derived) {
        const told = projected.find(({ task_id }) => task_id === state.task_id);
        if (told === undefined) say('state-mismatch', 'A task was not projected.', { file });
        else if (!sameJson(told, state))
          say('state-mismatch', `The projection differs in ${differing(told, state).join(', ')}.`, { file });
      }
      if (projected.length !== derived.length) say('state-mismatch', 'Another number of tasks was projected.', { file });
      return derived.length;
    }),
};

/** A plan speaks of one task, which the first event creates. */
function plannedTasks(snapshot: Snapshot): number {
  return Math.min(plannedEvents(snapshot), 1);
}

/** In the order of names that it had, which is the derived one's. */
function withoutProse(state: WorkState): DerivedState {
  const { reason: _task, ...task } = state.task;
  return {
    ...state,
    task,
    calls: state.calls.map(({ reason: _call, ...call }) => call),
    compilations: state.compilations.map(({ reason: _compilation, ...compilation }) => compilation),
  };
}

function differing(told: DerivedState, derived: DerivedState): string[] {
  return (Object.keys(derived) as (keyof DerivedState)[]).filter((name) => !sameJson(told[name], derived[name])).sort();
}

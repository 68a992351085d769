/** How to derive the predicted members that only a record of calls has: projections, findings, and the operations that roles tell of. */
import type { Event } from '../../contract/types.js';
import { workStates, type DerivedState } from '../../model/calls/work-state.js';
import type { Snapshot } from '../../read/bundle.js';
import { need } from '../check.js';
import type { Derivation, ModelMember } from '../subject-model.js';

export const derive = {
  reconciled: (snapshot) =>
    eventsOf(snapshot, 'effect.reconciled').map(({ payload: { finding, reason } }) => ({ finding, reason })),
  operations: ({ roles }) => roles.flatMap(({ answer }) => need(answer).operations ?? []),
  calls: (snapshot, { calls = [] }) =>
    states(snapshot)
      .flatMap((state) => state.calls)
      .map((call, index) => pick(call, calls[index] ?? calls[0])),
  compilations: (snapshot, { compilations = [] }) =>
    states(snapshot)
      .flatMap((state) => state.compilations)
      .map((one) => ({ ...one, offered_ids: one.offered.map(({ id }) => id) }))
      .map((one, index) => pick(one, compilations[index] ?? compilations[0])),
  task: (snapshot, { task }) => {
    const tasks = states(snapshot).map((state) => pick(state.task, task));
    return tasks.length === 1 ? tasks[0] : tasks;
  },
} satisfies Partial<Record<ModelMember, Derivation>>;

function eventsOf(snapshot: Snapshot, type: string): Event[] {
  return need(snapshot.ledger).events.filter((event) => event.type === type);
}

/** A prediction speaks of one task: a second one is more than it predicts. */
function states(snapshot: Snapshot): DerivedState[] {
  return workStates(need(snapshot.ledger).events);
}

/** Only the members that the prediction names. */
function pick(found: object, wanted: object | undefined): Record<string, unknown> {
  return Object.fromEntries(Object.keys(wanted ?? found).map((name) => [name, (found as Record<string, unknown>)[name] ?? null]));
}

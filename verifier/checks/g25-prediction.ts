/**
 * G25: Every figure and every outcome that the plan predicts is the one derived from the bytes.
 * Verified: each member of each expectation, one finding for each that differs. A duplicate that the plan predicts is no finding:
 * the bundle is then good evidence about a bad restart.
 * Not verified: what the plan does not predict.
 */
import { countEffects } from '../model/effects.js';
import type { Event } from '../contract/types.js';
import { workStates, type DerivedState } from '../model/work-state.js';
import type { Snapshot } from '../read/bundle.js';
import { canonical, sameJson } from '../read/canonical.js';
import type { Expectation } from '../read/plan.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { outcomeIn } from './derived.js';

type Expected = Snapshot['planned']['expect'];
type Member = Exclude<keyof Expectation, 'same_events_as'>;

export const g25: CaseCheck = {
  guarantee: 'G25',
  sentence: 'Every figure and every outcome that the plan predicts is the one derived from the bytes.',
  covers: 'every member of every expectation',
  doesNotCover: 'what the plan does not predict',
  codes: ['prediction-failed'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(
      snapshots,
      ({ planned }) => predicted(planned.expect).length,
      (snapshot, say) => {
        const { expect } = snapshot.planned;
        const members = predicted(expect);
        for (const member of members) {
          const found = derive[member](snapshot, expect);
          if (sameJson(found, expect[member])) continue;
          say('prediction-failed', `${member}: predicted ${canonical(expect[member])}, derived ${canonical(found)}.`, {
            file: 'data/plan.json',
          });
        }
        return members.length;
      },
    ),
};

/** That two snapshots end in the same events is a guarantee of its own (G32). */
function predicted(expect: Expected): Member[] {
  return (Object.keys(expect) as (Member | 'same_events_as')[]).filter((name) => name !== 'same_events_as');
}

const derive: { [M in Member]-?: (snapshot: Snapshot, expect: Expected) => unknown } = {
  ended(snapshot) {
    if (snapshot.group !== undefined) return 'several';
    return need(snapshot.process).exit.signal === 'SIGKILL' ? 'killed' : need(snapshot.answer).status;
  },
  events: (snapshot) => need(snapshot.ledger).events.length,
  receipts: (snapshot) => countEffects(need(snapshot.receipts)).receipts,
  effects: (snapshot) => countEffects(need(snapshot.receipts)).effects,
  keys: (snapshot) => countEffects(need(snapshot.receipts)).keys,
  bodies: (snapshot) => countEffects(need(snapshot.receipts)).bodies,
  processes: (snapshot) => countEffects(need(snapshot.receipts)).processes,
  questions: (snapshot) => countEffects(need(snapshot.receipts)).questions,
  delayed: (snapshot) => countEffects(need(snapshot.receipts)).delayed,
  members: ({ roles }) => {
    const statuses = roles.map(({ answer }) => need(answer).status);
    const count = (wanted: string): number => statuses.filter((status) => status === wanted).length;
    return { completed: count('completed'), failed: count('failed'), refused: count('refused') };
  },
  reconciled: (snapshot) =>
    eventsOf(snapshot, 'effect.reconciled').map(({ payload: { finding, reason } }) => ({ finding, reason })),
  operations: ({ roles }) => roles.flatMap(({ answer }) => need(answer).operations ?? []),
  outcome: outcomeIn,
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
  refusal: (snapshot) => refusal(snapshot),
  replayed: (snapshot) => need(snapshot.answer).replayed,
  egress_refused: (snapshot) => need(snapshot.answer).egress.refused.length,
};

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

function refusal(snapshot: Snapshot): unknown {
  const given = need(snapshot.answer).refusal;
  if (given === null) return null;
  const { call_id: _call, ...rest } = given;
  return { ...rest, drift: [...rest.drift].sort() };
}

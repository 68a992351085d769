/** What every record that a snapshot added says of its scenario, by what the processes were told that acted in it. */
import { scenarioDepartures } from '../../model/sessions/scenario.js';
import type { Snapshot } from '../../read/bundle.js';
import { answered } from '../derived.js';
import { toldTo } from '../parking.js';
import type { Departure, Scenario } from '../subject-model.js';
import { inheritedCount, logIn } from './derived.js';

export function departuresFromScenario(scenario: Scenario, snapshot: Snapshot): readonly Departure[] {
  const { planned, roles, state } = snapshot;
  return scenarioDepartures(scenario, {
    records: logIn(state).records,
    inherited: inheritedCount(snapshot),
    told: roles.map((role) => ({ role: planned.role, ...toldTo(snapshot, role) })),
    completed: planned.kill === null && answered(snapshot) === 'completed',
  });
}

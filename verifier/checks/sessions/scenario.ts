/** What every record that a snapshot added says of its scenario, by what the processes were told that acted in it. */
import { scenarioDepartures } from '../../model/sessions/scenario.js';
import type { Snapshot } from '../../read/bundle.js';
import type { RoleEvidence } from '../../read/role.js';
import { actorsOf } from '../actors.js';
import { need } from '../check.js';
import type { Departure, Scenario } from '../subject-model.js';
import { inheritedCount, logIn } from './derived.js';
import { stopsWithLease } from './tenures.js';

export function departuresFromScenario(scenario: Scenario, snapshot: Snapshot): readonly Departure[] {
  const { planned, state } = snapshot;
  const told = actorsOf(snapshot)
    .filter(({ role }) => !keptElsewhere(snapshot, role))
    .map(({ role, killed, operation, input }) => {
      const status = killed ? null : need(role.answer).status;
      return { role: planned.role, operation, input, status, completed: status === 'completed' };
    });
  return scenarioDepartures(scenario, {
    records: logIn(state).records,
    inherited: inheritedCount(snapshot),
    told: told.filter(({ status }) => status !== 'refused'),
  });
}

/** What an owner recorded whose folder was moved away and another one restored is not in that one. */
function keptElsewhere(snapshot: Snapshot, { member }: RoleEvidence): boolean {
  const { crash } = snapshot.planned;
  return member === 'owner' && stopsWithLease(snapshot) && crash?.model === 'zombie' && crash.defeat === 'folder-restored';
}

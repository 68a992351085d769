/** Who acted in a snapshot, and what the plan told each: one role, or the members of a group. */
import type { Snapshot } from '../read/bundle.js';
import { isCut, type PlannedSnapshot } from '../read/plan.js';
import type { RoleEvidence } from '../read/role.js';
import { toldTo } from './parking.js';

export interface Actor {
  readonly role: RoleEvidence;
  /** Null where it was told nothing: then it may resume a call that was never sent. */
  readonly operation: PlannedSnapshot['operation'];
  readonly input: PlannedSnapshot['input'];
  /** By the plan, or it failed where one of its calls did; it left no answer. */
  readonly killed: boolean;
}

export function actorsOf(snapshot: Snapshot): Actor[] {
  return snapshot.roles.map((role) => {
    const killed = snapshot.planned.kill !== null || (isCut(snapshot.planned) && !role.has('answer.json'));
    return { role, killed, ...toldTo(snapshot, role) };
  });
}

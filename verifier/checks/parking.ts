/**
 * What the plan has each process of a snapshot do: where it is parked, and what it is told to carry out. The only role of an ordinary
 * snapshot does what the snapshot says; the members of a group have their parts in the crash model.
 */
import type { Snapshot } from '../read/bundle.js';
import type { PlannedSnapshot } from '../read/plan.js';
import type { RoleEvidence } from '../read/role.js';

export interface Place {
  readonly checkpoint: string;
  readonly occurrence: number;
}

/** The armed checkpoint; null where the role is armed with none (it may still be killed in a held request). */
export function parkedAt({ planned: { kill, crash } }: Snapshot, { member }: RoleEvidence): Place | null {
  if (crash?.model === 'race') return { checkpoint: crash.forced ? 'projection.read' : 'role.ready', occurrence: 1 };
  if (crash?.model === 'zombie') return member === 'owner' ? crash.stop : null;
  return kill?.at === 'checkpoint' ? kill : null;
}

type Told = Pick<PlannedSnapshot, 'operation' | 'input'>;

export function toldTo({ planned: { operation, input, crash } }: Snapshot, { member }: RoleEvidence): Told {
  if (crash?.model !== 'zombie' || member === 'owner') return { operation, input };
  return { operation: crash.other.operation, input: crash.other.input ?? null };
}

/**
 * A planned case as the snapshots that are taken of it, in the order of the plan. Pure.
 *
 * A snapshot comes after the one that it begins with. The verifier expands the same plan by code of its own.
 */
import { killedRecoveries } from './crash-in-recovery.js';
import { type PlannedArm, type PlannedCase, type PlannedSnapshot, producer } from './types.js';

export function snapshotsOf(planned: PlannedCase): PlannedSnapshot[] {
  const first: PlannedSnapshot = {
    caseId: planned.id,
    snapshot: producer,
    role: 'produce',
    kill: planned.kill,
    crash: null,
    operation: null,
    input: null,
    scenario: planned.scenario,
    provider: planned.provider,
    from: null,
  };
  return [first, ...planned.arms.flatMap((arm) => snapshotsOfArm(planned, arm))];
}

function snapshotsOfArm(planned: PlannedCase, { crash, ...arm }: PlannedArm): PlannedSnapshot[] {
  const stands = crash?.model === 'crash-in-recovery' ? crash : null;
  const one: PlannedSnapshot = {
    caseId: planned.id,
    snapshot: arm.id,
    role: arm.role,
    kill: arm.kill ?? null,
    crash: crash === undefined || crash.model === 'crash-in-recovery' ? null : crash,
    operation: arm.operation ?? null,
    input: arm.input ?? null,
    scenario: arm.scenario ?? planned.scenario,
    provider: arm.provider ?? planned.provider,
    from: arm.from ?? producer,
  };
  return stands === null ? [one] : [one, ...killedRecoveries(one, stands)];
}

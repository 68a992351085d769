/**
 * A planned case as the snapshots that are taken of it, in the order of the plan. Pure.
 *
 * A snapshot comes after the one that it begins with. What a ratchet or a power loss stands for is not among them: that is found by running it. The verifier expands the same plan by code of its own.
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
    traced: null,
    ratchet: null,
    powerLoss: null,
    operation: null,
    input: null,
    scenario: planned.scenario,
    provider: planned.provider,
    from: null,
    receipts: null,
  };
  return [first, ...planned.arms.flatMap((arm) => snapshotsOfArm(planned, arm))];
}

function snapshotsOfArm(planned: PlannedCase, { crash, ...arm }: PlannedArm): PlannedSnapshot[] {
  const stands = crash?.model === 'crash-in-recovery' ? crash : null;
  const ratchet = crash?.model === 'syscall-kill' ? crash : null;
  const powerLoss = crash?.model === 'power-loss' ? crash : null;
  const family = powerLoss === null ? ratchet?.family : 'persistence';
  const one: PlannedSnapshot = {
    caseId: planned.id,
    snapshot: arm.id,
    role: arm.role,
    kill: arm.kill ?? null,
    crash: crash?.model === 'race' || crash?.model === 'zombie' ? crash : null,
    traced: family === undefined ? null : { family, call: null, paths: [], dies: false },
    ratchet,
    powerLoss,
    operation: arm.operation ?? null,
    input: arm.input ?? null,
    scenario: arm.scenario ?? planned.scenario,
    provider: arm.provider ?? planned.provider,
    // A producer under a tracer is a fresh one.
    from: family !== undefined && arm.role === 'produce' ? null : (arm.from ?? producer),
    receipts: null,
  };
  return stands === null ? [one] : [one, ...killedRecoveries(one, stands)];
}

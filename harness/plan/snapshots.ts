/**
 * A planned case as the snapshots that are taken of it, in the order of the plan. Pure.
 *
 * A snapshot comes after the one that it begins with. What a ratchet or a power loss stands for is not among them: that is found by running it. The verifier expands the same plan by code of its own.
 */
import { killedRecoveries } from './crash-in-recovery.js';
import { type PlannedArm, type PlannedCase, type PlannedSnapshot, producer, type Ratchet, type Traced } from './types.js';

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
  const ratchet = crash?.model === 'syscall-kill' || crash?.model === 'io-fault' ? crash : null;
  const powerLoss = crash?.model === 'power-loss' ? crash : null;
  const one: PlannedSnapshot = {
    caseId: planned.id,
    snapshot: arm.id,
    role: arm.role,
    kill: arm.kill ?? null,
    crash: crash?.model === 'race' || crash?.model === 'zombie' ? crash : null,
    traced: ratchet !== null ? watchedBy(ratchet) : powerLoss && { ...onlyWatched, family: 'persistence', fault: null },
    ratchet,
    powerLoss,
    operation: arm.operation ?? null,
    input: arm.input ?? null,
    scenario: arm.scenario ?? planned.scenario,
    provider: arm.provider ?? planned.provider,
    // A producer under a tracer is a fresh one.
    from: (ratchet ?? powerLoss) !== null && arm.role === 'produce' ? null : (arm.from ?? producer),
    receipts: null,
  };
  return stands === null ? [one] : [one, ...killedRecoveries(one, stands)];
}

const onlyWatched = { call: null, paths: [], reached: false } as const;

/** The run that only tells which calls there are. */
function watchedBy(ratchet: Ratchet): Traced {
  const fault = ratchet.model === 'io-fault' ? { error: ratchet.error, lasting: ratchet.lasting } : null;
  return { ...onlyWatched, family: ratchet.family, fault };
}

/** By the harness at a place, or by the tracer before a call. */
export function isKilled({ kill, traced }: Pick<PlannedSnapshot, 'kill' | 'traced'>): boolean {
  return kill !== null || (traced !== null && traced.reached && traced.fault === null);
}

/**
 * Power loss: the snapshots that an arm under it stands for. Pure.
 *
 * Which there are is found by running it: the states that its trace may leave are derived and looked at, and from each thing that they
 * hold a fresh process carries on. Each is an ordinary snapshot. The verifier expands the same by code of its own.
 */
import type { PlannedSnapshot, PowerLoss } from './types.js';

/** What one process carries on from. */
export interface Begun {
  /** Entries of the record; null where the state was never made. */
  readonly entries: number | null;
  /** Lines of the receipts of the arm. */
  readonly lines: number;
}

export function snapshotFrom(arm: PlannedSnapshot, { carry_on: carryOn }: PowerLoss, { entries, lines }: Begun): PlannedSnapshot {
  const one: PlannedSnapshot = {
    ...arm,
    snapshot: `${arm.snapshot}-${entries === null ? 'unmade' : `n${entries}`}-r${lines}`,
    traced: null,
    powerLoss: null,
    // The receipts are the arm's; the state is one that it may have left.
    from: arm.snapshot,
    receipts: lines,
  };
  if (entries === null) return { ...one, role: 'produce', operation: null, input: null };
  if (arm.role !== 'produce' || carryOn === 'produce') return one;
  return { ...one, role: 'resume', operation: carryOn === 'recover' ? 'recover' : null };
}

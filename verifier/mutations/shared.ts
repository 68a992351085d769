/**
 * The breaks that hold of any subject. Most need a place where all went well, which each model finds in its own record: a resume that acted
 * once and completed, alone, that nothing continues; and some, one of which all receipts are its own.
 */
import { bagMutations } from './bag.js';
import { faultMutations } from './faults.js';
import { inspectionMutations } from './inspection.js';
import { killMutations } from './kill.js';
import { grouped, type Place } from './places.js';
import { planMutations } from './plan.js';
import { powerLossMutations } from './power-loss.js';
import { receiptMutations } from './receipts.js';
import { syscallMutations } from './syscalls.js';

export const sharedMutations = (completed: Place, withOwnReceipts = completed) =>
  grouped([
    ...[bagMutations, planMutations(completed), killMutations(completed, withOwnReceipts)],
    ...[inspectionMutations(completed), receiptMutations(withOwnReceipts), syscallMutations, powerLossMutations, faultMutations],
  ]);

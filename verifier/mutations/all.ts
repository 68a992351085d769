/** At least one way to break a good bundle for every finding code; the compiler holds the list against the codes. */
import type { FindingCode } from '../checks/check.js';
import { bagMutations } from './bag.js';
import type { Mutation } from './editor.js';
import { forgeries } from './forgeries.js';
import { inspectionMutations } from './inspection.js';
import { killMutations } from './kill.js';
import { ledgerMutations } from './ledger.js';
import { grouped } from './places.js';
import { planMutations } from './plan.js';
import { raceMutations } from './races.js';
import { receiptMutations } from './receipts.js';
import { recordMutations } from './record.js';
import { reconciliationMutations } from './reconciliations.js';
import { recoveryMutations } from './recovery.js';

export const mutations = grouped([
  ...[bagMutations, planMutations, killMutations],
  ...[ledgerMutations, recordMutations, inspectionMutations, receiptMutations],
  ...[reconciliationMutations, recoveryMutations, raceMutations, forgeries],
]) satisfies Record<FindingCode, readonly Mutation[]>;

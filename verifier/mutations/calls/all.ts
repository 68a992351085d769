/** At least one way to break a good bundle about calls for every finding code that it can have. */
import { grouped } from '../places.js';
import { sharedMutations } from '../shared.js';
import { forgeries } from './forgeries.js';
import { callsInspectionMutations } from './inspection.js';
import { callsKillMutations } from './kill.js';
import { ledgerMutations } from './ledger.js';
import { completed } from './places.js';
import { callsPlanMutations } from './plan.js';
import { raceMutations } from './races.js';
import { callsReceiptMutations } from './receipts.js';
import { reconciliationMutations } from './reconciliations.js';
import { recordMutations } from './record.js';
import { recoveryMutations } from './recovery.js';

export const callsMutations = grouped([
  ...[sharedMutations(completed), callsPlanMutations, callsKillMutations, ledgerMutations, recordMutations],
  ...[callsInspectionMutations, callsReceiptMutations],
  ...[reconciliationMutations, recoveryMutations, raceMutations, forgeries],
]);

/** Every guarantee, in the order of the contract. A test holds this list against the contract's own. */
import type { Check } from './check.js';
import { g01 } from './g01-bag.js';
import { g02 } from './g02-plan.js';
import { g03 } from './g03-cases.js';
import { g04 } from './g04-controls.js';
import { g05 } from './g05-kill.js';
import { g06 } from './g06-processes.js';
import { g07 } from './g07-copy.js';
import { g08 } from './g08-record.js';
import { g09 } from './g09-history.js';
import { g10 } from './g10-order.js';
import { g11 } from './g11-manifest.js';
import { g12 } from './g12-interpretation.js';
import { g13 } from './g13-retry.js';
import { g14 } from './g14-completion.js';
import { g15 } from './g15-export.js';
import { g16 } from './g16-state.js';
import { g17 } from './g17-inspection.js';
import { g18 } from './g18-receipts.js';
import { g19 } from './g19-intents.js';
import { g20 } from './g20-served.js';
import { g21 } from './g21-observations.js';
import { g22 } from './g22-resume.js';
import { g23 } from './g23-egress.js';
import { g24 } from './g24-settings.js';
import { g25 } from './g25-prediction.js';
import { g26 } from './g26-script.js';
import { g27 } from './g27-reconciliation.js';
import { g28 } from './g28-attempts.js';
import { g29 } from './g29-recovery.js';
import { g30 } from './g30-races.js';
import { g31 } from './g31-spec.js';
import { g32 } from './g32-same-events.js';

export const checks: readonly Check[] = [
  ...[g01, g02, g03, g04, g05, g06, g07, g08, g09, g10, g11, g12, g13, g14, g15],
  ...[g16, g17, g18, g19, g20, g21, g22, g23, g24, g25, g26],
  ...[g27, g28, g29, g30, g31, g32],
];

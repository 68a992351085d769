/** The guarantees that only a record of calls has. */
import type { Check } from '../check.js';
import { g08 } from './g08-record.js';
import { g10 } from './g10-order.js';
import { g11 } from './g11-manifest.js';
import { g12 } from './g12-interpretation.js';
import { g13 } from './g13-retry.js';
import { g14 } from './g14-completion.js';
import { g15 } from './g15-export.js';
import { g16 } from './g16-state.js';
import { g19 } from './g19-intents.js';
import { g20 } from './g20-served.js';
import { g21 } from './g21-observations.js';
import { g22 } from './g22-resume.js';
import { g24 } from './g24-settings.js';
import { g27 } from './g27-reconciliation.js';
import { g28 } from './g28-attempts.js';
import { g29 } from './g29-recovery.js';
import { g30 } from './g30-races.js';
import { g31 } from './g31-spec.js';
import { g32 } from './g32-same-events.js';

export const callsChecks: readonly Check[] = [
  ...[g08, g10, g11, g12, g13, g14, g15, g16, g19, g20, g21, g22, g24],
  ...[g27, g28, g29, g30, g31, g32],
];

/** The guarantees that only a session has. */
import type { Check } from '../check.js';
import { g33 } from './g33-log.js';
import { g34 } from './g34-order.js';
import { g35 } from './g35-model-requests.js';
import { g36 } from './g36-tool-requests.js';
import { g37 } from './g37-results.js';
import { g38 } from './g38-closeout.js';
import { g39 } from './g39-approvals.js';
import { g40 } from './g40-inputs.js';
import { g41 } from './g41-configuration.js';
import { g42 } from './g42-export.js';
import { g43 } from './g43-resume.js';
import { g44 } from './g44-races.js';

export const sessionsChecks: readonly Check[] = [g33, g34, g35, g36, g37, g38, g39, g40, g41, g42, g43, g44];

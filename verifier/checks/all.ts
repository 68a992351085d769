/**
 * Every guarantee, in the order of the contract: those of any subject, and those of the model that the plan names. A test holds this list
 * against the contract's own.
 */
import type { Bundle } from '../read/bundle.js';
import { callsChecks } from './calls/all.js';
import { callsModel } from './calls/model.js';
import type { Check } from './check.js';
import { g01 } from './g01-bag.js';
import { g02 } from './g02-plan.js';
import { g03 } from './g03-cases.js';
import { g04 } from './g04-controls.js';
import { g05 } from './g05-kill.js';
import { g06 } from './g06-processes.js';
import { g07 } from './g07-copy.js';
import { g09 } from './g09-history.js';
import { g17 } from './g17-inspection.js';
import { g18 } from './g18-receipts.js';
import { g23 } from './g23-egress.js';
import { g25 } from './g25-prediction.js';
import { g26 } from './g26-script.js';
import { g45 } from './g45-syscalls.js';
import { g46 } from './g46-power-states.js';
import { g47 } from './g47-promises.js';
import { g48 } from './g48-faults.js';
import { sessionsChecks } from './sessions/all.js';
import { sessionsModel } from './sessions/model.js';
import type { ModelName, SubjectModel } from './subject-model.js';

const shared: readonly Check[] = [g01, g02, g03, g04, g05, g06, g07, g09, g17, g18, g23, g25, g26, g45, g46, g47, g48];

interface Subject {
  readonly model: SubjectModel;
  /** Those that no other subject has. */
  readonly checks: readonly Check[];
}

const subjects: Readonly<Record<ModelName, Subject>> = {
  'calls/v1': { model: callsModel, checks: callsChecks },
  'sessions/v1': { model: sessionsModel, checks: sessionsChecks },
};

export const modelNames = Object.keys(subjects) as ModelName[];

/** A plan that names no model is about calls, and so is a bundle whose plan cannot be read. */
export function modelOf({ plan }: Pick<Bundle, 'plan'>): SubjectModel {
  return subjects[plan.value?.model ?? 'calls/v1'].model;
}

export function checksOf(model: ModelName): readonly Check[] {
  return [...shared, ...subjects[model].checks].sort((left, right) => numberOf(left) - numberOf(right));
}

function numberOf({ guarantee }: Check): number {
  return Number(guarantee.slice(1));
}

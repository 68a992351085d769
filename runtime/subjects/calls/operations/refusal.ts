/** What the runtime threw while an operation was carried out, as the report of that operation; whatever is no answer stays thrown. */
import { RecoveryRefused, ResumeRefused } from '../../../calls/core/refusals.js';
import { RuntimeError } from '../../../core/errors.js';
import { refusedAs, type Report } from '../../kit/role.js';
import { reportOf } from '../subject.js';

export function reportOfOperation(error: unknown): Report {
  if (error instanceof RuntimeError && error.code === 'overtaken') return refusedAs(error, 'Overtaken');
  return reportOf(error instanceof ResumeRefused ? inItsOwnName(error) : error);
}

/** `start_call` is carried out by the runtime's resume, which refuses as such. */
function inItsOwnName({ callId: on, operation, hazard, drift, message }: ResumeRefused): RecoveryRefused {
  return new RecoveryRefused({ on, operation, hazard, drift }, message);
}

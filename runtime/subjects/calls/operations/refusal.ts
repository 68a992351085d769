/** What the runtime threw while an operation was carried out, as the report of that operation; whatever is no answer stays thrown. */
import { RecoveryRefused, ResumeRefused, RuntimeError } from '../../../core/errors.js';
import { reportOf, type Report } from '../../kit/role.js';

export function reportOfOperation(error: unknown): Report {
  if (error instanceof RuntimeError && error.code === 'overtaken') {
    const refusal = { error: 'Overtaken' as const, call_id: null, operation: null, hazard: null, drift: [] };
    return { status: 'refused', detail: error.message, refusal };
  }
  return reportOf(error instanceof ResumeRefused ? inItsOwnName(error) : error);
}

/** `start_call` is carried out by the runtime's resume, which refuses as such. */
function inItsOwnName({ callId: on, operation, hazard, drift, message }: ResumeRefused): RecoveryRefused {
  return new RecoveryRefused({ on, operation, hazard, drift }, message);
}

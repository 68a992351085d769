/** What the roles of this subject have in common: where they can be parked, and which errors are answers. */
import { checkpoints } from '../../contract/data.js';
import type { Answer } from '../../contract/types.js';
import { EffectUnknown, KeyConflict, RecoveryRefused, ResumeRefused } from '../../calls/core/refusals.js';
import { OwnerAlive, RuntimeError } from '../../core/errors.js';
import { sqliteVersion } from '../../calls/ledger/connection.js';
import { refusedAs, type Report, type Subject } from '../kit/role.js';

const { committed, read, any } = checkpoints['calls/v1'];

export const calls: Subject = {
  checkpoints: [...committed, ...read, ...any],
  resumesByRecord: false,
  refuses: ['task-unknown', 'task-exists', 'task-ended', 'call-unknown', 'compilation-unknown', 'result-unknown'],
  // No connection was opened: the owner was alive.
  unopened: () => ({ node: process.versions.node, sqlite: sqliteVersion(), journal_mode: 'unopened', synchronous: 0 }),
  reportOf,
};

export function reportOf(error: unknown): Report {
  if (error instanceof ResumeRefused) {
    const { callId: call_id, operation, hazard, drift } = error;
    return refusal(error, { error: 'ResumeRefused', call_id, operation, hazard, drift: [...drift] });
  }
  if (error instanceof RecoveryRefused) {
    const { on: call_id, operation, hazard, drift } = error;
    return refusal(error, { error: 'RecoveryRefused', call_id, operation, hazard, drift: [...drift] });
  }
  if (error instanceof KeyConflict) {
    const nothing = { operation: null, hazard: null, drift: [] };
    return refusal(error, { error: 'KeyConflict', call_id: error.earlierCallId, ...nothing });
  }
  if (error instanceof OwnerAlive) return refusedAs(error, 'OwnerAlive');
  if (error instanceof EffectUnknown) return { status: 'failed', detail: error.message };
  if (error instanceof RuntimeError && (error.code === 'compilation-failed' || error.code === 'preparation-failed'))
    return { status: 'failed', detail: error.message };
  throw error;
}

function refusal(error: RuntimeError, fact: NonNullable<Answer['refusal']>): Report {
  return { status: 'refused', detail: error.message, refusal: fact };
}

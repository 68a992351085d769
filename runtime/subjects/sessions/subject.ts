/**
 * What the roles of this subject have in common: where they can be parked, how a barrier is synced, and which errors are answers.
 *
 * A log that cannot be read is an answer too: it says why, and nothing was changed.
 */
import { checkpoints } from '../../contract/data.js';
import type { SharedSessionRefusal } from '../../contract/types.js';
import { SessionError, SessionRefused } from '../../sessions/core/refusals.js';
import type { Report, Settings, Subject } from '../kit/role.js';

const { committed, read, any } = checkpoints['sessions/v1'];

export const settings: Settings = { node: process.versions.node, sync: 'fdatasync' };

export const sessions: Subject = {
  checkpoints: [...committed, ...read, ...any],
  resumesByRecord: true,
  refuses: [],
  unopened: () => settings,
  reportOf,
};

const unreadable: ReadonlyMap<string, SharedSessionRefusal> = new Map([
  ['log-damaged', 'log_damaged'],
  ['newer-writer', 'newer_writer'],
]);

export function reportOf(error: unknown): Report {
  if (error instanceof SessionRefused) {
    const { reason, operation, on, drift } = error;
    return { status: 'refused', detail: error.message, session_refusal: { reason, operation, on, drift: [...drift] } };
  }
  if (!(error instanceof SessionError)) throw error;
  // Somebody else acted on the log meanwhile: what this process did before is done, and nothing further is.
  if (error.code === 'foreign-write') return { status: 'failed', detail: error.message };
  const reason = unreadable.get(error.code);
  if (reason === undefined) throw error;
  return { status: 'refused', detail: error.message, session_refusal: { reason, operation: null, on: null, drift: [] } };
}

/**
 * Whether all that a process said over descriptor 3, to its end, is the one line that announces its place.
 */
import { readCheckpointLine } from '../process/checkpoint-line.js';
import type { RoleProcess } from '../process/spawn.js';
import type { Part } from './model.js';

/** Null where it is, and for a process that announces nothing. */
export function whyNotAnnounced(role: RoleProcess, { parkedAt }: Part): string | null {
  if (parkedAt?.at !== 'checkpoint') return null;
  const announcement = readCheckpointLine(role.announced(), parkedAt, role.nonce, role.pid);
  if (announcement.kind === 'announced') return null;
  return announcement.kind === 'none' ? 'nothing was announced' : announcement.why;
}

/**
 * Waits until a role is where the plan wants it parked, or until it cannot get there any more.
 *
 * Nothing is guessed from time: the checkpoint line, the provider's word that it holds the requests, or the exit end the waiting. The
 * deadline only voids.
 */
import type { CrashModel } from '../crash/model.js';
import { CaseVoid, type VoidReason } from '../errors.js';
import type { Place } from '../plan/types.js';
import { readCheckpointLine } from '../process/checkpoint-line.js';
import type { RoleProcess } from '../process/spawn.js';
import type { Prefix } from '../provider/provider.js';

/** Resolves when the process is parked; its timeline says how that is known. Throws CaseVoid otherwise; the caller kills. */
export async function parked(
  role: RoleProcess,
  place: Place,
  prefix: Pick<Prefix, 'held'>,
  deadlineMs: number,
  reasons: CrashModel<unknown>['reasons'],
): Promise<void> {
  const over = new AbortController();
  try {
    await Promise.race([
      place.at === 'held' ? held(role, place.requests ?? 1, prefix, over.signal) : announced(role, place, reasons.unproven),
      exitedFirst(role, reasons.exited),
      deadline(role, deadlineMs, over.signal),
    ]);
  } finally {
    over.abort();
  }
}

async function held(role: RoleProcess, requests: number, prefix: Pick<Prefix, 'held'>, signal: AbortSignal): Promise<void> {
  try {
    await prefix.held(requests, signal);
  } catch (error) {
    // Somebody else ended the race: this branch has nothing to say any more.
    if (signal.aborted) return await new Promise(() => undefined);
    throw error;
  }
  role.timeline.mark('held');
}

function announced(role: RoleProcess, armed: { checkpoint: string; occurrence: number }, reason: VoidReason): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const announcement = readCheckpointLine(role.announced(), armed, role.nonce, role.pid);
      if (announcement.kind === 'none') return;
      role.timeline.mark('announced');
      if (announcement.kind === 'announced') resolve();
      else
        reject(new CaseVoid(reason, `What came over descriptor 3 does not announce the armed checkpoint: ${announcement.why}.`));
    };
    role.onAnnounced(look);
    look();
  });
}

async function exitedFirst(role: RoleProcess, reason: VoidReason): Promise<never> {
  const { code, signal } = await role.exited;
  throw new CaseVoid(reason, `The process ended by itself (${signal ?? `exit ${code}`}) before it was parked.`);
}

function deadline(role: RoleProcess, ms: number, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => {
      role.timeline.mark('deadline');
      reject(new CaseVoid('checkpoint-deadline', `Nothing was announced, held or ended within ${ms} ms.`));
    }, ms);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

/**
 * The end of a role process: nobody of it is left, or those who are have names.
 *
 * With a cgroup the kernel tells when the last one is gone. Without one nothing tells it about processes that are not our children, so
 * the group (and whoever carries the nonce) is looked at until it is empty or the time is over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { signal, livingOf } from './proc.js';
import type { RoleProcess } from './spawn.js';

const lookEveryMs = 5;

/** Kills whatever is left, whoever it is: used after a deadline, and after a role that left a child behind. */
export function killAll(role: RoleProcess): void {
  signal(-role.pgid, 'SIGKILL');
  role.cgroup?.kill();
  if (role.cgroup === null) for (const pid of stillThere(role)) signal(pid, 'SIGKILL');
}

/** Who of the role lives at this moment. */
export function stillThere(role: RoleProcess): number[] {
  return role.cgroup === null ? livingOf(role.pgid, role.nonce) : role.cgroup.members();
}

/** Pids that still live when the time is over; empty in every good case. */
export async function survivorsOf(role: RoleProcess, timeoutMs: number): Promise<number[]> {
  if (role.cgroup !== null) {
    if (await role.cgroup.emptied(timeoutMs)) return [];
    return role.cgroup.members();
  }
  const end = performance.now() + timeoutMs;
  let living = livingOf(role.pgid, role.nonce);
  while (living.length > 0 && performance.now() < end) {
    await delay(lookEveryMs);
    living = livingOf(role.pgid, role.nonce);
  }
  return living;
}

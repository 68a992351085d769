/**
 * The end of a role process: nobody of it is left, or those who are have names.
 *
 * With a cgroup the kernel tells when the last one is gone. Without one nothing tells it about processes that are not our children, so
 * the group (and whoever carries the nonce) is looked at until it is empty or the time is over.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { livingOf, programOf, signal } from './proc.js';
import type { RoleProcess } from './spawn.js';

const lookEveryMs = 5;

/** The program that watches the system calls of a role, and may kill it before one. */
export const tracerName = 'strace';

/** What is needed to find whoever a role has started. */
export type Reach = Pick<RoleProcess, 'pgid' | 'nonce' | 'cgroup'>;

/** Kills whatever is left, whoever it is: used after a deadline, and after a role that left a child behind. */
export function killAll(role: Reach): void {
  signal(-role.pgid, 'SIGKILL');
  killBeyondGroup(role);
}

/** Kills whoever left the group: by the cgroup, or, where there is none, one by one, until a look finds nobody that was not struck yet. */
export function killBeyondGroup(role: Reach): void {
  if (role.cgroup !== null) return role.cgroup.kill();
  const struck = new Set<number>();
  for (let found = stillThere(role); found.length > 0; found = stillThere(role).filter((pid) => !struck.has(pid))) {
    for (const pid of found) {
      signal(pid, 'SIGKILL');
      struck.add(pid);
    }
  }
}

/** Who of the role lives at this moment. */
export function stillThere(role: Reach): number[] {
  return role.cgroup === null ? livingOf(role.pgid, role.nonce) : role.cgroup.members();
}

/**
 * Waits for the tracer of a role that has ended: it ends when it has told of everybody that it follows. So whoever else is there is named and
 * killed first. Null where the tracer stays.
 */
export async function leftUnderTracer(role: Reach, timeoutMs: number): Promise<number[] | null> {
  const isTracer = (pid: number): boolean => programOf(pid) === tracerName;
  const left = stillThere(role).filter((pid) => !isTracer(pid));
  for (const pid of left) signal(pid, 'SIGKILL');
  const end = performance.now() + timeoutMs;
  while (stillThere(role).some(isTracer)) {
    if (performance.now() > end) return null;
    await delay(lookEveryMs);
  }
  return left;
}

/** Pids that still live when the time is over; empty in every good case. */
export async function survivorsOf(role: Reach, timeoutMs: number): Promise<number[]> {
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

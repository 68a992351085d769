/**
 * Stops a role by SIGSTOP, and continues it by SIGCONT.
 *
 * A stop takes effect later than the call that asks for it, and Node reaps without being told of it. So it is proved from `/proc`: every
 * thread of every living process of the role is in state T, its tools included, which have groups of their own. Only a whole role does
 * nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { stillThere } from './end.js';
import { isLiving, processFacts, signal, threadStates } from './proc.js';
import type { RoleProcess } from './spawn.js';

const lookEveryMs = 1;
/** So many looks, and then whoever keeps another from stopping goes on for one. */
const looks = 10;

/** True as soon as the role is stopped whole; false when it has ended, or goes on when the time is over. */
export async function stop(role: RoleProcess, timeoutMs: number): Promise<boolean> {
  role.timeline.mark('sigstop_sent');
  if (!signal(-role.pgid, 'SIGSTOP')) return false;
  const end = performance.now() + timeoutMs;
  for (let look = 1; !isStopped(role); look += 1) {
    if (!isLiving(processFacts(role.pid)) || performance.now() > end) return false;
    // Stopped between its vfork and its exec, a child keeps its parent in the kernel, where no signal reaches it.
    const next = look % looks === 0 ? 'SIGCONT' : 'SIGSTOP';
    for (const pid of stillThere(role)) if (next === 'SIGSTOP' || pid !== role.pid) signal(pid, next);
    await delay(lookEveryMs);
  }
  role.timeline.mark('stopped');
  return true;
}

export function isStopped(role: RoleProcess): boolean {
  const there = stillThere(role);
  return there.includes(role.pid) && there.every((pid) => threadStates(pid).every((state) => state === 'T'));
}

export function resume(role: RoleProcess): void {
  role.timeline.mark('sigcont_sent');
  signal(-role.pgid, 'SIGCONT');
  for (const pid of stillThere(role)) signal(pid, 'SIGCONT');
}

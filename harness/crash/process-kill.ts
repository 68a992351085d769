/**
 * Crash model: process crash, by SIGKILL.
 *
 * Fault model: every process of the group ends at once and runs no cleanup; what the kernel holds (page cache, files, sockets it
 * closes) survives. This is not power loss, and nothing here claims it. The group dies first, then the cgroup, which also
 * reaches a child that left the group by `setsid`.
 */
import { signal } from '../process/proc.js';
import type { CrashModel } from './model.js';

export const processKill: CrashModel = (target, struck) => {
  const atNs = process.hrtime.bigint();
  // Nobody to signal means that the process ended by itself: then no kill is on record.
  if (signal(-target.pgid, 'SIGKILL')) struck(atNs);
  target.cgroup?.kill();
};

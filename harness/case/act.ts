/**
 * Runs one role to its end: killed where the plan says, or by itself.
 *
 * Fault model: process crash. A kill counts only if it was sent after the process was parked and before its exit was seen, the wait status
 * is signal 9, and nobody of it is left; anything less voids the case, since a crash that did not happen proves nothing.
 * Whatever happened, no process of the role lives when this returns or throws.
 */
import type { CrashModel } from '../crash/model.js';
import { CaseVoid } from '../errors.js';
import type { Kill } from '../plan/types.js';
import { readCheckpointLine } from '../process/checkpoint-line.js';
import { killAll, stillThere, survivorsOf } from '../process/end.js';
import type { Exit, RoleProcess } from '../process/spawn.js';
import { within } from '../process/wait.js';
import type { Prefix } from '../provider/provider.js';
import { parked } from './park.js';

export interface Ended {
  readonly exit: Exit;
  readonly survivors: number[];
  /** Alive when the role had ended by itself; empty after a kill, which is done to all of them at once. */
  readonly leftBehind: number[];
  readonly trouble: CaseVoid | null;
}

interface Limits {
  readonly checkpoint_ms: number;
  readonly role_ms: number;
}

/** After SIGKILL the kernel needs moments; a process that is there after this long was not killed. */
const reapMs = 5000;

export async function act(role: RoleProcess, kill: Kill, prefix: Prefix, limits: Limits, crash: CrashModel): Promise<Ended> {
  let trouble: CaseVoid | null = null;
  let leftBehind: number[] = [];
  try {
    if (kill === null) await byItself(role, limits.role_ms);
    else await byKill(role, kill, prefix, limits, crash);
  } catch (error) {
    trouble =
      error instanceof CaseVoid
        ? error
        : new CaseVoid('harness-error', `The role could not be run: ${(error as Error).message}`, { cause: error });
  }
  // A killed role's own group must already be empty; here a role that ended by itself loses what it left behind, once that has a name.
  if (kill === null || trouble !== null) {
    if (role.timeline.has('exit_seen') && !role.timeline.has('sigkill_sent')) leftBehind = stillThere(role);
    killAll(role);
  }
  const survivors = await survivorsOf(role, reapMs);
  if (survivors.length === 0) role.timeline.mark('group_empty');
  else killAll(role);
  const exit = await role.exited;
  await silence(role);
  return { exit, survivors, leftBehind, trouble: trouble ?? doubtAbout(role, kill, exit, survivors) };
}

async function byItself(role: RoleProcess, ms: number): Promise<void> {
  if (await within(role.exited, ms)) return;
  role.timeline.mark('deadline');
  throw new CaseVoid('role-deadline', `The role did not end within ${ms} ms.`);
}

async function byKill(
  role: RoleProcess,
  kill: NonNullable<Kill>,
  prefix: Prefix,
  limits: Limits,
  crash: CrashModel,
): Promise<void> {
  await parked(role, kill, prefix, limits.checkpoint_ms);
  crash({ pid: role.pid, pgid: role.pgid, cgroup: role.cgroup }, (atNs) => role.timeline.mark('sigkill_sent', atNs));
  if (!(await within(role.exited, Math.min(limits.role_ms, reapMs)))) {
    role.timeline.mark('deadline');
    throw new CaseVoid('kill-not-proven', 'The process was still alive after the kill.');
  }
}

/** Null where the kill counts (or none was planned). */
function doubtAbout(role: RoleProcess, kill: Kill, exit: Exit, survivors: readonly number[]): CaseVoid | null {
  if (survivors.length > 0) return new CaseVoid('survivors', `Processes outlived the role: ${survivors.join(', ')}.`);
  if (kill === null) return null;
  const parkedAs = kill.at === 'held' ? 'held' : 'announced';
  if (!role.timeline.before(parkedAs, 'sigkill_sent'))
    return new CaseVoid('kill-not-proven', 'No SIGKILL was sent after the process was parked.');
  if (!role.timeline.before('sigkill_sent', 'exit_seen'))
    return new CaseVoid('kill-not-proven', 'The exit was seen before SIGKILL was sent.');
  if (exit.signal !== 'SIGKILL')
    return new CaseVoid('kill-not-proven', `The process ended by ${exit.signal ?? `exit ${exit.code}`}, not by SIGKILL.`);
  if (kill.at === 'checkpoint') {
    const announcement = readCheckpointLine(role.announced(), kill, role.nonce, role.pid);
    if (announcement.kind === 'wrong')
      return new CaseVoid('kill-not-proven', `The process went on after it had announced: ${announcement.why}.`);
  }
  return null;
}

/** Descriptor 3 ends when the last holder is dead; a survivor that holds it must not hold the harness. */
async function silence(role: RoleProcess): Promise<void> {
  await within(role.silent, 1000);
}

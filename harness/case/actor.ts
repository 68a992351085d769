/**
 * One acting process of a snapshot: what is awaited of it, and how it is over.
 *
 * Fault model: process crash. Whatever was awaited, and whether or not it came, no process of the role lives when `finish` returns: a
 * stopped one dies by SIGKILL like any other.
 */
import type { Actor, CrashModel, Ended, Part } from '../crash/model.js';
import { CaseVoid } from '../errors.js';
import { killAll, leftUnderTracer, stillThere, survivorsOf } from '../process/end.js';
import type { RoleProcess } from '../process/spawn.js';
import { within } from '../process/wait.js';
import type { Prefix } from '../provider/provider.js';
import { parked } from './park.js';

export interface Limits {
  /** From the spawn to the announcement, the held request or the exit. */
  readonly checkpoint_ms: number;
  /** From the spawn, or from the moment when the process may go on, to its exit. */
  readonly role_ms: number;
}

export interface Finished extends Ended {
  readonly survivors: number[];
  /** Alive when the role had ended by itself; empty after a kill, which is done to all of them at once. */
  readonly leftBehind: number[];
}

export interface LiveActor extends Actor {
  /** `whole`: nothing went wrong so far, so that a role that was killed must already have lost its whole group. */
  finish(whole: boolean): Promise<Finished>;
}

/** After SIGKILL the kernel needs moments; a process that is there after this long was not killed. */
const reapMs = 5000;

export function watchActor(
  part: Part,
  role: RoleProcess,
  prefix: Pick<Prefix, 'held'>,
  limits: Limits,
  reasons: CrashModel<unknown>['reasons'],
): LiveActor {
  const name = part.member ?? 'The role';
  let leftBehind: number[] | null = null;
  const missed = (sentence: string, reason: CaseVoid['code']): never => {
    role.timeline.mark('deadline');
    throw new CaseVoid(reason, sentence);
  };
  return {
    part,
    role,
    parked: async () => {
      if (part.parkedAt !== null) await parked(role, part.parkedAt, prefix, limits.checkpoint_ms, reasons);
    },
    ended: async () => {
      if (!(await within(role.exited, limits.role_ms)))
        missed(`${name} did not end within ${limits.role_ms} ms.`, 'role-deadline');
      leftBehind = part.traced ? await leftUnderTracer(role, reapMs) : stillThere(role);
      if (leftBehind === null) missed('The tracer did not end with the role.', reasons.unproven);
    },
    reaped: async () => {
      if (!(await within(role.exited, Math.min(limits.role_ms, reapMs))))
        missed('The process was still alive after the kill.', reasons.unproven);
    },
    finish: async (whole) => {
      const struck = role.timeline.has('sigkill_sent');
      // What it left behind is killed once it has a name.
      if (leftBehind === null && role.timeline.has('exit_seen') && !struck) leftBehind = stillThere(role);
      if (!struck || !whole) killAll(role);
      const survivors = await survivorsOf(role, reapMs);
      if (survivors.length === 0) role.timeline.mark('group_empty');
      else killAll(role);
      const exit = await role.exited;
      // Descriptor 3 ends when the last holder is dead; a survivor that holds it must not hold the harness.
      await within(role.silent, 1000);
      return { part, role, exit, survivors, leftBehind: leftBehind ?? [] };
    },
  };
}

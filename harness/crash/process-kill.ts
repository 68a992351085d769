/**
 * Crash model: process crash, by SIGKILL.
 *
 * Fault model: every process of the role ends and runs no cleanup, those with a group of their own (its tools) right after the others;
 * what the kernel holds (page cache, files, sockets it closes) survives. This is not power loss, and nothing here claims it. A kill counts only if it was sent after the process was parked
 * and before its exit was seen, and the wait status is signal 9: a crash that did not happen proves nothing.
 */
import { CaseVoid } from '../errors.js';
import type { Place } from '../plan/types.js';
import { killBeyondGroup, type Reach } from '../process/end.js';
import { signal } from '../process/proc.js';
import { whyNotAnnounced } from './announced.js';
import type { CrashModel, Ended } from './model.js';

export interface ProcessKill {
  readonly model: 'process-kill';
  readonly at: Place;
}

export interface Target extends Reach {
  readonly pid: number;
}

/** `struck` is called at most once, with the moment just before the signal left. */
export type Strike = (target: Target, struck: (atNs: bigint) => void) => void;

/** The group dies first, then whoever left it by `setsid`: by the cgroup, or, where there is none, by session and environment. */
export const bySigkill: Strike = (target, struck) => {
  const atNs = process.hrtime.bigint();
  // Nobody to signal means that the process ended by itself: then no kill is on record.
  if (signal(-target.pgid, 'SIGKILL')) struck(atNs);
  killBeyondGroup(target);
};

export function processKillBy(strike: Strike): CrashModel<ProcessKill> {
  return {
    reasons: { exited: 'exited-before-kill', unproven: 'kill-not-proven' },
    cast: ({ at }) => [{ member: null, parkedAt: at }],
    play: async (scene, cast) => {
      for (const part of cast) {
        const actor = scene.start(part);
        await actor.parked();
        strike(actor.role, (atNs) => actor.role.timeline.mark('sigkill_sent', atNs));
        await actor.reaped();
      }
    },
    doubt: (all, { at }) => all.map((one) => doubtAbout(one, at)).find((doubt) => doubt !== null) ?? null,
  };
}

export const processKill = processKillBy(bySigkill);

function doubtAbout({ role, exit, part }: Ended, at: Place): CaseVoid | null {
  const parkedAs = at.at === 'held' ? 'held' : 'announced';
  if (!role.timeline.before(parkedAs, 'sigkill_sent')) return unproven('No SIGKILL was sent after the process was parked.');
  if (!role.timeline.before('sigkill_sent', 'exit_seen')) return unproven('The exit was seen before SIGKILL was sent.');
  if (exit.signal !== 'SIGKILL') return unproven(`The process ended by ${exit.signal ?? `exit ${exit.code}`}, not by SIGKILL.`);
  const why = whyNotAnnounced(role, part);
  return why === null ? null : unproven(`The process went on after it had announced: ${why}.`);
}

function unproven(sentence: string): CaseVoid {
  return new CaseVoid('kill-not-proven', sentence);
}

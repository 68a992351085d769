/**
 * Crash model: process crash before a system call. A tracer kills the role before the nth call of a name on a durable file, or only watches.
 *
 * Fault model: process crash between two system calls, inside a commit too. The harness sends nothing: that the kill was before this call
 * and no other is the tracer's own word, whose last line is that call without a result. A tracer that killed nobody, or elsewhere, proves
 * nothing; nor does a role whose calls came from several threads, since each of them is counted for itself.
 */
import { CaseVoid } from '../errors.js';
import type { Traced } from '../plan/types.js';
import { callsOf, type TraceLine } from './trace-text.js';
import type { CrashModel, Ended } from './model.js';

export interface TracedRun {
  readonly model: 'traced';
  readonly traced: Traced;
  /** What the tracer wrote of the process, as it is kept. */
  readonly trace: (pid: number) => TraceLine[];
}

export const traced: CrashModel<TracedRun> = {
  reasons: { exited: 'kill-not-proven', unproven: 'kill-not-proven' },
  cast: () => [{ member: null, parkedAt: null, traced: true }],
  play: async (scene, cast) => {
    for (const part of cast) await scene.start(part).ended();
  },
  doubt: (all, run) => all.map((one) => doubtAbout(one, run)).find((doubt) => doubt !== null) ?? null,
};

function doubtAbout({ role, exit }: Ended, { traced: { call, dies }, trace }: TracedRun): CaseVoid | null {
  const lines = trace(role.pid);
  const end = lines.at(-1);
  const calls = lines.filter((line) => line.call !== null);
  if (end === undefined || end.call !== null) return unproven('The tracer did not tell how the role ended.');
  if (calls.some(({ pid }) => pid !== role.pid)) return unproven('Another thread than the first one wrote to the state.');
  const open = calls.filter(({ result }) => result === '?');
  if (!dies) {
    if (exit.signal !== null || open.length > 0)
      return unproven(`The process was to run to its end, and ended by ${exit.signal ?? `exit ${exit.code}`}.`);
    return null;
  }
  if (exit.signal !== 'SIGKILL') return unproven(`The process ended by ${exit.signal ?? `exit ${exit.code}`}, not by SIGKILL.`);
  if (end.result !== 'killed by SIGKILL') return unproven(`The tracer tells another end: ${end.result}.`);
  const count = callsOf(calls).filter(({ name }) => name === call?.name).length;
  const last = calls.at(-1);
  const isThere = open.length === 1 && last === open[0] && last?.call?.name === call?.name && count === call?.nth;
  return isThere ? null : unproven(`The tracer did not kill before ${call?.name} ${call?.nth}.`);
}

function unproven(sentence: string): CaseVoid {
  return new CaseVoid('kill-not-proven', sentence);
}

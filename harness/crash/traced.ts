/**
 * Crash models under a tracer: it kills the role before the nth call of a name on a durable file, has that call fail, or only watches.
 *
 * Fault model of `traced`: process crash between two system calls, inside a commit too. The harness sends nothing: that the kill was before
 * this call and no other is the tracer's own word, whose last line is that call without a result. Fault model of `faulted`: the call fails
 * without having been carried out, once or from then on, and the role ends by itself as it will; the tracer marks each call that it had fail.
 * A tracer that did nothing, or elsewhere, proves nothing; nor does a role whose calls came from several threads, since each of them is
 * counted for itself.
 */
import { CaseVoid, type VoidReason } from '../errors.js';
import type { Traced } from '../plan/types.js';
import type { Exit } from '../process/spawn.js';
import { callsOf, type TraceLine } from './trace-text.js';
import type { CrashModel, Ended } from './model.js';

interface Run {
  readonly traced: Traced;
  /** What the tracer wrote of the process, as it is kept. */
  readonly trace: (pid: number) => TraceLine[];
}

export interface TracedRun extends Run {
  readonly model: 'traced';
}

export interface FaultedRun extends Run {
  readonly model: 'faulted';
}

export const traced: CrashModel<TracedRun> = underTracer('kill-not-proven');
export const faulted: CrashModel<FaultedRun> = underTracer('fault-not-proven');

function underTracer(reason: VoidReason): CrashModel<Run> {
  return {
    reasons: { exited: reason, unproven: reason },
    cast: () => [{ member: null, parkedAt: null, traced: true }],
    play: async (scene, cast) => {
      for (const part of cast) await scene.start(part).ended();
    },
    doubt: (all, run) => {
      const why = all.map((one) => doubtAbout(one, run)).find((doubt) => doubt !== null) ?? null;
      return why === null ? null : new CaseVoid(reason, why);
    },
  };
}

function doubtAbout({ role, exit }: Ended, { traced: plan, trace }: Run): string | null {
  const lines = trace(role.pid);
  const end = lines.at(-1);
  const calls = lines.filter((line) => line.call !== null);
  if (end === undefined || end.call !== null) return 'The tracer did not tell how the role ended.';
  if (calls.some(({ pid }) => pid !== role.pid)) return 'Another thread than the first one wrote to the state.';
  if (plan.reached && plan.fault === null) return doubtAboutKill(exit, end, calls, plan);
  if (exit.signal !== null || calls.some(({ result }) => result === '?'))
    return `The process was to run to its end, and ended by ${exit.signal ?? `exit ${exit.code}`}.`;
  return doubtAboutFault(calls, plan);
}

function doubtAboutKill(exit: Exit, end: TraceLine, calls: readonly TraceLine[], { call }: Traced): string | null {
  if (exit.signal !== 'SIGKILL') return `The process ended by ${exit.signal ?? `exit ${exit.code}`}, not by SIGKILL.`;
  if (end.result !== 'killed by SIGKILL') return `The tracer tells another end: ${end.result}.`;
  const open = calls.filter(({ result }) => result === '?');
  const count = callsOf(calls).filter(({ name }) => name === call?.name).length;
  const last = calls.at(-1);
  const isThere = open.length === 1 && last === open[0] && last?.call?.name === call?.name && count === call?.nth;
  return isThere ? null : `The tracer did not kill before ${call?.name} ${call?.nth}.`;
}

/** Exactly the planned calls failed by the tracer, of each of which it says so; where none is reached, none. */
function doubtAboutFault(calls: readonly TraceLine[], { call, fault, reached }: Traced): string | null {
  const named = calls.filter((line) => line.call?.name === call?.name);
  const from = (call?.nth ?? 0) - 1;
  if (reached && named.length <= from) return `The call ${call?.name} ${call?.nth} never came.`;
  const wanted = reached ? named.slice(from, fault?.lasting === true ? undefined : from + 1) : [];
  const isPlanned = (line: TraceLine): boolean => line.injected === (wanted.includes(line) ? fault?.error : null);
  if (calls.every(isPlanned)) return null;
  return reached
    ? `The tracer had other calls fail than ${call?.name} ${call?.nth}.`
    : 'The tracer had a call fail that was to succeed.';
}

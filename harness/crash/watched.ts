/**
 * Crash model: power loss. A tracer watches the role to its end and does nothing to it; what the machine might have kept of its work is
 * derived from the trace afterwards.
 *
 * Fault model: none while it runs. A trace that does not tell the end of the role is no trace of the whole of it.
 */
import { CaseVoid } from '../errors.js';
import type { CrashModel, Ended } from './model.js';

export interface Watched {
  readonly model: 'watched';
  /** What the tracer told of the end of the process; null where it told none. */
  readonly end: (pid: number) => string | null;
}

export const watched: CrashModel<Watched> = {
  reasons: { exited: 'trace-unmodelled', unproven: 'trace-unmodelled' },
  cast: () => [{ member: null, parkedAt: null, traced: true }],
  play: async (scene, cast) => {
    for (const part of cast) await scene.start(part).ended();
  },
  doubt: (all, { end }) => all.map((one) => doubtAbout(one, end)).find((doubt) => doubt !== null) ?? null,
};

function doubtAbout({ role, exit }: Ended, end: Watched['end']): CaseVoid | null {
  if (exit.signal !== null) return unmodelled(`The process was to run to its end, and ended by ${exit.signal}.`);
  if (end(role.pid) !== `exited with ${exit.code}`) return unmodelled('The tracer did not tell how the role ended.');
  return null;
}

function unmodelled(sentence: string): CaseVoid {
  return new CaseVoid('trace-unmodelled', sentence);
}

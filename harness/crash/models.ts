/**
 * The crash models: one line each. A plan names them, and what is in its plan picks the one of a snapshot.
 *
 * "crash-in-recovery" is not among them: it stands for snapshots that are killed or left alone like any other; so do "syscall-kill",
 * "io-fault" and "power-loss", for snapshots under a tracer.
 */
import type { PlannedSnapshot, Race, Zombie } from '../plan/types.js';
import type { CrashModel } from './model.js';
import { processKill, type ProcessKill } from './process-kill.js';
import { race } from './race.js';
import { faulted, type FaultedRun, traced, type TracedRun } from './traced.js';
import { undisturbed } from './undisturbed.js';
import { watched, type Watched } from './watched.js';
import { zombie } from './zombie.js';

export type Treatment = { readonly model: 'undisturbed' } | ProcessKill | TracedRun | FaultedRun | Watched | Race | Zombie;

export type CrashModels = { readonly [Model in Treatment['model']]: CrashModel<Extract<Treatment, { model: Model }>> };

export const crashModels: CrashModels = {
  undisturbed,
  'process-kill': processKill,
  traced,
  faulted,
  watched,
  race,
  zombie,
};

export function treatmentOf(
  { kill, crash, traced: tracer }: Pick<PlannedSnapshot, 'kill' | 'crash' | 'traced'>,
  trace: TracedRun['trace'],
  end: Watched['end'],
): Treatment {
  if (tracer?.family === 'persistence') return { model: 'watched', end };
  if (tracer !== null) return { model: tracer.fault === null ? 'traced' : 'faulted', traced: tracer, trace };
  return crash ?? (kill === null ? { model: 'undisturbed' } : { model: 'process-kill', at: kill });
}

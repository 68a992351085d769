/** What a tracer wrote of the role of a snapshot, and what it says about the points of a ratchet. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { linesOf, callsOf, type TraceLine } from '../crash/trace-text.js';
import { CaseVoid } from '../errors.js';
import type { Call } from '../plan/syscall-kill.js';
import type { Places } from './context.js';

/** What a tracer prints as it is, so that a path can be found again in its words. */
const plainPath = /^[A-Za-z0-9/._ +,@=:()[\]-]+$/;

/** `noTracing`: why no role can be traced on this machine; null where one can. */
export function demandTraceable({ live }: Pick<Places, 'live'>, noTracing: string | null): void {
  const why =
    noTracing ??
    (plainPath.test(realpathOf(live)) ? null : 'the path of the output folder has a character that the tracer rewrites');
  if (why !== null) throw new CaseVoid('mechanism-missing', `No system call can be traced here: ${why}.`);
}

/** The folder is made later; what lies above it is there. */
function realpathOf(live: string): string {
  return join(realpathSync(dirname(live)), basename(live));
}

/** Empty where no tracer ever wrote. */
export function traceOf({ trace, live }: Pick<Places, 'trace' | 'live'>, pid: number, volatile: readonly string[]): TraceLine[] {
  if (!existsSync(trace)) return [];
  return linesOf(readFileSync(trace, 'utf8'), [...new Set([live, realpathSync(live)])], volatile, pid);
}

/** The calls that a kept trace tells of. */
export function keptCalls({ folder }: Pick<Places, 'folder'>): Call[] {
  return callsOf(linesOf(readFileSync(join(folder, 'trace.txt'), 'utf8'), [], [], 0));
}

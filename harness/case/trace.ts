/** What a tracer wrote of the role of a snapshot, and what it says about the points of a ratchet. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { linesOf, callsOf, type TraceLine } from '../crash/trace-text.js';
import { CaseVoid } from '../errors.js';
import { linesIn, writeLines } from '../io/lines.js';
import type { Call } from '../plan/syscall-kill.js';
import { keptTrace } from '../power-loss/kept-trace.js';
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

/** In the tracer's words; null where it told of none. */
export function endIn({ trace }: Pick<Places, 'trace'>, pid: number): string | null {
  if (!existsSync(trace)) return null;
  const end = new RegExp(`^${pid} +\\+\\+\\+ (.+) \\+\\+\\+$`, 'm').exec(tailOf(trace));
  return end?.[1] ?? null;
}

/** Threads that end with the process tell so behind it. */
const tailBytes = 64 * 1024;

function tailOf(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, tailBytes));
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(descriptor);
  }
}

/** Where the role was, besides its state folder. */
export interface Told {
  readonly pid: number;
  readonly answer: string;
  readonly providerUrl: string;
}

/** All that decides what a power loss may leave; such a trace can be larger than the memory. */
export function keepItems(
  { trace, live, folder }: Places,
  { pid, answer, providerUrl }: Told,
  volatile: readonly string[],
): void {
  const raw = existsSync(trace) ? linesIn(trace) : [];
  const watched = {
    pid,
    folders: [...new Set([live, realpathSync(live)])],
    answers: [...new Set([answer, realpathOf(answer)])],
    volatile,
    prefix: new URL(providerUrl).pathname.replace(/\/$/, ''),
  };
  writeLines(join(folder, 'trace.txt'), keptTrace(raw, watched));
}

/** The calls that a kept trace tells of. */
export function keptCalls({ folder }: Pick<Places, 'folder'>): Call[] {
  return callsOf(linesOf(readFileSync(join(folder, 'trace.txt'), 'utf8'), [], [], 0));
}

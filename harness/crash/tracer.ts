/**
 * The tracer (strace): its command line, for a role that is watched, killed before one of its system calls, or for which one fails.
 *
 * `-D` leaves the spawned pid the role's own. The kill comes before the call executes, from the kernel's side of the call: the role can
 * neither see nor delay it. A call that is to fail is not carried out, and the role is told the error. Calls are counted by name and thread, and only those on the given paths; so the role does with one thread
 * what it would hand to a pool. `--seccomp-bpf` would be faster, and silently kills nobody.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { syscalls } from '../contract/data.js';
import type { Traced } from '../plan/types.js';
import { tracerName } from '../process/end.js';

/** What the role needs so that its calls are those of one thread. */
export const tracedEnvironment = { UV_THREADPOOL_SIZE: '1', UV_USE_IO_URING: '0' };

/** A longer one is cut, which is seen. */
const longestText = 1_048_576;

export interface Traceable {
  readonly file: string;
  readonly args: readonly string[];
}

/** `out` is where the tracer writes; `state` is the folder whose calls count. */
export function underTracer({ file, args }: Traceable, traced: Traced, state: string, out: string): Traceable {
  const { family, paths } = traced;
  // A name that this architecture lacks is no mistake.
  const names = syscalls[family].map((name) => `?${name}`).join(',');
  const folders = new Set([state, realpathSync(state)]);
  const counted =
    traced.call === null ? [] : [...folders].flatMap((folder) => paths.flatMap((path) => ['-P', join(folder, path)]));
  // What a file holds decides what a power loss may leave of it.
  const texts = family === 'persistence' ? ['-x', '-s', String(longestText)] : ['-s', '0'];
  const told = [
    '-D',
    '-f',
    '-q',
    '-y',
    ...texts,
    '-e',
    'signal=SIGKILL',
    '-e',
    `trace=${names}`,
    ...counted,
    ...injected(traced),
  ];
  return { file: tracerName, args: [...told, '-o', out, '--', file, ...args] };
}

function injected({ call, fault }: Traced): string[] {
  if (call === null) return [];
  const what = fault === null ? 'signal=SIGKILL' : `error=${fault.error}`;
  return ['-e', `inject=${call.name}:${what}:when=${call.nth}${fault?.lasting === true ? '+' : ''}`];
}

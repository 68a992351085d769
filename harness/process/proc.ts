/**
 * What `/proc` tells about processes: identity, life and death.
 *
 * `kill(pid, 0)` is never used: it counts a zombie as alive. A pid alone names nobody, since pids are reused; pid and start
 * time together name one process of one boot.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessFacts {
  readonly pid: number;
  readonly state: string;
  readonly pgid: number;
  readonly session: number;
  readonly startTicks: string;
}

/** Null when there is no such process. The command name may hold spaces and brackets, so fields are counted after the last one. */
export function processFacts(pid: number): ProcessFacts | null {
  return factsIn(`/proc/${pid}/stat`, pid);
}

function factsIn(path: string, pid: number): ProcessFacts | null {
  let stat: string;
  try {
    stat = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, state: fields[0] ?? '', pgid: Number(fields[2]), session: Number(fields[3]), startTicks: fields[19] ?? '' };
}

export function isLiving(facts: ProcessFacts | null): boolean {
  return facts !== null && facts.state !== 'Z' && facts.state !== 'X';
}

/** The state of every thread of a process, which can be another than its leader's; empty when there is no such process. */
export function threadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => factsIn(`/proc/${pid}/task/${thread}/stat`, pid)?.state ?? []);
  } catch {
    return [];
  }
}

/**
 * Living processes of a role: those of its group, those of its session, and those that carry its nonce in their environment. A child with
 * a group of its own stays in the session; one with a session of its own, as a tool is run, keeps the environment.
 */
export function livingOf(leader: number, nonce: string): number[] {
  return allPids().filter((pid) => {
    const facts = processFacts(pid);
    return isLiving(facts) && (facts?.pgid === leader || facts?.session === leader || carriesNonce(pid, nonce));
  });
}

export function carriesNonce(pid: number, nonce: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`KILLPOINT_NONCE=${nonce}`);
  } catch {
    return false;
  }
}

/** The name of the program that a process runs, as the kernel keeps it; empty when there is no such process. */
export function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return '';
  }
}

export function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Signals one process or group (negative); one that is already gone is no error. */
export function signal(target: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

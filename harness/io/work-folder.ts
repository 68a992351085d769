/**
 * A folder for what is no evidence, private to one process and gone with it.
 *
 * Fault model: SIGKILL of that process. What it leaves has its owner in its name, so that the next process which makes such a folder in the same
 * place takes it away: by pid and start time, since a pid alone is given to somebody else later. What a living process owns stays, and so does
 * what belongs to another user, or to another pid namespace, of whose processes nothing is known here.
 */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface WorkFolder {
  readonly path: string;
  remove(): void;
}

const owned = /^\.?killpoint-[a-z]+-(\d+)-(\d+)-(\d+)-[A-Za-z0-9]{6}$/;

/** `name` begins with `killpoint-`, or with a dot and that. */
export function makeWorkFolder(home: string, name: string): WorkFolder {
  removeAbandoned(home);
  const path = mkdtempSync(join(home, `${name}-${namespace()}-${process.pid}-${startOf(process.pid) ?? 0}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return { path, remove };
}

/** What cannot be taken away is in nobody's way. */
function removeAbandoned(home: string): void {
  for (const name of namesIn(home)) {
    const [, of, pid, start] = owned.exec(name) ?? [];
    if (pid === undefined || of !== namespace() || startOf(Number(pid)) === start) continue;
    try {
      const path = join(home, name);
      const facts = lstatSync(path);
      if (facts.isDirectory() && facts.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}

function namesIn(home: string): string[] {
  try {
    return readdirSync(home);
  } catch {
    return [];
  }
}

/** The number of the pid namespace that this process sees; 0 where none is told. */
function namespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** When a living process started, in ticks since the start of the machine; null where there is none. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

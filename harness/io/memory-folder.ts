/**
 * A private folder in memory, where there is a file system for that: thousands of small states are written to it and read once.
 *
 * It goes with the process, unless that is killed by SIGKILL; then it is lost with the next start of the machine.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const tmpfsType = 0x01021994;

export interface MemoryFolder {
  readonly path: string;
  remove(): void;
}

export function makeMemoryFolder(name: string): MemoryFolder {
  const path = mkdtempSync(join(home(), `${name}-${process.pid}-`));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(path, { recursive: true, force: true });
  };
  process.once('exit', remove);
  return { path, remove };
}

function home(): string {
  try {
    if (statfsSync(memory).type !== tmpfsType) return tmpdir();
    rmSync(mkdtempSync(join(memory, 'killpoint-')), { recursive: true });
    return memory;
  } catch {
    return tmpdir();
  }
}

/**
 * A private folder in memory, where there is a file system for that: thousands of small states are written to it and read once.
 */
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { makeWorkFolder, type WorkFolder } from './work-folder.js';

const tmpfsType = 0x01021994;

export function makeMemoryFolder(name: string): WorkFolder {
  return makeWorkFolder(memoryHome(), name);
}

/** A folder in memory that this process may make folders in; else where temporary files go. */
export function memoryHome(memory = '/dev/shm'): string {
  try {
    if (statfsSync(memory).type !== tmpfsType) return tmpdir();
    makeWorkFolder(memory, 'killpoint-probe').remove();
    return memory;
  } catch {
    return tmpdir();
  }
}

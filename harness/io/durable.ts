/**
 * Files that must survive: synchronous writes, and the directory entry synced after the file.
 *
 * Fault model: power loss after the call returned. A rename without a sync of its directory was measured to come back old.
 * Work files of a case are not synced one by one; nothing is claimed about them until the whole bag is synced and renamed.
 */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes all bytes (a write may be short) and syncs the file; the directory is the caller's. */
export function writeSynced(path: string, data: string | Uint8Array, flags: 'w' | 'wx' = 'wx'): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  const descriptor = openSync(path, flags);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Old or new, never half: temporary file, sync, rename, sync of the directory. */
export function writeAtomic(path: string, data: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeSynced(temporary, data, 'w');
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncPath(dirname(path));
}

/** Syncs every file and then its directory, deepest first, so that no entry is durable before what it names. */
export function syncTree(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncPath(path);
  }
  syncPath(root);
}

/**
 * Durable names: a file's content and its entry in the directory are two promises, and each needs its own sync.
 *
 * Fault model: power loss. Without the directory's sync a new file, a renamed one or a removed journal may come back as it was,
 * though every byte of the content was synced. All calls are synchronous: nothing may land after a process was parked.
 */
import * as fs from 'node:fs';
import { dirname } from 'node:path';

type Calls = Pick<typeof fs, 'openSync' | 'closeSync' | 'writeSync' | 'fsyncSync' | 'renameSync'>;

/** Syncs a directory's entries. */
export function syncDirectory(directory: string, files: Calls = fs): void {
  syncFile(directory, files);
}

/** Syncs the content of a file or directory that no connection of this process has open. */
export function syncFile(path: string, files: Calls = fs): void {
  const descriptor = files.openSync(path, 'r');
  try {
    files.fsyncSync(descriptor);
  } finally {
    files.closeSync(descriptor);
  }
}

/** Makes the directory and what is missing above it; every directory that got a new entry is synced. */
export function makeDirectory(directory: string): void {
  const firstMade = fs.mkdirSync(directory, { recursive: true });
  if (firstMade === undefined) return;
  for (let made = directory; ; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === firstMade || made === dirname(made)) return;
  }
}

/** Writes a file so that a reader finds the old content or the new, whole, and the new once this returned. */
export function writeAtomically(path: string, content: string | Buffer, files: Calls = fs): void {
  const temporary = `${path}.new`;
  // What a kill left is not written over: a link there would lead out of the folder.
  fs.rmSync(temporary, { force: true });
  const descriptor = files.openSync(temporary, 'wx');
  try {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    for (let written = 0; written < bytes.length;) written += files.writeSync(descriptor, bytes, written);
    files.fsyncSync(descriptor);
  } finally {
    files.closeSync(descriptor);
  }
  files.renameSync(temporary, path);
  syncDirectory(dirname(path), files);
}

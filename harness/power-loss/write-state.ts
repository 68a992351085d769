/** Writes a derived state into a folder, which holds nothing else afterwards. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, unlinkSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, type Content } from './content.js';

/** What the system takes at once. */
const mostBuffers = 1024;

export function writeState(files: ReadonlyMap<string, Content>, folder: string): void {
  for (const name of namesIn(folder)) remove(join(folder, name));
  for (const [name, content] of files) {
    const descriptor = openSync(join(folder, name), 'wx');
    try {
      const buffers = bytesOf(content);
      for (let at = 0; at < buffers.length; at += mostBuffers) writeAll(descriptor, buffers.slice(at, at + mostBuffers));
    } finally {
      closeSync(descriptor);
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    mkdirSync(folder, { recursive: true });
    return [];
  }
}

/** Almost always a file, which goes at once. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    rmSync(path, { recursive: true });
  }
}

/** A write may be short. */
function writeAll(descriptor: number, buffers: readonly Buffer[]): void {
  const size = buffers.reduce((sum, { length }) => sum + length, 0);
  let done = writevSync(descriptor, buffers);
  if (done === size) return;
  const bytes = Buffer.concat(buffers);
  while (done < size) done += writeSync(descriptor, bytes, done);
}

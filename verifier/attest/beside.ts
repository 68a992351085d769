/**
 * Where signed statements lie: beside the bag, since a bag that held its own signature would have another root hash.
 *
 * Fault model: process crash and power loss after the call returned. A file is old or new, never half.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { InputError } from '../errors.js';
import type { Kind } from './statement.js';

const endings: Readonly<Record<Kind, string>> = { result: '.sigstore.json', matrix: '.matrix.sigstore.json' };

export function pathBeside(bag: string, kind: Kind): string {
  return `${resolve(bag)}${endings[kind]}`;
}

export function writeBeside(path: string, text: string): void {
  // A name that nobody can have foreseen, and none that is there: a link that somebody put there would lead elsewhere.
  const temporary = `${path}.${randomUUID()}.tmp`;
  let isOurs = false;
  try {
    const descriptor = openSync(temporary, 'wx', 0o644);
    isOurs = true;
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    if (isOurs) rmSync(temporary, { force: true });
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new InputError('unwritable', `The signed statement ${path} could not be written (${code}).`);
  }
}

function syncFolder(path: string): void {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

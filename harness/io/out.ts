/**
 * The place where bundles go, looked at before anything starts: a run of minutes must not end at a folder that cannot be made.
 *
 * Folders are made one by one: `mkdir` with `recursive` was seen to spin for ever below `/proc`, deaf to every signal but SIGKILL.
 */
import { accessSync, constants, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, HarnessError } from '../errors.js';
import { makeWorkFolder } from './work-folder.js';

/** `what` goes there, and `option` names the place. */
export function demandWritableOut(out: string, what = 'Bundles', option = '--out'): void {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HarnessError('usage', `${what} cannot go to ${out}: ${why}. Choose another ${option}.`, { cause });
  };
  const existing = nearestExisting(out);
  if (!statSync(existing).isDirectory()) return refuse(`${existing} is not a folder`);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    return refuse(codeOf(error) === 'EROFS' ? `${existing} is read-only` : `this user may not write in ${existing}`, error);
  }
  // Nothing is there, and yet a link may lead nowhere, or the name be none.
  const [isLink, error] = linkAt(out);
  if (error === 'ENAMETOOLONG') return refuse('the name is too long');
  if (error !== null) return refuse(`it cannot be looked at (${error})`);
  if (isLink && existing !== resolve(out)) return refuse('it is a symbolic link that leads nowhere');
  try {
    // Some file systems (`/proc`) let everybody write, by the modes, and nobody make a folder.
    makeWorkFolder(existing, '.killpoint-out').remove();
  } catch (error) {
    return refuse(`no folder can be made in ${existing} (${codeOf(error) ?? String(error)})`, error);
  }
}

/** Whether it is one, and why that cannot be told. */
function linkAt(path: string): [boolean, string | null] {
  try {
    return [lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true, null];
  } catch (error) {
    return [false, codeOf(error) ?? String(error)];
  }
}

/** Makes a folder and those above it that are missing; one that is there already is left alone. */
export function makeFolder(path: string): void {
  const existing = nearestExisting(path);
  const missing = path.slice(existing.length).split('/').filter(Boolean);
  missing.reduce((folder, name) => {
    const next = join(folder, name);
    try {
      mkdirSync(next);
    } catch (error) {
      // Another run with the same --out came first.
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return next;
  }, existing);
}

export function nearestExisting(path: string): string {
  for (let at = resolve(path); ; at = dirname(at)) {
    if (existsSync(at) || at === dirname(at)) return at;
  }
}

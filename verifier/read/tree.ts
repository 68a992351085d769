/**
 * A folder as a map from path to bytes, read once and never opened in place. Links, devices and empty folders have no bytes to
 * hash, so they are listed apart and G1 forbids them. Everything after this file works on the map alone: a mutant needs no disk.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { InputError } from '../errors.js';

export interface Tree {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths that a bundle may not hold, with the kind of thing found there. */
  readonly forbidden: readonly { path: string; what: string }[];
  /** Files that are there but could not be read: nothing is known about them. */
  readonly unreadable: readonly string[];
}

export function readTree(root: string): Tree {
  let isFolder: boolean;
  try {
    isFolder = statSync(root).isDirectory();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'not-found' : 'unreadable';
    throw new InputError(code, code === 'not-found' ? `There is no folder ${root}.` : `The folder ${root} cannot be read.`, {
      cause,
    });
  }
  if (!isFolder) throw new InputError('not-a-folder', `A bundle is a folder; ${root} is not one.`);
  const tree = {
    files: new Map<string, Buffer>(),
    forbidden: [] as { path: string; what: string }[],
    unreadable: [] as string[],
  };
  try {
    walk(root, '', tree);
  } catch (cause) {
    throw new InputError('unreadable', 'A folder of the bundle cannot be read.', { cause });
  }
  return tree;
}

function walk(
  folder: string,
  prefix: string,
  tree: { files: Map<string, Buffer>; forbidden: { path: string; what: string }[]; unreadable: string[] },
): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.length === 0 && prefix !== '') tree.forbidden.push({ path: prefix.slice(0, -1), what: 'an empty folder' });
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) walk(`${folder}/${entry.name}`, `${path}/`, tree);
    else if (entry.isFile()) read(`${folder}/${entry.name}`, path, tree);
    else tree.forbidden.push({ path, what: entry.isSymbolicLink() ? 'a link' : 'neither a file nor a folder' });
  }
}

function read(from: string, path: string, tree: { files: Map<string, Buffer>; unreadable: string[] }): void {
  try {
    tree.files.set(path, readFileSync(from));
  } catch {
    tree.unreadable.push(path);
  }
}

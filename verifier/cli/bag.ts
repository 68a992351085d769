/**
 * Tells a bundle from a folder that is none, before anything is read. What has lost a part is a bundle still, and is judged: only where nothing
 * of a bag is there was another folder named, and 32 unknown claims about it would say less than one sentence.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../errors.js';
import { readTree, type Tree } from '../read/tree.js';

const partsOfABag = ['bagit.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt', join('data', 'plan.json')];

export function readBag(root: string): Tree {
  if (isFolder(root) && !partsOfABag.some((name) => isThere(join(root, name))))
    throw new InputError(
      'not-a-bundle',
      `${root} is no bundle: it has no bagit.txt. Name the folder that killpoint run printed.`,
    );
  return readTree(root);
}

/** What cannot be looked at is refused by whoever reads it, in other words. */
function isFolder(root: string): boolean {
  try {
    return lstatSync(`${root}/.`).isDirectory();
  } catch {
    return false;
  }
}

/** What may not be looked at may be there: absence is proved, or it is none. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR';
  }
}

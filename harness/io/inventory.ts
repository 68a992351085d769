/**
 * Lists and copies a folder of plain files.
 *
 * A subject's state is untrusted: links, devices and names outside `[A-Za-z0-9._/-]` are refused, because a bundle could not carry
 * them. Volatile files (locks, shared-memory indexes) are neither listed nor copied: opening a lock file and closing it again
 * would drop the owner's lock.
 */
import { constants, copyFileSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Process } from '../contract/types.js';
import { CaseVoid } from '../errors.js';
import { sha256 } from './canonical.js';

export type Inventory = Process['live_inventory'];

/** Paths below `root`, sorted by code unit, volatile ones left out. */
export function filesBelow(root: string, volatile: readonly string[] = []): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (volatile.includes(path)) continue;
      if (!/^[A-Za-z0-9._-]+$/.test(name))
        throw new CaseVoid('harness-error', `The name ${JSON.stringify(path)} cannot be carried by a bundle.`);
      const facts = lstatSync(join(root, path));
      if (facts.isDirectory()) visit(path);
      else if (facts.isFile()) found.push(path);
      else throw new CaseVoid('harness-error', `${path} is neither a file nor a folder; a bundle cannot carry it.`);
    }
  };
  visit('');
  return found.sort((left, right) => (left < right ? -1 : 1));
}

export function inventoryOf(root: string, volatile: readonly string[] = []): Inventory {
  return filesBelow(root, volatile).map((path) => {
    const bytes = readFileSync(join(root, path));
    return { path, size: bytes.length, sha256: sha256(bytes) };
  });
}

export type CopyState = (from: string, to: string, volatile: readonly string[]) => void;

/** Copies by reference where the file system can (FICLONE), by bytes elsewhere. Only ever called when the writer is proven dead. */
export const copyState: CopyState = (from, to, volatile) => {
  mkdirSync(to, { recursive: true });
  for (const path of filesBelow(from, volatile)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(from, path), join(to, path), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
};

/** A bag has no empty folders: git could not keep them. */
export function pruneEmptyFolders(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(root, entry.name);
    pruneEmptyFolders(path);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}

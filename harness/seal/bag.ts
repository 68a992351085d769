/**
 * Seals a folder as a BagIt 1.0 bag, durably, and puts it in its place by one rename.
 *
 *   bagit.txt  bag-info.txt  manifest-sha256.txt (data/…)  tagmanifest-sha256.txt (the other three)
 *
 * Fault model: process crash, power loss, a full disk. Until the rename nothing has the name of a bundle; after it every file and every
 * directory entry is synced. What fails on the way stays in the `.partial` folder for a person to look at.
 */
import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HarnessError } from '../errors.js';
import { sha256 } from '../io/canonical.js';
import { syncPath, syncTree, writeSynced } from '../io/durable.js';
import { filesBelow, pruneEmptyFolders } from '../io/inventory.js';

/** Returns the root hash: the SHA-256 of `tagmanifest-sha256.txt`, which pins everything. */
export function sealBag(bag: string, runId: string, date: string): string {
  pruneEmptyFolders(bag);
  let bytes = 0;
  const payload = filesBelow(join(bag, 'data')).map((path) => {
    const content = readFileSync(join(bag, 'data', path));
    bytes += content.length;
    return `${sha256(content)}  data/${path}\n`;
  });
  const tags: [string, string][] = [
    ['bag-info.txt', `Bagging-Date: ${date}\nExternal-Identifier: ${runId}\nPayload-Oxum: ${bytes}.${payload.length}\n`],
    ['bagit.txt', 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'],
    ['manifest-sha256.txt', payload.join('')],
  ];
  for (const [name, text] of tags) writeSynced(join(bag, name), text);
  const tagManifest = tags.map(([name, text]) => `${sha256(text)}  ${name}\n`).join('');
  writeSynced(join(bag, 'tagmanifest-sha256.txt'), tagManifest);
  syncTree(bag);
  return sha256(tagManifest);
}

/** Seal and publish in one step; any failure is one sentence that says where the remains are. */
export function publishBag(partial: string, bundle: string, runId: string, date: string): string {
  try {
    const root = sealBag(join(partial, 'bag'), runId, date);
    renameSync(join(partial, 'bag'), bundle);
    syncName(bundle, join(partial, 'bag'));
    return root;
  } catch (error) {
    throw new HarnessError(
      'seal-failed',
      `The bundle could not be sealed (${plainReason(error)}); what was recorded is in ${partial}.`,
      { cause: error },
    );
  }
}

/** A name that may be gone after a power loss is none: a bag that cannot be promised has no place among the bundles. */
function syncName(bundle: string, before: string): void {
  try {
    syncPath(dirname(bundle));
  } catch (error) {
    renameSync(bundle, before);
    throw error;
  }
}

export function plainReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return 'no space left on the device';
  if (code === 'EDQUOT') return 'the disk quota is used up';
  if (code === 'EACCES' || code === 'EPERM') return 'this user may not write there';
  if (code === 'EROFS') return 'the file system is read-only';
  if (code === 'EIO') return 'the device failed';
  return message;
}

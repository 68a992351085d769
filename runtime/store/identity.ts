/**
 * Which file a path names: device and inode, as one text.
 *
 * A lock belongs to a file, not to its name. Where the file under a name was moved, deleted or replaced (a restored copy, say), an
 * owner's lock and its open connection go on working on a file that nobody will ever open again; only the name can tell.
 */
import * as fs from 'node:fs';

/** Null where nothing is there. Opens nothing, and follows no link: whoever comes next would refuse one. */
export function identityOf(path: string, files: Pick<typeof fs, 'lstatSync'> = fs): string | null {
  const found = files.lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** What is there, a link not followed; null where nothing is. Opens nothing: opening a pipe would wait for ever. */
export function kindOf(path: string): string | null {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return null;
  if (found.isFile()) return 'a file';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

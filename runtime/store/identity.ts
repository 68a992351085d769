/**
 * Which file a path names: device and inode, as one text.
 *
 * A lock belongs to a file, not to its name. Where the file under a name was moved, deleted or replaced (a restored copy, say), an
 * owner's lock and its open connection go on working on a file that nobody will ever open again; only the name can tell.
 */
import * as fs from 'node:fs';

/** Null where nothing is there. Opens nothing. */
export function identityOf(path: string): string | null {
  const found = fs.statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}

/** Refuses by a sentence what is there and is no regular file: opening a pipe would wait for ever, and a link leads elsewhere. */
export function irregular(path: string): string | null {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return null;
  return `${path} is ${found.isSymbolicLink() ? 'a link' : 'not a file'}`;
}

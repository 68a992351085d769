/** What a folder holds. */
import * as fs from 'node:fs';
import { readError } from './read-error.js';

/** Null where it is proved that there is no such folder. */
export function namesIn(directory: string): string[] | null {
  try {
    return fs.readdirSync(directory);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw readError(directory, cause);
  }
}

/** As above; of each what it is, a link not followed. */
export function entriesIn(directory: string): fs.Dirent[] | null {
  try {
    return fs.readdirSync(directory, { withFileTypes: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw readError(directory, cause);
  }
}

/**
 * What the system says of a path that a person gave, or of what lies below it: a refusal in one sentence, never a defect of ours.
 */
import { lstatSync, type Stats } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf, HarnessError } from '../errors.js';
import { within } from './installation.js';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'has a part that is not a folder',
  EISDIR: 'is a folder',
  EEXIST: 'is there already',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  EROFS: 'lies on a file system that is read-only',
  ELOOP: 'goes through symbolic links that cannot be followed',
  ENAMETOOLONG: 'is too long a name',
  ENOSPC: 'has no space left',
  EDQUOT: 'has no space left for this user',
};

/** They tell of the process or the machine, whatever path it was. */
const ofNoPath: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);

/** Null where the error is another one. `given`: the words of a command line, of which some are paths or end in one behind a `=`. */
export function refusalOfGiven(error: unknown, given: readonly string[]): HarnessError | null {
  const code = codeOf(error);
  const { path, dest } = error as { path?: unknown; dest?: unknown };
  if (code === null || ofNoPath.has(code)) return null;
  const named = given.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]).filter((word) => !/^(?:-.*)?$/.test(word));
  const isNamed = (at: string): boolean => named.some((word) => within(resolve(word), at));
  const at = [path, dest]
    .map((one) => (typeof one === 'string' ? resolve(one) : null))
    .find((one) => one !== null && isNamed(one));
  if (at === undefined || at === null) return null;
  return refusal(at, code, error);
}

/** Undefined where nothing is there; links are not followed. */
export function factsOfGiven(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR') return undefined;
    throw code === null ? error : refusal(path, code, error);
  }
}

function refusal(path: string, code: string, cause: unknown): HarnessError {
  const said = words[code] ?? `cannot be used (${code})`;
  return new HarnessError('usage', `${path} ${said}. Check the path and its permissions, or give another one.`, { cause });
}

/**
 * The feature floor: every feature that a log of this folder may require, durable before the first frame that does.
 *
 * An older program that looks at the floor refuses before it reads a frame, and so before it takes a frame that it cannot read for damage.
 * The floor only grows. Processes raise it one after another, under a lock of its own, since several sessions may share one floor; a name
 * that another process put there is synced once here before it is relied on, and so is a file that was put in its place.
 */
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { canonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { SessionError } from '../core/refusals.js';
import { parseObject } from '../../core/untrusted-json.js';
import { makeDirectory, syncDirectory, syncFile, writeAtomically } from '../../store/directory-sync.js';
import { identityOf } from '../../store/identity.js';
import { demandRegular, readError, systemCode } from '../../store/read-error.js';
import { readFeatures } from '../core/records.js';
import { reasonOf, systemFiles, type Files } from './files.js';
import { underLock } from './floor-lock.js';
import { damaged, newer } from './refusal.js';

export const floorName = 'wal-feature-floor';
export const floorLockName = `${floorName}.lock`;
const version = 'feature-floor/v1';
const sizeMax = 1 << 16;
const featurePattern = /^[a-z][a-z0-9-]{0,63}\/v[0-9]{1,4}$/;

/** By floor, the names of which this process knows that they are durable, in the file that had them then. */
const proved = new Map<string, { identity: string | null; names: ReadonlySet<string> }>();

/** The names on the floor of a folder, none where there is no floor. Refuses one that names what this version does not read. */
export function readFloor(folder: string): string[] {
  const path = join(folder, floorName);
  const bytes = bytesOf(path);
  if (bytes === null) return [];
  const names = parseObject(bytes)?.['features'];
  const isFloor = Array.isArray(names) && names.every((name) => typeof name === 'string' && featurePattern.test(name));
  if (!isFloor || !bytes.equals(Buffer.from(textOf(new Set(names as string[])))))
    throw damaged(path, null, 'it is not a feature floor');
  const unread = (names as string[]).filter((name) => !readFeatures.has(name));
  if (unread.length > 0) throw newer(path, unread, null);
  return names as string[];
}

/** Returns once all names are on the floor, durably. Where that fails, nothing may be appended that requires one of them. */
export function raiseFloor(folder: string, names: readonly string[], files: Files = systemFiles): void {
  const path = join(resolve(folder), floorName);
  const known = proved.get(path);
  const isProved = known !== undefined && known.identity !== null && known.identity === identityOf(path);
  if (isProved && names.every((name) => known.names.has(name))) return;
  try {
    makeDirectory(folder);
    underLock(join(folder, floorLockName), () => {
      const there = readFloor(folder);
      const union = new Set([...there, ...names]);
      if (union.size > there.length) writeAtomically(path, textOf(union), files);
      else {
        syncFile(path, files);
        syncDirectory(folder, files);
      }
      proved.set(path, { identity: identityOf(path), names: union });
    });
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw new SessionError(
      'log-failed',
      `The feature floor ${path} could not be raised to ${names.join(', ')} (${reasonOf(cause)}). Nothing was appended; check the folder and the space on it.`,
      { cause },
    );
  }
}

function textOf(names: ReadonlySet<string>): string {
  return `${canonical({ features: [...names].sort(), version })}\n`;
}

function bytesOf(path: string): Buffer | null {
  if (!demandRegular(path)) return null;
  try {
    if (fs.statSync(path).size > sizeMax) throw damaged(path, null, 'it is too large for a feature floor');
    return fs.readFileSync(path);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return null;
    throw systemCode(cause) === null ? cause : readError(path, cause);
  }
}

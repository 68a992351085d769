/**
 * Takes a role's answer into the bag, byte for byte.
 *
 * The file is the subject's, and untrusted: a link could carry a file of this machine into the bundle, a FIFO would block the harness.
 */
import { lstatSync, writeFileSync } from 'node:fs';
import { CaseVoid } from '../errors.js';
import { limits, readPlainFile } from '../io/read.js';

/** False when there is no answer. */
export function keepAnswer(from: string, to: string): boolean {
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return false;
  let bytes: Buffer;
  try {
    bytes = readPlainFile(from, limits.answer, { follow: false });
  } catch (error) {
    throw new CaseVoid('harness-error', `The answer of the role cannot be taken: ${(error as Error).message}.`, { cause: error });
  }
  writeFileSync(to, bytes, { flag: 'wx' });
  return true;
}

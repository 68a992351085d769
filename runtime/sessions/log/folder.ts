/**
 * The folder of a session: whose it is, and how it is made.
 *
 * `format.json` is written last and is the commit point of a creation: a folder without it is one that nobody was told of, and a second
 * creation may finish it, unless its log holds more than its name. A read error is never "nothing there".
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { sessionLogV1 } from '../../contract/data.js';
import { validateFormat } from '../../contract/validators.js';
import { canonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { parseObject } from '../../core/untrusted-json.js';
import { writeAtomically } from '../../store/directory-sync.js';
import { leaseName } from '../../store/lease.js';
import { demandRegular, readError, systemCode } from '../../store/read-error.js';
import { namesIn } from '../../store/names.js';
import { reasonOf, type Files } from './files.js';
import { floorLockName, floorName } from './floor.js';
import { damaged, missing } from './refusal.js';
import { scanLog } from './scan.js';

export const logName = sessionLogV1.file;
const formatName = 'format.json';
const format = { product: 'killpoint', storage: sessionLogV1.storage, subject: 'sessions' } as const;
const ours: ReadonlySet<string> = new Set([
  leaseName,
  logName,
  floorName,
  floorLockName,
  ...[formatName, logName, floorName].map((name) => `${name}.new`),
]);

/** Whether the folder holds a session whose creation was finished. Refuses a folder of something else. */
export function isMade(folder: string): boolean {
  const names = namesIn(folder);
  if (names?.includes(formatName)) {
    demandFormat(folder);
    return true;
  }
  if (names !== null && !names.every((name) => ours.has(name)))
    throw new RuntimeError(
      'directory-foreign',
      `${folder} is no session: it holds other things and no ${formatName}. Name another folder.`,
    );
  return false;
}

/** Refuses a folder that holds no finished session. */
export function demandMade(folder: string): void {
  if (isMade(folder)) return;
  const names = namesIn(folder);
  if (names === null || names.length === 0)
    throw new RuntimeError('state-absent', `There is no session in ${folder}. Check the path, or ask to create one.`);
  throw new RuntimeError(
    'state-unfinished',
    `The creation of the session in ${folder} never finished, or its ${formatName} was lost. Restore that file, or ask to create the session again.`,
  );
}

/** Writes the log and then the format record, each under another name first. Asked for by whoever holds the lease. */
export function finishCreation(folder: string, lineage: Buffer, files: Files): void {
  const path = join(folder, logName);
  if (demandRegular(path)) demandNothing(path, files);
  writing(folder, () => writeAtomically(path, lineage, files));
  writing(folder, () => writeAtomically(join(folder, formatName), `${canonical(format)}\n`, files));
}

/** Says in one sentence why a folder could not be made. */
export function writing<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw new RuntimeError(
      'state-unwritable',
      `${folder} cannot be made (${reasonOf(cause)}). No record is in it; check its place and the space on it.`,
      { cause },
    );
  }
}

function demandNothing(path: string, files: Files): void {
  const { lastSeq } = scanLog(path, () => {}, files);
  if (lastSeq > 1)
    throw new RuntimeError(
      'directory-foreign',
      `${path} holds ${lastSeq} frames, but its ${formatName} is missing. Restore that file from a copy.`,
    );
}

function demandFormat(folder: string): void {
  const path = join(folder, formatName);
  const bytes = formatBytes(path);
  const found = parseObject(bytes);
  if (found === null) throw damaged(path, null, 'it is not JSON');
  if (found['product'] !== format.product)
    throw new RuntimeError(
      'directory-foreign',
      `${folder} belongs to another product. Name another folder; this one was left alone.`,
    );
  const storage = String(found['storage']);
  if (storage !== 'ledger/v1' && storage !== format.storage)
    throw new RuntimeError(
      'version-newer',
      `${folder} is stored as ${storage}, which this version cannot read. Update killpoint.`,
    );
  if (!validateFormat(found) || !bytes.equals(Buffer.from(`${canonical(found)}\n`)))
    throw damaged(path, null, 'it is not a format record');
  if (storage !== format.storage)
    throw new RuntimeError(
      'directory-foreign',
      `${folder} holds ${storage}, not a session. Open it with the runtime that made it.`,
    );
}

function formatBytes(path: string): Buffer {
  try {
    demandRegular(path);
    return fs.readFileSync(path);
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw systemCode(cause) === 'ENOENT' ? missing(path, cause) : readError(path, cause);
  }
}

/**
 * A private copy of a session's folder, made while nobody owns it.
 *
 * A log can be read in place and nothing would change; the copy is what makes that sure, whatever a reader does. An owner could write
 * meanwhile: its lease is asked before and after, and what its files say of themselves must be the same.
 */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OwnerAlive, RuntimeError } from '../../core/errors.js';
import { floorName } from '../../sessions/log/floor.js';
import { demandMade, logName } from '../../sessions/log/folder.js';
import { missing } from '../../sessions/log/refusal.js';
import { ownerAlive } from '../../store/lease.js';
import { demandAccess, readError, saysExhausted, systemCode } from '../../store/read-error.js';

/** Copies into a folder that is empty, and returns it. Throws `OwnerAlive`. */
export function copyOfSession(state: string, copy: string): string {
  const folder = resolve(state);
  demandMade(folder);
  const before = stateOf(folder);
  for (const name of ['format.json', logName, floorName]) {
    const path = join(folder, name);
    if (demandAccess(path, 'read')) copyFile(path, join(copy, name));
    else if (name === logName) throw missing(path);
  }
  if (stateOf(folder) !== before) throw new OwnerAlive(folder);
  return copy;
}

function copyFile(from: string, to: string): void {
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
    // A copy inherits the mode, and evidence may be read-only.
    fs.chmodSync(to, 0o600);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'ENOENT') throw new OwnerAlive(dirname(from));
    if (saysExhausted(cause) || code === 'EIO') throw readError(from, cause);
    // What may be read was asked before: it is the copy that was refused.
    throw new RuntimeError(
      'state-unwritable',
      `The copy ${to} cannot be made (${code ?? String(cause)}). ${from} was left alone; name another scratch folder, or make room.`,
      { cause },
    );
  }
}

/** What changes when somebody writes. Throws while somebody may. */
function stateOf(folder: string): string {
  if (ownerAlive(folder)) throw new OwnerAlive(folder);
  const told = [logName, floorName].map((name) => {
    const found = fs.statSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return told.join('\n');
}

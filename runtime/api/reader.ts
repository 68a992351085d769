/**
 * A look at a state folder that changes no byte of it.
 *
 * Opening a ledger folds its log in, and even a read-only connection touches its shared memory file; so the files are copied and
 * the copy is opened. A living owner could write during the copy: its lease is asked first.
 */
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import type { WorkState } from '../contract/types.js';
import { OwnerAlive, RuntimeError } from '../core/errors.js';
import type { LedgerEvent } from '../core/events.js';
import { projectWorkState } from '../core/work-state.js';
import type { Settings } from '../store/connection.js';
import { ownerAlive } from '../store/lease.js';
import type { StoredArtifact } from '../store/ledger.js';
import { ledgerName, namesIn, openStateFolder, readFormat } from '../store/state-folder.js';
import { demandDirectory } from './config.js';

export interface ReaderOptions {
  /** The state folder to look at. */
  directory: string;
  /** A private folder for the copy; it is made if it is absent, and it is the caller's to remove. */
  scratch: string;
}

export interface Reader {
  settings: Settings;
  /** The work state of every task, in ledger order. */
  workStates(): WorkState[];
  events(): readonly LedgerEvent[];
  /** Sorted by hash. */
  artifacts(): StoredArtifact[];
  artifact(sha256: string): Buffer | null;
  close(): void;
}

/** Throws `OwnerAlive` while somebody acts on the folder, and what `openRuntime` throws for a folder that cannot be used. */
export function openReader(options: ReaderOptions): Reader {
  demandDirectory(options.directory);
  const directory = resolve(options.directory);
  // Not by asking whether the folder exists: what may not be looked at would pass for absent.
  if (namesIn(directory) === null) throw new RuntimeError('state-absent', `There is no folder ${directory}. Check the path.`);
  readFormat(directory);
  const copy = resolve(options.scratch);
  const before = stateOf(directory);
  copyState(directory, copy);
  // An owner may have come, and even gone, during the copy.
  if (stateOf(directory) !== before) throw new OwnerAlive(directory);
  const { ledger } = openStateFolder(copy, false);
  const { history } = ledger;
  return {
    settings: ledger.settings,
    workStates: () => [...history.tasks.keys()].map((taskId) => projectWorkState(history, taskId) as WorkState),
    events: () => history.events,
    artifacts: () => ledger.artifacts(),
    artifact: (sha256) => ledger.artifact(sha256),
    close: () => ledger.close(),
  };
}

/** What changes when somebody writes. Throws while somebody may. */
function stateOf(directory: string): string {
  if (ownerAlive(directory)) throw new OwnerAlive(directory);
  const told = [ledgerName, `${ledgerName}-wal`].map((name) => {
    const found = fs.statSync(join(directory, name), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs}`;
  });
  return told.join('\n');
}

function copyState(directory: string, copy: string): void {
  fs.mkdirSync(copy, { recursive: true });
  if (fs.readdirSync(copy).length > 0) throw new RuntimeError('input-invalid', `The scratch folder ${copy} is not empty.`);
  for (const name of ['format.json', ledgerName, `${ledgerName}-wal`]) {
    const from = join(directory, name);
    try {
      fs.copyFileSync(from, join(copy, name));
      // A copy inherits the mode, and evidence may be read-only.
      fs.chmodSync(join(copy, name), 0o600);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT' && name.endsWith('-wal')) continue;
      if (code === 'ENOENT')
        throw new RuntimeError('ledger-missing', `The folder is there and ${from} is not. Restore it from a copy.`, { cause });
      throw new RuntimeError('state-unreadable', `${from} cannot be read (${code}). Nothing was changed.`, { cause });
    }
  }
}

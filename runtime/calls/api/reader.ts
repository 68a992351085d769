/**
 * A look at a state folder that changes no byte of it.
 *
 * Opening a ledger folds its log in, and even a read-only connection touches its shared memory file; so the files are copied and
 * the copy is opened. A living owner could write during the copy: its lease is asked first.
 */
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { WorkState } from '../../contract/types.js';
import { demandMembers } from '../../core/demands.js';
import { OwnerAlive, RuntimeError } from '../../core/errors.js';
import type { LedgerEvent } from '../core/events.js';
import { projectWorkState } from '../core/work-state.js';
import type { Settings } from '../ledger/connection.js';
import { ownerAlive } from '../../store/lease.js';
import type { StoredArtifact } from '../ledger/ledger.js';
import { demandAccess, ledgerMissing, readError, systemCode } from '../../store/read-error.js';
import { demandMade, ledgerName, openStateFolder, readFormat } from '../ledger/state-folder.js';
import { demandDirectory, demandText } from './config.js';

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

/**
 * Throws `OwnerAlive` while somebody acts on the folder, `lease-unreadable` where that cannot be told, `state-unwritable` where the copy cannot
 * be made, and what `openRuntime` throws for a folder that cannot be used. It asks for no lock on the ledger, so one that is locked
 * without the lease is read as it is on disk.
 */
export function openReader(options: ReaderOptions): Reader {
  demandMembers('options', options, ['directory', 'scratch'], '');
  demandDirectory(options.directory);
  demandText('scratch', options.scratch);
  const directory = resolve(options.directory);
  demandMade(directory);
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
    const path = join(directory, name);
    try {
      const found = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs}`;
    } catch (cause) {
      throw readError(path, cause);
    }
  });
  return told.join('\n');
}

function copyState(directory: string, copy: string): void {
  if (copying(copy, copy, () => namesInNew(copy)).length > 0)
    throw new RuntimeError('input-invalid', `The scratch folder ${copy} is not empty.`);
  for (const name of ['format.json', ledgerName, `${ledgerName}-wal`]) {
    const from = join(directory, name);
    if (!demandAccess(from, 'read')) {
      if (name.endsWith('-wal')) continue;
      throw ledgerMissing(from);
    }
    copying(from, copy, () => {
      fs.copyFileSync(from, join(copy, name));
      // A copy inherits the mode, and evidence may be read-only.
      fs.chmodSync(join(copy, name), 0o600);
    });
  }
}

function namesInNew(folder: string): string[] {
  fs.mkdirSync(folder, { recursive: true });
  return fs.readdirSync(folder);
}

/** What may be read was asked before; so what is refused now is the copy, unless the system says that it is not. Gone meanwhile: somebody acts. */
function copying<T>(from: string, copy: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EMFILE' || code === 'ENFILE' || code === 'EIO') throw readError(from, cause);
    if (code === 'ENOENT') throw new OwnerAlive(dirname(from));
    throw new RuntimeError(
      'state-unwritable',
      `The copy in ${copy} cannot be made (${code ?? String(cause)}). ${from} was left alone; name another scratch folder, or make room.`,
      { cause },
    );
  }
}

/**
 * Why a file of a state folder could not be read, or not written. Each kind has a code of its own, since each is put right in another way, and none of them
 * says that nothing is there.
 *
 * SQLite has one code, SQLITE_CANTOPEN, for a file that may not be read, one that is gone and a process without descriptors; so the
 * system is asked again. It is asked by what opens no file of ours: to close a descriptor would drop the locks that this process may hold
 * on the same file.
 */
import * as fs from 'node:fs';
import { devNull } from 'node:os';
import { RuntimeError } from '../core/errors.js';
import { kindOf } from './identity.js';

/** What SQLite can have open at once for one database: the file, its log, the log's index; and a folder that it syncs. */
const openAtOnce = 4;
const noDescriptor: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);
const refusesWrites: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);
const otherKind: ReadonlySet<string> = new Set(['ENOTDIR', 'EISDIR', 'ELOOP', 'ENXIO', 'ENODEV']);

/** The system's name of a failure (`EACCES`), or null for what the system did not say. */
export function systemCode(cause: unknown): string | null {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** True where a process, or the machine, has no descriptor left. */
export function saysExhausted(cause: unknown): boolean {
  return noDescriptor.has(systemCode(cause) ?? '');
}

export function ledgerMissing(path: string, cause?: unknown): RuntimeError {
  return new RuntimeError(
    'ledger-missing',
    `The folder is there and its ledger is not: ${path}. Restore it; it is not started anew.`,
    { cause },
  );
}

/** What a system call on a path of a state folder says. */
export function readError(path: string, cause: unknown): RuntimeError {
  const code = systemCode(cause) ?? String(cause);
  if (saysExhausted(cause)) return withoutDescriptors(path, code, cause);
  if (otherKind.has(code)) {
    const what =
      code === 'ENOTDIR' ? 'is not a folder, or lies below what is none' : 'is not the kind of file that belongs there';
    return new RuntimeError(
      'state-wrong-kind',
      `${path} ${what} (${code}). Nothing was changed; name another path, or put the right file there.`,
      { cause },
    );
  }
  return new RuntimeError(
    'state-unreadable',
    `${path} cannot be read (${code}). Nothing was changed; check its permissions and those of the folders above it.`,
    { cause },
  );
}

/** What a system call says on a path that may be read, and would have been written to. */
export function writeError(path: string, cause: unknown): RuntimeError {
  return new RuntimeError(
    'state-unwritable',
    `${path} cannot be written (${systemCode(cause) ?? String(cause)}). Nothing was changed; check its permissions, those of its folder, and whether it lies on a read-only file system.`,
    { cause },
  );
}

/** Why a file could not be opened to be read and written: one that can only be read is not unreadable. */
export function updateError(path: string, cause: unknown): RuntimeError {
  return refusesWrites.has(systemCode(cause) ?? '') && mayBe(path, fs.constants.R_OK)
    ? writeError(path, cause)
    : readError(path, cause);
}

function mayBe(path: string, mode: number): boolean {
  try {
    fs.accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Refuses a link, a pipe, a device, a socket or a folder in the place of a file, before it is opened. False where nothing is there. */
export function demandRegular(path: string): boolean {
  try {
    const kind = kindOf(path);
    if (kind === null) return false;
    if (kind === 'a file') return true;
    throw new RuntimeError(
      'state-wrong-kind',
      `${path} is ${kind}, not a file. It was not opened; put the file itself there, from a copy.`,
    );
  } catch (cause) {
    throw cause instanceof RuntimeError ? cause : readError(path, cause);
  }
}

/** Refuses what is there and may not be used: read, or read and written. False where nothing is there. */
export function demandAccess(path: string, mode: 'read' | 'write'): boolean {
  if (!demandRegular(path)) return false;
  try {
    fs.accessSync(path, mode === 'read' ? fs.constants.R_OK : fs.constants.R_OK | fs.constants.W_OK);
    return true;
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return false;
    throw mode === 'read' ? readError(path, cause) : updateError(path, cause);
  }
}

/** Refuses a folder in which a file that is not there yet could not be made. */
export function demandRoom(folder: string): void {
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    throw updateError(folder, cause);
  }
}

/** The error of a process that can open no file, or too few; null for any other. To be asked before what failed gives its descriptors back. */
export function exhausted(path: string, cause: unknown): RuntimeError | null {
  const held: number[] = [];
  try {
    while (held.length < openAtOnce) held.push(fs.openSync(devNull, 'r'));
  } catch (found) {
    if (saysExhausted(found)) return withoutDescriptors(path, systemCode(found), cause);
  } finally {
    for (const descriptor of held) fs.closeSync(descriptor);
  }
  return null;
}

function withoutDescriptors(path: string, code: string | null, cause: unknown): RuntimeError {
  const whose = code === 'ENFILE' ? 'the machine' : 'this process';
  return new RuntimeError(
    'files-exhausted',
    `${path} cannot be opened: ${whose} has too many open files (${code}). Nothing was recorded; close some or raise the limit, then try again.`,
    { cause },
  );
}

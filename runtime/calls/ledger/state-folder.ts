/**
 * A state folder: whose it is, whether it may be created, and how it is created.
 *
 * A folder is created only where it is proved to be absent or empty, and only for a caller who asked. A read error is never
 * "nothing there": a ledger that could not be read for a moment would be started anew, over the old one. `format.json` is written
 * last and is the commit point of a creation: a folder without it whose ledger holds no event is a creation that died, and a second
 * one may finish it. The ledger is built under another name, so that no journal of its first transaction can ever come back beside
 * the real one.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { validateFormat } from '../../contract/validators.js';
import type { Format } from '../../contract/types.js';
import { canonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { besideLedger, createLedgerFile, demandLedgerFiles } from './connection.js';
import { makeDirectory, syncDirectory, writeAtomically } from '../../store/directory-sync.js';
import { demandOwnFileSystem } from '../../store/file-system.js';
import { Lease, leaseName } from '../../store/lease.js';
import { Ledger } from './ledger.js';
import { demandRegular, exhausted, readError, saysExhausted, systemCode } from '../../store/read-error.js';
import { entriesIn, namesIn } from '../../store/names.js';

export const ledgerName = 'ledger.sqlite';
const formatName = 'format.json';
const ours: Format = { product: 'killpoint', storage: 'ledger/v1', subject: 'calls' };
const ourNames: ReadonlySet<string> = new Set([
  formatName,
  leaseName,
  ...['', ...besideLedger].map((suffix) => ledgerName + suffix),
]);
const oursAsBytes = Buffer.from(`${canonical(ours)}\n`);
const leftovers = new RegExp(
  `^(${leaseName}|${formatName}\\.new|${ledgerName}(\\.new)?(-journal|-wal|-shm)?)$`.replaceAll('.sqlite', '\\.sqlite'),
);

/** Opens the ledger of a folder, or creates both. A created folder comes with its lease: making it was an act. */
export function openStateFolder(directory: string, create: boolean): { ledger: Ledger; lease: Lease | null } {
  const entries = entriesIn(directory);
  const names = entries?.map(({ name }) => name) ?? null;
  demandOwnFileSystem(directory);
  if (entries !== null && names?.includes(formatName)) return { ledger: openLedger(directory, entries), lease: null };
  demandOurs(directory, names);
  if (!create) throw notCreated(directory, names);
  writing(directory, () => makeDirectory(directory));
  demandFiles(directory);
  const lease = Lease.take(directory);
  try {
    // Somebody else may have made it since we looked, and may have ended: then it is theirs, and is opened.
    if (!namesIn(directory)?.includes(formatName)) writing(directory, () => finishCreation(directory));
    return { ledger: openLedger(directory, null), lease };
  } catch (error) {
    lease.release();
    throw error;
  }
}

/** Refuses what is no state folder, or none that was finished, as opening it would. */
export function demandMade(directory: string): void {
  const names = namesIn(directory);
  if (names?.includes(formatName)) return;
  demandOurs(directory, names);
  throw notCreated(directory, names);
}

function demandOurs(directory: string, names: string[] | null): void {
  if (names === null || names.every((name) => leftovers.test(name))) return;
  throw new RuntimeError(
    'directory-foreign',
    `${directory} is not a state folder: it holds other things and no ${formatName}. Name another.`,
  );
}

/** Refuses a folder in which one of our names is a link, a pipe or a folder, before anything of it is opened. */
function demandFiles(directory: string): void {
  for (const name of ourNames) demandRegular(join(directory, name));
}

/** As above, of what a look at the folder has just told: only of what is no file is the system asked again, for its words. */
function demandFilesAmong(entries: readonly fs.Dirent[], directory: string): void {
  for (const entry of entries) if (!entry.isFile() && ourNames.has(entry.name)) demandRegular(join(directory, entry.name));
}

/** The format of a folder, verified to be one that this program reads. `entries`: what the folder holds, where that is known. */
export function readFormat(directory: string, entries: readonly fs.Dirent[] | null = null): Format {
  const path = join(directory, formatName);
  let bytes: Buffer;
  try {
    if (entries === null) demandFiles(directory);
    else demandFilesAmong(entries, directory);
    bytes = fs.readFileSync(path);
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    throw (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? new RuntimeError('directory-foreign', `${directory} is not a state folder: there is no ${formatName}. Name another.`, {
          cause,
        })
      : readError(path, cause);
  }
  if (bytes.equals(oursAsBytes)) return { ...ours };
  const format = parsedFormat(bytes);
  if (format.product !== 'killpoint')
    throw new RuntimeError(
      'directory-foreign',
      `${directory} belongs to another product. Name another folder; this one was left alone.`,
    );
  if (format.storage !== 'ledger/v1' && format.storage !== 'wal/v1')
    throw new RuntimeError(
      'version-newer',
      `${directory} is stored as ${String(format.storage)}, which this version cannot read. Update killpoint.`,
    );
  if (!validateFormat(format) || !bytes.equals(Buffer.from(`${canonical(format)}\n`)))
    throw new RuntimeError('ledger-damaged', `${path} is not a format record. Restore it from a copy.`);
  if (format.storage !== 'ledger/v1')
    throw new RuntimeError(
      'directory-foreign',
      `${directory} holds ${format.storage}, not a ledger. Open it with the runtime that made it.`,
    );
  return format;
}

function openLedger(directory: string, entries: readonly fs.Dirent[] | null): Ledger {
  readFormat(directory, entries);
  const path = join(directory, ledgerName);
  demandLedgerFiles(path);
  return Ledger.open(path);
}

function finishCreation(directory: string): void {
  const path = join(directory, ledgerName);
  if (demandRegular(path)) demandNoEvents(path);
  else {
    const temporary = `${path}.new`;
    for (const suffix of ['', ...besideLedger]) fs.rmSync(temporary + suffix, { force: true });
    createLedgerFile(temporary);
    fs.renameSync(temporary, path);
    syncDirectory(directory);
  }
  writeAtomically(join(directory, formatName), oursAsBytes);
}

function demandNoEvents(path: string): void {
  const ledger = Ledger.open(path);
  const { lastSeq } = ledger.history;
  ledger.close();
  if (lastSeq > 0)
    throw new RuntimeError(
      'directory-foreign',
      `${path} holds ${lastSeq} events, but its ${formatName} is missing. Restore that file from a copy.`,
    );
}

/** Runs what makes files, and says in one sentence why it could not. */
function writing(directory: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof RuntimeError) throw cause;
    // What SQLite says of a file that it could not open can mean either.
    const none = saysExhausted(cause) || systemCode(cause) === null ? exhausted(directory, cause) : null;
    if (none !== null) throw none;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new RuntimeError(
      'state-unwritable',
      `${directory} cannot be made (${code ?? message}). No event is in it; check its place and the space on it.`,
      { cause },
    );
  }
}

function notCreated(directory: string, names: string[] | null): RuntimeError {
  if (names === null || names.length === 0)
    return new RuntimeError('state-absent', `There is no ledger in ${directory}. Check the path, or ask to create one.`);
  return new RuntimeError(
    'state-unfinished',
    names.includes(ledgerName)
      ? `${directory} has a ledger and no ${formatName}: it was never finished, or that file was lost. Restore the file, or ask to create the folder again; that is refused where the ledger holds an event.`
      : `The creation of ${directory} never finished. Ask to create it again; no event is in it.`,
  );
}

function parsedFormat(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below, together with JSON that is no object.
  }
  throw new RuntimeError('ledger-damaged', `${formatName} is not JSON. Restore it from a copy.`);
}

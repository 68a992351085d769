/**
 * What may be on record, and durable, after a system call on a durable file failed: derived from the calls of the run in which none failed.
 * Pure.
 *
 * Up to the fault both runs make the same calls. A log is only appended to: what it holds was written by then, or by a call that the fault
 * left to succeed. How many entries a sync of the log makes durable is not in a trace; that each makes at least one is. Two kinds make none
 * and are not counted: the first of a process (SQLite syncs the header of a log that it begins; a session what it has read), and those of a
 * checkpoint, behind which the file itself is synced. Both numbers err on the side of the process.
 * Of a failed write no number is derived: a trace of writes tells no entries, and one of a ledger no transactions. It needs none. What is on
 * record afterwards was written before, unless the log was written to again.
 */
import type { CallPlace, Ratchet } from '../read/plan.js';
import type { TracedCall } from '../read/trace.js';

export interface Fault {
  readonly family: Ratchet['family'];
  readonly call: CallPlace;
  /** What entries are appended to, below the state folder. */
  readonly log: string;
  /** Of the run in which none failed, and of this one. */
  readonly calls: readonly TracedCall[];
  readonly made: readonly TracedCall[];
  /** How many entries there were before, or are in a state that was only made; and how many at the end of the run in which none failed. */
  readonly before: number;
  readonly whole: number;
}

export interface Limits {
  /** No more entries than this can be on record; null after a write of the log, which says no number. */
  readonly recorded: number | null;
  /** No more entries than this can have been durable when the process went on; null likewise. */
  readonly durable: number | null;
  /** The log was written to after the fault, and the call succeeded. */
  readonly wroteOn: boolean;
}

/** A truncation takes something back, and adds nothing. */
const cutting = new Set(['ftruncate', 'truncate']);
/** What makes a state, under the name that it is written under. */
const creation = /^(?:format\.json|ledger\.sqlite|session\.wal)\.new$/;
/** In this call something gets its name, or its first. */
const naming = /^(?:open|openat|creat|rename|renameat|renameat2|link|linkat)$/;

/** Where in a trace the planned call is; below zero where it is not. */
export function faultedAt(calls: readonly TracedCall[], { name, nth }: CallPlace): number {
  let count = 0;
  return calls.findIndex((call) => call.name === name && (count += 1) === nth);
}

/** By the first failed call on which something is built; null where there is none. */
export function limitsOf(fault: Fault): Limits | null {
  for (const at of failedIn(fault)) {
    const limits = limitsAt(fault, at);
    if (limits !== null) return limits;
  }
  return null;
}

/** The failed calls, by their places in the run in which none failed: one that fails in the other run, too, is the same call. */
function failedIn({ call: { name, nth }, calls, made }: Fault): number[] {
  const failed = made.filter((one) => one.name === name).slice(nth - 1);
  return failed.flatMap(({ injected, paths }, index) => {
    const at = faultedAt(calls, { name, nth: nth + index });
    return injected !== null && calls[at]?.paths.join() === paths.join() ? [at] : [];
  });
}

function limitsAt(fault: Fault, at: number): Limits | null {
  const { family, call, log, calls, made, before, whole } = fault;
  const failed = calls[at];
  if (failed === undefined || cutting.has(failed.name)) return null;
  if (makesState(failed, at, fault)) return { recorded: before, durable: before, wroteOn: false };
  const isOfLog = failed.paths.includes(log);
  if (family === 'writes' && isOfLog) {
    const later = made.slice(faultedAt(made, call) + 1);
    const wroteOn = later.some(({ name, paths, isDone }) => isDone && !cutting.has(name) && paths.includes(log));
    return { recorded: null, durable: null, wroteOn };
  }
  if (family !== 'syncs' || (isOfLog && isCheckpoint(calls, at, log))) return null;
  // All names wait for the last sync of the folder: an earlier one may be that of a library that takes no notice of it.
  if (!isOfLog && !(isFolder(failed) && at === calls.findLastIndex(isFolder))) return null;
  const syncs = appendingSyncs(calls, log);
  const recorded = Math.max(before, whole - syncs.filter((index) => index > at).length);
  // What this sync was for is in the file, and nobody may go by it.
  return { recorded, durable: syncs.includes(at) ? Math.max(before, recorded - 1) : recorded, wroteOn: false };
}

/** Without it there is no state yet: nothing may be recorded in it. */
function makesState({ name, paths }: TracedCall, at: number, { family, calls, log }: Fault): boolean {
  if (paths.some((path) => creation.test(path))) return family !== 'names' || naming.test(name);
  if (family !== 'syncs' || !isFolder({ paths })) return false;
  const first = calls.findIndex((call) => call.paths.includes(log));
  return at < (first < 0 ? calls.length : first);
}

function isFolder({ paths }: Pick<TracedCall, 'paths'>): boolean {
  return paths.every((path) => path === '');
}

/** The places of the syncs of the log that make an entry durable, as far as a trace can tell. */
function appendingSyncs(calls: readonly TracedCall[], log: string): number[] {
  const ofLog = calls.flatMap(({ paths }, index) => (paths.includes(log) ? [index] : []));
  let isFirst = true;
  return ofLog.filter((index) => {
    const wasFirst = isFirst;
    // After a checkpoint the log begins anew.
    isFirst = isCheckpoint(calls, index, log);
    return !wasFirst && !isFirst;
  });
}

function isCheckpoint(calls: readonly TracedCall[], at: number, log: string): boolean {
  const next = calls[at + 1];
  return next !== undefined && !isFolder(next) && !next.paths.includes(log) && !next.paths.some((path) => path.endsWith('.new'));
}

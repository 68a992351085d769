/**
 * Whether a trace of one family explains the state folder that its role left, from the one that it began with: what lies there was put there by a
 * call, and what a call did is to be seen there. Pure.
 *
 * A trace has one family of calls. Of names it tells all that happened to them: they are followed call by call. Of writes it tells no bytes and no
 * rename, but which bytes of which file were put: a file is known by its name and by the one that it is made under (`<name>.new`). A sync leaves
 * nothing to be seen: only that what was made, and the log that was appended to, was synced at all can be demanded.
 * What changed nothing in the folder (a call that failed, an open of what was there) is not missed here.
 */
import type { Ratchet } from '../read/plan.js';
import type { TracedCall } from '../read/trace.js';
import { isVolatile } from '../read/power-loss/files.js';

type Files = ReadonlyMap<string, Buffer>;

export interface TracedState {
  readonly family: Ratchet['family'];
  readonly calls: readonly TracedCall[];
  readonly before: Files;
  readonly after: Files;
  /** The file that entries are appended to, and whether some were. */
  readonly log: string;
  readonly appended: boolean;
  /** Of an armed run the tracer tells only of files with these names; null where it tells of all. */
  readonly told: ReadonlySet<string> | null;
  /** The run came to its own end, and nothing was done to its calls. */
  readonly whole: boolean;
}

/** In words; null where it does. */
export function whyUnexplained(state: TracedState): string | null {
  if (state.family === 'names') return namesWrong(state);
  return heldOpenWrong(state) ?? (state.family === 'writes' ? writesWrong(state) : syncsWrong(state));
}

/** Whoever was killed before a call on a descriptor had that file open, under that name: nobody can have taken it away since. */
function heldOpenWrong({ calls, after }: TracedState): string | null {
  const { isOpen = false, on = null } = calls.at(-1) ?? {};
  if (!isOpen || on === null || isVolatile(on) || after.has(on)) return null;
  return `The trace has ${on} open at its end, and it is gone.`;
}

/** What is written under a name of its own until it is whole. */
const made = '.new';
/** These are taken away and made again. */
const passing = /-(?:wal|journal)$/;

function namesWrong({ calls, before, after, told }: TracedState): string | null {
  const names = new Set(before.keys());
  const isKnown = (name: string): boolean => name === '' || isVolatile(name) || names.has(name);
  for (const { name, paths, mayChange } of calls.filter(({ isDone }) => isDone)) {
    const [from = '', to = ''] = paths;
    if (/^(?:open|openat|creat)$/.test(name) && mayChange) names.add(from);
    else if (/^(?:mkdir|rmdir|symlink)/.test(name)) continue;
    else if (!isKnown(from) && isTold(from, told)) return `The trace has a ${name} of ${from}, and nothing that made it.`;
    else if (/^(?:rename|unlink)/.test(name)) names.delete(from);
    if (/^(?:rename|link)/.test(name)) names.add(to);
  }
  names.delete('');
  const gone = [...names].find((name) => !after.has(name) && !isVolatile(name) && isTold(name, told));
  if (gone !== undefined) return `The trace has nothing that took ${gone} away, and it is gone.`;
  const come = [...after.keys()].find((name) => !names.has(name) && isTold(name, told));
  return come === undefined ? null : `The trace has nothing that made ${come}, and it is there.`;
}

function writesWrong(state: TracedState): string | null {
  const { calls, before, after, told, log, appended, whole } = state;
  const puts = calls.filter(({ put, paths }) => put !== null && paths.includes(log));
  if (whole && appended && puts.length === 0) return `The trace has no write of ${log}, and entries were appended.`;
  const making = calls.filter(({ put, paths }) => put !== null && paths.includes(log + made));
  if (calls.every(({ injected }) => injected === null) && hasHole([...making, ...puts], before.get(log)?.length ?? 0))
    return `The trace has a write of ${log} behind a place that nothing was written to.`;
  for (const [name, bytes] of after) {
    if (!isTold(name, told)) continue;
    const own = calls.filter(({ paths }) => paths.includes(name));
    const anew = calls.filter(({ paths }) => paths.includes(name + made));
    const old = before.get(name) ?? Buffer.alloc(0);
    if (!isCovered(bytes, old, [...anew, ...own]))
      return `${name} holds bytes that no write of the trace put there, and that it did not hold before.`;
    if (passing.test(name) || name.endsWith(made) || anew.some((call) => calls.indexOf(call) > calls.indexOf(own[0] ?? call)))
      continue;
    const least = own.reduce((size, call) => sizeAfter(size, call), anew.length > 0 ? 0 : old.length);
    if (own.length > 0 && bytes.length < least) return `The trace makes ${name} longer than it is.`;
  }
  return null;
}

function syncsWrong({ calls, before, after, log, appended, whole }: TracedState): string | null {
  if (!whole) return null;
  const isSynced = (name: string): boolean => calls.some(({ isDone, paths }) => isDone && paths.includes(name));
  const lost = [...after].find(
    ([name, { length }]) => length > 0 && !before.has(name) && !passing.test(name) && !isSynced(name) && !isSynced(name + made),
  );
  if (lost !== undefined) return `The trace has no sync of ${lost[0]}, which was made.`;
  return appended && !isSynced(log) ? `The trace has no sync of ${log}, and entries were appended.` : null;
}

function isTold(name: string, told: ReadonlySet<string> | null): boolean {
  return told === null || told.has(name) || told.has(name + made);
}

/** A log is written from its end on, or anew from its front. */
function hasHole(puts: readonly TracedCall[], length: number): boolean {
  let end = length;
  return puts.some(({ put }) => {
    const at = put?.at ?? end;
    const isBehind = at > end;
    end = Math.max(end, at + (put?.bytes ?? 0));
    return isBehind;
  });
}

function sizeAfter(size: number, { put, size: cut }: TracedCall): number {
  if (cut !== null) return cut;
  // Bytes without a place may have been put over others.
  return put === null || put.at === null || put.bytes === Number.MAX_SAFE_INTEGER ? size : Math.max(size, put.at + put.bytes);
}

/** Each byte was put by a call, or is as it was. */
function isCovered(bytes: Buffer, old: Buffer, calls: readonly TracedCall[]): boolean {
  const ranges: [from: number, to: number][] = [];
  let end = old.length;
  for (const { put, size } of calls) {
    // What a truncation makes longer it fills with zeros.
    if (size !== null && size > end) ranges.push([end, size]);
    // Bytes without a place may lie anywhere up to where all of them lead.
    if (put !== null) ranges.push(put.at === null ? [0, end + put.bytes] : [put.at, put.at + put.bytes]);
    end = size ?? Math.max(end, (put?.at ?? end) + (put?.bytes ?? 0));
  }
  ranges.sort(([left], [right]) => left - right);
  let place = 0;
  const isOld = (to: number): boolean =>
    to <= place || (to <= old.length && bytes.subarray(place, to).equals(old.subarray(place, to)));
  for (const [from, to] of ranges) {
    if (!isOld(Math.min(from, bytes.length))) return false;
    place = Math.max(place, to);
  }
  return isOld(bytes.length);
}

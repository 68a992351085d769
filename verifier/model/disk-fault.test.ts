import { describe, expect, it } from 'vitest';
import type { TracedCall } from '../read/trace.js';
import { type Fault, limitsOf } from './disk-fault.js';

const log = 'session.wal';
const call = (name: string, ...paths: string[]): TracedCall => ({
  ...{ name, paths: paths.length === 0 ? [''] : paths, pid: 7, mayChange: true },
  ...{ on: null, isOpen: false, isDone: true, injected: null, isSick: false, put: null, size: null },
});
const failing = (one: TracedCall): TracedCall => ({ ...one, isDone: false, injected: 'EIO' });

/** The nth call of a name fails, and each of `then` follows. */
function fault(
  calls: readonly TracedCall[],
  name: string,
  nth: number,
  more: Partial<Fault> = {},
  then: TracedCall[] = [],
): Fault {
  const at = calls.findIndex(
    (one, index) => one.name === name && calls.slice(0, index + 1).filter((two) => two.name === name).length === nth,
  );
  const made = [...calls.slice(0, at), ...calls.slice(at, at + 1).map(failing), ...then];
  return { family: 'syncs', call: { name, nth }, log, calls, made, before: 1, whole: 15, ...more };
}

const synced = call('fdatasync', log);
const creation = [call('fsync', 'session.wal.new'), call('fsync'), call('fsync', 'format.json.new'), call('fsync')];
/** What a session of which each record is synced does: what it has read, three records, and the folder behind the first. */
const session = [...creation, synced, synced, call('fsync'), synced, synced];

describe('a sync of the log that failed', () => {
  it.each([
    [1, 'of what was read: each of three that did not come had a record', { recorded: 12, durable: 12 }],
    [2, 'of the first record: it may be there, and nobody may go by it', { recorded: 13, durable: 12 }],
    [4, 'of the last record', { recorded: 15, durable: 14 }],
  ])('%i, %s', (nth, _what, limits) => {
    expect(limitsOf(fault(session, 'fdatasync', nth))).toEqual({ ...limits, wroteOn: false });
  });

  it('takes nothing from what was there before', () => {
    expect(limitsOf(fault(session, 'fdatasync', 1, { before: 13 }))).toMatchObject({ recorded: 13, durable: 13 });
  });
});

describe('a ledger', () => {
  const wal = 'ledger.sqlite-wal';
  const commit = call('fsync', wal);
  const checkpoint = [commit, call('fsync', 'ledger.sqlite')];
  // The header of the log and the folder, by SQLite; a commit, the folder; two commits, a checkpoint; the header, a commit; a checkpoint.
  const calls = [commit, call('fsync'), commit, call('fsync'), commit, commit, ...checkpoint, commit, commit, ...checkpoint];
  const at = (nth: number, then: TracedCall[] = []) =>
    limitsOf(fault(calls, 'fsync', nth, { log: wal, before: 0, whole: 14 }, then));

  it.each([
    [1, 'the header of its log: all commits follow', { recorded: 10, durable: 10 }],
    [3, 'its first commit', { recorded: 11, durable: 10 }],
    [6, 'its third commit: one more followed a checkpoint', { recorded: 13, durable: 12 }],
    [9, 'the header of a log that begins anew', { recorded: 13, durable: 13 }],
  ])('of which sync %i failed, %s', (nth, _what, limits) => {
    expect(at(nth)).toEqual({ ...limits, wroteOn: false });
  });

  it.each([
    [2, 'the folder, of which another sync tells later'],
    [7, 'the log, for a checkpoint'],
    [8, 'the file, for a checkpoint'],
  ])('of which sync %i failed, %s: nothing is built on it', (nth) => expect(at(nth)).toBeNull());

  it('of which every sync fails is judged by the first on which something is built', () => {
    expect(at(2, [failing(commit)])).toMatchObject({ recorded: 11, durable: 10 });
  });

  it('whose folder told no more is judged by the last commit before', () => {
    expect(at(4)).toMatchObject({ recorded: 11, durable: 11 });
  });
});

describe('a call without which there is no state', () => {
  it.each([1, 2, 3, 4])('leaves nothing on record: sync %i of the creation', (nth) => {
    expect(limitsOf(fault(session, 'fsync', nth))).toEqual({ recorded: 1, durable: 1, wroteOn: false });
  });

  it('is a write or a name of it as well, and no removal', () => {
    const names = [
      call('openat', 'format.json.new'),
      call('rename', 'format.json.new', 'format.json'),
      call('unlink', 'format.json.new'),
    ];
    const limits = (name: string) => limitsOf(fault(names, name, 1, { family: 'names' }));
    expect([limits('openat'), limits('rename')]).toMatchObject([{ recorded: 1 }, { recorded: 1 }]);
    expect(limits('unlink')).toBeNull();
    expect(limitsOf(fault([call('write', 'format.json.new')], 'write', 1, { family: 'writes' }))).toMatchObject({ recorded: 1 });
  });
});

describe('a write of the log that failed', () => {
  const write = call('pwrite64', log);
  const wrote = (...then: TracedCall[]) =>
    limitsOf(fault([write, write, write], 'pwrite64', 2, { family: 'writes' }, then))?.wroteOn;

  it('was the last one', () => {
    expect([wrote(), wrote(failing(write)), wrote(call('pwrite64', 'ledger.sqlite'))]).toEqual([false, false, false]);
    expect(wrote(write)).toBe(true);
  });

  it('may be taken back', () => expect(wrote(call('ftruncate', log))).toBe(false));

  it('of a truncation, or of another file, is none on which something is built', () => {
    expect(limitsOf(fault([call('ftruncate', log)], 'ftruncate', 1, { family: 'writes' }))).toBeNull();
    expect(limitsOf(fault([call('pwrite64', 'ledger.sqlite')], 'pwrite64', 1, { family: 'writes' }))).toBeNull();
  });
});

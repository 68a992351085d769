/**
 * Races, zombies and crashes in recovery, with real processes: what is recorded of good ones.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Group, Process } from '../contract/types.js';
import { validateAnswer, validateCase, validateGroup, validateProcess } from '../contract/validators.js';
import { parseCanonical, sha256 } from '../io/canonical.js';
import { filesBelow } from '../io/inventory.js';
import type { RunResult } from '../run.js';
import { atIntent, killedCase, race, readJson, recovery, zombie } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();

describe('what is recorded', () => {
  let result: RunResult;
  const input = { by: 'someone', note: 'found the answer in a log' };
  const place = (...path: string[]): string => join(result.bundle, 'data', 'cases', 'case', ...path);
  const group = (snapshot: string): Group => readJson(place(snapshot, 'group.json')) as unknown as Group;
  const process_ = (...path: string[]): Process => readJson(place(...path, 'process.json')) as unknown as Process;
  const moments = (...path: string[]): string[] => process_(...path).timeline.map(({ what }) => what);
  const at = (facts: Process, what: string): bigint =>
    BigInt(facts.timeline.find((entry) => entry.what === what)?.monotonic_ns ?? 'missing');
  const log = (snapshot: string): string[] =>
    readFileSync(place(snapshot, 'state', 'log.txt'), 'utf8')
      .trim()
      .split('\n');
  const status = (...path: string[]): unknown => readJson(place(...path, 'answer.json'))['status'];

  beforeAll(async () => {
    const arms = [
      recovery('told', { operation: 'reconcile_effect', input }),
      recovery('forced', { crash: race(3, true) }),
      recovery('early', { crash: race(2, false) }),
      recovery('kept', { crash: zombie('none') }),
      recovery('deleted', { crash: zombie('lease-deleted', { operation: 'accept_duplicate', input }) }),
      recovery('replaced', { crash: zombie('folder-replaced') }),
      recovery('restored', { crash: zombie('folder-restored') }),
      recovery('recovered', {
        crash: { model: 'crash-in-recovery', commits: [2, 1, 0], depth: 2, same_events: true },
      }),
      recovery('later', { from: 'forced' }),
    ];
    result = await stand.run([killedCase('case', 'good', atIntent, arms)], { cases: ['case'] });
  });

  it('has the right shape, and no case is void', () => {
    expect(result.voids).toEqual([]);
    const shapes: [RegExp, (value: unknown) => boolean][] = [
      [/\/case\.json$/, validateCase],
      [/\/group\.json$/, validateGroup],
      [/\/process\.json$/, validateProcess],
      [/\/answer\.json$/, validateAnswer],
    ];
    const seen = shapes.map(([name, shape]) => {
      const paths = filesBelow(result.bundle).filter((path) => name.test(path));
      for (const path of paths) expect(shape(parseCanonical(readFileSync(join(result.bundle, path), 'utf8'))), path).toBe(true);
      return paths.length;
    });
    // Killed are the producer and 9 recoveries, which leave no answer.
    expect(seen).toEqual([1, 6, 3 + 2 + 4 * 2 + 1 + 1 + 19 + 1, 35 - 10]);
  });

  it('lists a group as one snapshot, whose shared facts are in the group and nowhere else', () => {
    const { snapshots } = readJson(place('case.json')) as { snapshots: string[] };
    expect(snapshots.slice(0, 8)).toEqual(['producer', 'told', 'forced', 'early', 'kept', 'deleted', 'replaced', 'restored']);
    expect(snapshots).toHaveLength(8 + 19 + 1);
    const receipts = readFileSync(place('forced', 'receipts.jsonl'));
    expect(group('forced')).toMatchObject({
      model: 'race',
      members: ['racer-1', 'racer-2', 'racer-3'],
      overlap: 3,
      receipts: { bytes: receipts.length, sha256: sha256(receipts) },
      live_inventory: [{ path: 'log.txt' }],
    });
    expect(group('kept')).toMatchObject({ model: 'zombie', members: ['owner', 'other'], overlap: 0 });
    for (const racer of group('forced').members)
      expect(process_('forced', 'members', racer)).toMatchObject({ receipts: null, live_inventory: [] });
    expect(existsSync(place('forced', 'process.json'))).toBe(false);
    expect(readJson(place('forced', 'inspector.json'))['exit']).toEqual({ code: 0, signal: null });
  });

  it('says what each was told, by the hash of its input, and only where it was', () => {
    const hash = sha256(`${JSON.stringify(input)}\n`);
    expect(process_('told')).toMatchObject({ operation: 'reconcile_effect', input_sha256: hash });
    expect(log('told').at(-1)).toBe(`reconcile_effect ${JSON.stringify(input)}`);
    expect(process_('deleted', 'members', 'owner')).toMatchObject({ operation: 'recover' });
    expect(process_('deleted', 'members', 'owner')).not.toHaveProperty('input_sha256');
    expect(process_('deleted', 'members', 'other')).toMatchObject({ operation: 'accept_duplicate', input_sha256: hash });
    expect(process_('producer')).not.toHaveProperty('operation');
  });

  it.each([
    ['forced', 'projection.read#1', 3],
    ['early', 'role.ready#1', 2],
  ])('of the race %s: all are there before one is released, and one acts', (name, armed, racers) => {
    const all = group(name).members.map((racer) => process_(name, 'members', racer));
    expect(all).toHaveLength(racers);
    for (const one of all) {
      expect(one.armed).toBe(armed);
      expect(one.timeline.map(({ what }) => what)).toEqual(['spawned', 'announced', 'released', 'exit_seen', 'group_empty']);
    }
    const last = all.map((one) => at(one, 'announced')).reduce((left, right) => (left > right ? left : right));
    for (const one of all) expect(at(one, 'released')).toBeGreaterThan(last);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(racers);
    expect(
      group(name)
        .members.map((racer) => status(name, 'members', racer))
        .sort(),
    ).toEqual(['completed', 'refused', 'refused'].slice(0, racers));
    expect(all.map(({ exit }) => exit.code).sort()).toEqual([0, 64, 64].slice(0, racers));
    expect(log(name)).toEqual(['intent', 'recovering', 'recovered']);
  });

  const stopped = ['spawned', 'announced', 'sigstop_sent', 'stopped'];
  const continued = ['released', 'sigcont_sent', 'exit_seen', 'group_empty'];

  it('of a stopped owner that keeps its lock: the other is refused, and the owner goes on', () => {
    expect(moments('kept', 'members', 'owner')).toEqual([...stopped, ...continued]);
    expect(moments('kept', 'members', 'other')).toEqual(['spawned', 'exit_seen', 'group_empty']);
    expect([status('kept', 'members', 'owner'), status('kept', 'members', 'other')]).toEqual(['completed', 'refused']);
    expect(log('kept')).toEqual(['intent', 'recovering', 'recovered']);
  });

  it.each(['deleted', 'replaced', 'restored'])(
    'of a stopped owner whose lock is %s: the other acts while it stands still',
    (name) => {
      const owner = process_(name, 'members', 'owner');
      const other = process_(name, 'members', 'other');
      expect(owner.timeline.map(({ what }) => what)).toEqual([...stopped, 'folder_defeated', ...continued]);
      expect(at(other, 'spawned')).toBeGreaterThan(at(owner, 'folder_defeated'));
      expect(at(other, 'exit_seen')).toBeLessThan(at(owner, 'released'));
      expect([status(name, 'members', 'owner'), status(name, 'members', 'other')]).toEqual(['completed', 'completed']);
      // The owner had done one of the two steps; in the state that both began with there was none of them.
      expect(readJson(place(name, 'members', 'other', 'answer.json'))['operations']).toHaveLength(name === 'restored' ? 2 : 1);
      // The toy guards nothing but its lock, and writes by path: both finish the recovery, which is what a defeat is there to show.
      expect(log(name).filter((line) => line === 'recovered')).toHaveLength(2);
    },
  );

  it.each(['replaced', 'restored'])('of a folder that was %s: what its owner had recorded there, and nothing else', (name) => {
    const bytes = readFileSync(place(name, 'members', 'owner', 'state', 'log.txt'));
    expect(bytes.toString()).toBe('intent\nrecovering\n');
    expect(filesBelow(place(name, 'members', 'owner', 'state'))).toEqual(['log.txt']);
    const listed = [{ path: 'log.txt', size: bytes.length, sha256: sha256(bytes) }];
    expect(process_(name, 'members', 'owner')).toMatchObject({ receipts: null, live_inventory: listed });
    expect(process_(name, 'members', 'other').live_inventory).toEqual([]);
    expect(existsSync(place(name, 'members', 'other', 'state'))).toBe(false);
  });

  it.each(['kept', 'deleted'])('of a folder that was not moved away, but whose lock is %s: one state', (name) => {
    expect(existsSync(place(name, 'members', 'owner', 'state'))).toBe(false);
    expect(process_(name, 'members', 'owner').live_inventory).toEqual([]);
  });

  it('of a recovery killed at each of its commits, twice: each ends as the one that nobody killed', () => {
    const { snapshots } = readJson(place('case.json')) as { snapshots: string[] };
    const ends = snapshots.filter((name) => /^recovered(-.*-end)?$/.test(name));
    expect(ends).toHaveLength(10);
    for (const name of ends) expect(log(name)).toEqual(['intent', 'recovering', 'recovered']);
    expect(log('recovered-k1')).toEqual(['intent', 'recovering']);
    expect(moments('recovered-k0-k1')).toEqual(['spawned', 'announced', 'sigkill_sent', 'exit_seen', 'group_empty']);
    expect(process_('recovered-k1-k1')).toMatchObject({ armed: 'commit#1', exit: { code: null, signal: 'SIGKILL' } });
    expect(result.kills).toBe(1 + 9);
  });

  it('is a state and a log that a later arm begins with', () => {
    expect(log('later')).toEqual(['intent', 'recovering', 'recovered']);
    const before = readFileSync(place('forced', 'receipts.jsonl'));
    expect(readFileSync(place('later', 'receipts.jsonl')).subarray(0, before.length).equals(before)).toBe(true);
  });
});

/** What the tests of groups of processes read in a bundle of one case, and what they expect of every race and of every stopped owner. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Group, Process } from '../contract/types.js';
import { validateAnswer, validateCase, validateGroup, validateProcess } from '../contract/validators.js';
import { parseCanonical, sha256 } from '../io/canonical.js';
import { filesBelow } from '../io/inventory.js';
import type { RunResult } from '../run.js';
import { readJson } from './plans.js';

/** What a person tells a recovery. */
export const input = { by: 'someone', note: 'found the answer in a log' };
export const inputHash = sha256(`${JSON.stringify(input)}\n`);

const stopped = ['spawned', 'announced', 'sigstop_sent', 'stopped'];
const continued = ['released', 'sigcont_sent', 'exit_seen', 'group_empty'];
const shapes: [RegExp, (value: unknown) => boolean][] = [
  [/\/case\.json$/, validateCase],
  [/\/group\.json$/, validateGroup],
  [/\/process\.json$/, validateProcess],
  [/\/answer\.json$/, validateAnswer],
];

export function groupsIn(result: RunResult) {
  const place = (...path: string[]): string => join(result.bundle, 'data', 'cases', 'case', ...path);
  const group = (snapshot: string): Group => readJson(place(snapshot, 'group.json')) as unknown as Group;
  const processOf = (...path: string[]): Process => readJson(place(...path, 'process.json')) as unknown as Process;
  const moments = (...path: string[]): string[] => processOf(...path).timeline.map(({ what }) => what);
  const at = (facts: Process, what: string): bigint =>
    BigInt(facts.timeline.find((entry) => entry.what === what)?.monotonic_ns ?? 'missing');
  const log = (snapshot: string): string[] =>
    readFileSync(place(snapshot, 'state', 'log.txt'), 'utf8')
      .trim()
      .split('\n');
  const status = (...path: string[]): unknown => readJson(place(...path, 'answer.json'))['status'];

  const { snapshots } = readJson(place('case.json')) as { snapshots: string[] };

  /** How many there are of cases, groups, processes and answers, each of the right shape. */
  function ofRightShape(): number[] {
    const { bundle } = result;
    return shapes.map(([name, shape]) => {
      const paths = filesBelow(bundle).filter((path) => name.test(path));
      for (const path of paths) expect(shape(parseCanonical(readFileSync(join(bundle, path), 'utf8'))), path).toBe(true);
      return paths.length;
    });
  }

  /** All are there before one is released, and one acts. */
  function expectRace(name: string, armed: string, racers: number): void {
    const { members } = group(name);
    const all = members.map((racer) => processOf(name, 'members', racer));
    expect(all).toHaveLength(racers);
    for (const one of all) {
      expect(one.armed).toBe(armed);
      expect(one.timeline.map(({ what }) => what)).toEqual(['spawned', 'announced', 'released', 'exit_seen', 'group_empty']);
    }
    const last = all.map((one) => at(one, 'announced')).reduce((left, right) => (left > right ? left : right));
    for (const one of all) expect(at(one, 'released')).toBeGreaterThan(last);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(racers);
    expect(members.map((racer) => status(name, 'members', racer)).sort()).toEqual(
      ['completed', 'refused', 'refused'].slice(0, racers),
    );
    expect(all.map(({ exit }) => exit.code).sort()).toEqual([0, 64, 64].slice(0, racers));
    expect(log(name)).toEqual(['intent', 'recovering', 'recovered']);
  }

  /** A stopped owner that keeps its lock: the other is refused, and the owner goes on. */
  function expectKept(name: string): void {
    expect(moments(name, 'members', 'owner')).toEqual([...stopped, ...continued]);
    expect(moments(name, 'members', 'other')).toEqual(['spawned', 'exit_seen', 'group_empty']);
    expect([status(name, 'members', 'owner'), status(name, 'members', 'other')]).toEqual(['completed', 'refused']);
    expect(log(name)).toEqual(['intent', 'recovering', 'recovered']);
  }

  /** A stopped owner whose lock is gone: the other acts while it stands still. */
  function expectDefeated(name: string, operations: number): void {
    const owner = processOf(name, 'members', 'owner');
    const other = processOf(name, 'members', 'other');
    expect(owner.timeline.map(({ what }) => what)).toEqual([...stopped, 'folder_defeated', ...continued]);
    expect(at(other, 'spawned')).toBeGreaterThan(at(owner, 'folder_defeated'));
    expect(at(other, 'exit_seen')).toBeLessThan(at(owner, 'released'));
    expect([status(name, 'members', 'owner'), status(name, 'members', 'other')]).toEqual(['completed', 'completed']);
    expect(readJson(place(name, 'members', 'other', 'answer.json'))['operations']).toHaveLength(operations);
    // The toy guards nothing but its lock, and writes by path: both finish the recovery, which is what a defeat is there to show.
    expect(log(name).filter((line) => line === 'recovered')).toHaveLength(2);
  }

  /** Of a folder that was moved away there is what its owner had recorded in it, and nothing else. */
  function expectMovedAway(name: string): void {
    const bytes = readFileSync(place(name, 'members', 'owner', 'state', 'log.txt'));
    expect(bytes.toString()).toBe('intent\nrecovering\n');
    expect(filesBelow(place(name, 'members', 'owner', 'state'))).toEqual(['log.txt']);
    const listed = [{ path: 'log.txt', size: bytes.length, sha256: sha256(bytes) }];
    expect(processOf(name, 'members', 'owner')).toMatchObject({ receipts: null, live_inventory: listed });
    expect(processOf(name, 'members', 'other').live_inventory).toEqual([]);
    expect(existsSync(place(name, 'members', 'other', 'state'))).toBe(false);
  }

  /** Of a folder that stayed in its place there is one state. */
  function expectOneState(name: string): void {
    expect(existsSync(place(name, 'members', 'owner', 'state'))).toBe(false);
    expect(processOf(name, 'members', 'owner').live_inventory).toEqual([]);
  }

  /** However a recovery was killed, it ends as the one that nobody killed. */
  function expectSameEnds(name: string, ends: number): void {
    const ended = snapshots.filter((one) => one === name || (one.startsWith(`${name}-`) && one.endsWith('-end')));
    expect(ended).toHaveLength(ends);
    for (const one of ended) expect(log(one)).toEqual(['intent', 'recovering', 'recovered']);
    expect(log(`${name}-k1`)).toEqual(['intent', 'recovering']);
  }

  return {
    ...{ result, snapshots, place, group, process: processOf, moments, log, ofRightShape },
    ...{ expectRace, expectKept, expectDefeated, expectMovedAway, expectOneState, expectSameEnds },
  };
}

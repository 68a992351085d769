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

export class Groups {
  constructor(readonly result: RunResult) {}

  readonly place = (...path: string[]): string => join(this.result.bundle, 'data', 'cases', 'case', ...path);
  readonly group = (snapshot: string): Group => readJson(this.place(snapshot, 'group.json')) as unknown as Group;
  readonly process = (...path: string[]): Process => readJson(this.place(...path, 'process.json')) as unknown as Process;
  readonly moments = (...path: string[]): string[] => this.process(...path).timeline.map(({ what }) => what);
  readonly at = (facts: Process, what: string): bigint =>
    BigInt(facts.timeline.find((entry) => entry.what === what)?.monotonic_ns ?? 'missing');
  readonly log = (snapshot: string): string[] =>
    readFileSync(this.place(snapshot, 'state', 'log.txt'), 'utf8')
      .trim()
      .split('\n');
  readonly status = (...path: string[]): unknown => readJson(this.place(...path, 'answer.json'))['status'];

  get snapshots(): string[] {
    return (readJson(this.place('case.json')) as { snapshots: string[] }).snapshots;
  }

  /** How many there are of cases, groups, processes and answers, each of the right shape. */
  ofRightShape(): number[] {
    const { bundle } = this.result;
    return shapes.map(([name, shape]) => {
      const paths = filesBelow(bundle).filter((path) => name.test(path));
      for (const path of paths) expect(shape(parseCanonical(readFileSync(join(bundle, path), 'utf8'))), path).toBe(true);
      return paths.length;
    });
  }

  /** All are there before one is released, and one acts. */
  expectRace(name: string, armed: string, racers: number): void {
    const { members } = this.group(name);
    const all = members.map((racer) => this.process(name, 'members', racer));
    expect(all).toHaveLength(racers);
    for (const one of all) {
      expect(one.armed).toBe(armed);
      expect(one.timeline.map(({ what }) => what)).toEqual(['spawned', 'announced', 'released', 'exit_seen', 'group_empty']);
    }
    const last = all.map((one) => this.at(one, 'announced')).reduce((left, right) => (left > right ? left : right));
    for (const one of all) expect(this.at(one, 'released')).toBeGreaterThan(last);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(racers);
    expect(members.map((racer) => this.status(name, 'members', racer)).sort()).toEqual(
      ['completed', 'refused', 'refused'].slice(0, racers),
    );
    expect(all.map(({ exit }) => exit.code).sort()).toEqual([0, 64, 64].slice(0, racers));
    expect(this.log(name)).toEqual(['intent', 'recovering', 'recovered']);
  }

  /** A stopped owner that keeps its lock: the other is refused, and the owner goes on. */
  expectKept(name: string): void {
    expect(this.moments(name, 'members', 'owner')).toEqual([...stopped, ...continued]);
    expect(this.moments(name, 'members', 'other')).toEqual(['spawned', 'exit_seen', 'group_empty']);
    expect([this.status(name, 'members', 'owner'), this.status(name, 'members', 'other')]).toEqual(['completed', 'refused']);
    expect(this.log(name)).toEqual(['intent', 'recovering', 'recovered']);
  }

  /** A stopped owner whose lock is gone: the other acts while it stands still. */
  expectDefeated(name: string, operations: number): void {
    const owner = this.process(name, 'members', 'owner');
    const other = this.process(name, 'members', 'other');
    expect(owner.timeline.map(({ what }) => what)).toEqual([...stopped, 'folder_defeated', ...continued]);
    expect(this.at(other, 'spawned')).toBeGreaterThan(this.at(owner, 'folder_defeated'));
    expect(this.at(other, 'exit_seen')).toBeLessThan(this.at(owner, 'released'));
    expect([this.status(name, 'members', 'owner'), this.status(name, 'members', 'other')]).toEqual(['completed', 'completed']);
    expect(readJson(this.place(name, 'members', 'other', 'answer.json'))['operations']).toHaveLength(operations);
    // The toy guards nothing but its lock, and writes by path: both finish the recovery, which is what a defeat is there to show.
    expect(this.log(name).filter((line) => line === 'recovered')).toHaveLength(2);
  }

  /** Of a folder that was moved away there is what its owner had recorded in it, and nothing else. */
  expectMovedAway(name: string): void {
    const bytes = readFileSync(this.place(name, 'members', 'owner', 'state', 'log.txt'));
    expect(bytes.toString()).toBe('intent\nrecovering\n');
    expect(filesBelow(this.place(name, 'members', 'owner', 'state'))).toEqual(['log.txt']);
    const listed = [{ path: 'log.txt', size: bytes.length, sha256: sha256(bytes) }];
    expect(this.process(name, 'members', 'owner')).toMatchObject({ receipts: null, live_inventory: listed });
    expect(this.process(name, 'members', 'other').live_inventory).toEqual([]);
    expect(existsSync(this.place(name, 'members', 'other', 'state'))).toBe(false);
  }

  /** Of a folder that stayed in its place there is one state. */
  expectOneState(name: string): void {
    expect(existsSync(this.place(name, 'members', 'owner', 'state'))).toBe(false);
    expect(this.process(name, 'members', 'owner').live_inventory).toEqual([]);
  }

  /** However a recovery was killed, it ends as the one that nobody killed. */
  expectSameEnds(name: string, ends: number): void {
    const ended = this.snapshots.filter((one) => one === name || (one.startsWith(`${name}-`) && one.endsWith('-end')));
    expect(ended).toHaveLength(ends);
    for (const one of ended) expect(this.log(one)).toEqual(['intent', 'recovering', 'recovered']);
    expect(this.log(`${name}-k1`)).toEqual(['intent', 'recovering']);
  }
}

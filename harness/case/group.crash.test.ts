/**
 * Races, zombies and crashes in recovery, with real processes: what is recorded of good ones. The other ways to race, to defeat a lock and to
 * be killed again are in `group.gate.test.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../io/canonical.js';
import { groupsIn, input, inputHash } from '../testing/groups.js';
import { atIntent, killedCase, race, readJson, recovery, zombie } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();

describe('what is recorded', () => {
  let groups: ReturnType<typeof groupsIn>;

  beforeAll(async () => {
    const arms = [
      recovery('told', { operation: 'reconcile_effect', input }),
      recovery('forced', { crash: race(3, true) }),
      recovery('kept', { crash: zombie('none') }),
      recovery('replaced', { crash: zombie('folder-replaced') }),
      recovery('recovered', { crash: { model: 'crash-in-recovery', commits: [2, 1, 0], depth: 1, same_events: true } }),
      recovery('later', { from: 'forced' }),
    ];
    groups = groupsIn(await stand.run([killedCase('case', 'good', atIntent, arms)], { cases: ['case'] }));
  });

  it('has the right shape, and no case is void', () => {
    expect(groups.result.voids).toEqual([]);
    // Killed are the producer and 3 recoveries, which leave no answer.
    expect(groups.ofRightShape()).toEqual([1, 3, 1 + 1 + 3 + 2 * 2 + 7 + 1, 17 - 4]);
  });

  it('lists a group as one snapshot, whose shared facts are in the group and nowhere else', () => {
    const { snapshots, place, group, process } = groups;
    expect(snapshots.slice(0, 5)).toEqual(['producer', 'told', 'forced', 'kept', 'replaced']);
    expect(snapshots).toHaveLength(5 + 7 + 1);
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
      expect(process('forced', 'members', racer)).toMatchObject({ receipts: null, live_inventory: [] });
    expect(existsSync(place('forced', 'process.json'))).toBe(false);
    expect(readJson(place('forced', 'inspector.json'))['exit']).toEqual({ code: 0, signal: null });
  });

  it('says what it was told, by the hash of its input, and only where it was', () => {
    expect(groups.process('told')).toMatchObject({ operation: 'reconcile_effect', input_sha256: inputHash });
    expect(groups.log('told').at(-1)).toBe(`reconcile_effect ${JSON.stringify(input)}`);
    expect(groups.process('producer')).not.toHaveProperty('operation');
  });

  it('of a race: all are there before one is released, and one acts', () => groups.expectRace('forced', 'projection.read#1', 3));

  it('of a stopped owner that keeps its lock: the other is refused, the owner goes on, and there is one state', () => {
    groups.expectKept('kept');
    groups.expectOneState('kept');
  });

  it('of a stopped owner whose folder was replaced: the other acts while it stands still, and both states are there', () => {
    groups.expectDefeated('replaced', 1);
    groups.expectMovedAway('replaced');
  });

  it('of a recovery killed at each of its commits: each ends as the one that nobody killed', () => {
    groups.expectSameEnds('recovered', 1 + 3);
    expect(groups.moments('recovered-k1')).toEqual(['spawned', 'announced', 'sigkill_sent', 'exit_seen', 'group_empty']);
    expect(groups.result.kills).toBe(1 + 3);
  });

  it('is a state and a log that a later arm begins with', () => {
    expect(groups.log('later')).toEqual(['intent', 'recovering', 'recovered']);
    const before = readFileSync(groups.place('forced', 'receipts.jsonl'));
    expect(readFileSync(groups.place('later', 'receipts.jsonl')).subarray(0, before.length).equals(before)).toBe(true);
  });
});

/** Races, zombies and crashes in recovery, as in `group.crash.test.ts`: the other ways to race, to defeat a lock, and to be killed again. */
import { beforeAll, describe, expect, it } from 'vitest';
import { groupsIn, input, inputHash } from '../testing/groups.js';
import { atIntent, killedCase, race, recovery, zombie } from '../testing/plans.js';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();

describe('what is recorded', () => {
  let groups: ReturnType<typeof groupsIn>;

  beforeAll(async () => {
    const arms = [
      recovery('early', { crash: race(2, false) }),
      recovery('deleted', { crash: zombie('lease-deleted', { operation: 'accept_duplicate', input }) }),
      recovery('restored', { crash: zombie('folder-restored') }),
      recovery('recovered', { crash: { model: 'crash-in-recovery', commits: [2, 1, 0], depth: 2, same_events: true } }),
    ];
    groups = groupsIn(await stand.run([killedCase('case', 'good', atIntent, arms)], { cases: ['case'] }));
  });

  it('has the right shape, and no case is void', () => {
    expect(groups.result.voids).toEqual([]);
    expect(groups.snapshots.slice(0, 4)).toEqual(['producer', 'early', 'deleted', 'restored']);
    expect(groups.snapshots).toHaveLength(4 + 19);
    // Killed are the producer and 9 recoveries, which leave no answer.
    expect(groups.ofRightShape()).toEqual([1, 3, 1 + 3 * 2 + 19, 26 - 10]);
  });

  it('says what each was told, by the hash of its input, and only where it was', () => {
    const owner = groups.process('deleted', 'members', 'owner');
    expect(owner).toMatchObject({ operation: 'recover' });
    expect(owner).not.toHaveProperty('input_sha256');
    const other = groups.process('deleted', 'members', 'other');
    expect(other).toMatchObject({ operation: 'accept_duplicate', input_sha256: inputHash });
  });

  it('of a race that nothing forced: all are there before one is released, and one acts', () =>
    groups.expectRace('early', 'role.ready#1', 2));

  it('of a stopped owner whose lock is deleted: the other acts while it stands still, on one state', () => {
    groups.expectDefeated('deleted', 1);
    groups.expectOneState('deleted');
  });

  it('of a stopped owner whose folder was restored: the other acts while it stands still, and both states are there', () => {
    // The owner had done one of the two steps; in the state that both began with there was none of them.
    groups.expectDefeated('restored', 2);
    groups.expectMovedAway('restored');
  });

  it('of a recovery killed at each of its commits, twice: each ends as the one that nobody killed', () => {
    groups.expectSameEnds('recovered', 1 + 9);
    expect(groups.moments('recovered-k0-k1')).toEqual(['spawned', 'announced', 'sigkill_sent', 'exit_seen', 'group_empty']);
    expect(groups.process('recovered-k1-k1')).toMatchObject({ armed: 'commit#1', exit: { code: null, signal: 'SIGKILL' } });
    expect(groups.result.kills).toBe(1 + 9);
  });
});

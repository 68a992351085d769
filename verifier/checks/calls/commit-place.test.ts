import { describe, expect, it } from 'vitest';
import { checkpoints } from '../../contract/data.js';
import { expectFindings } from '../../testing/match.js';
import { endsWithCommitOf, isCommits } from './commit-place.js';

/** The first event is one that nothing joins; the second of the list is the armed one. */
const ends = (before: readonly string[], after: readonly string[], inGroups: boolean): boolean =>
  endsWithCommitOf(['claim.recorded', ...before, ...after], before.length + 1, inGroups);

describe('G7, the end of a commit', () => {
  it.each(checkpoints['calls/v1'].committed.map((type) => [type] as const))(
    'is %s itself where every event is a commit',
    (type) => {
      expect(ends([], [type], false)).toBe(type !== 'call.resumed');
      expect(ends([], [type, 'claim.recorded'], false)).toBe(false);
    },
  );

  it('takes the new call with the link to the old one in both modes', () => {
    for (const inGroups of [false, true]) {
      expect(ends([], ['call.resumed', 'call.requested'], inGroups)).toBe(true);
      expect(ends(['call.resumed'], ['call.requested'], inGroups)).toBe(true);
      expect(ends([], ['call.resumed'], inGroups)).toBe(false);
      expect(ends([], ['call.resumed', 'call.requested', 'call.manifest'], inGroups)).toBe(false);
    }
  });

  it.each(checkpoints['calls/v1'].grouped.map((commit) => [commit]))(
    'is that of %j, wherever in it the armed event is',
    (commit) => {
      for (const at of commit.keys()) expect(ends(commit.slice(0, at), commit.slice(at), true)).toBe(true);
    },
  );

  it.each<[string[], string[]]>([
    [[], ['call.manifest']],
    [[], ['call.requested']],
    [[], ['attempt.started']],
    [[], ['context.compiled']],
    [['call.requested'], ['call.manifest']],
    [[], ['call.requested', 'call.manifest']],
    [
      ['call.requested', 'call.manifest'],
      ['attempt.started', 'attempt.observed'],
    ],
    [[], ['context.compilation_requested']],
    [['context.compilation_requested'], ['context.compiled', 'call.requested']],
    [['attempt.observed', 'attempt.interpreted', 'attempt.retry_decided', 'attempt.completed'], ['result.recorded']],
    [[], ['result.recorded']],
    [[], ['call.completed', 'task.accepted']],
  ])('in groups is not after %j at %j', (before, after) => expect(ends(before, after, true)).toBe(false));

  it('in groups is an event that no group names', () => {
    expect(ends([], ['task.accepted'], true)).toBe(true);
    expect(ends([], ['attempt.observed'], true)).toBe(true);
  });

  it('a ledger that ends within a commit was not left by a crash', () => {
    // The manifest shares its commit with the start of the attempt, which is not there.
    expectFindings(
      (editor) =>
        editor.plan((plan) => {
          for (const scenario of Object.values(plan.scenarios)) scenario.commit = 'grouped';
        }),
      'checkpoint-mismatch',
    );
  });
});

describe('G7, the number of commits', () => {
  const resumed = ['call.resumed', 'call.requested', 'call.manifest', 'attempt.started'];

  it.each<[string, readonly string[], boolean, number[]]>([
    ['nothing', [], false, [0]],
    ['events one by one', ['attempt.interpreted', 'attempt.retry_decided'], false, [2]],
    ['a link with its new call as one', resumed, false, [3]],
    ['the link alone never', ['call.resumed'], false, []],
    ['in groups the whole at once, or in parts', resumed, true, [2, 3]],
    ['in groups what a recovery does alone', ['effect.reconciled', 'attempt.interpreted'], true, [2]],
  ])('of %s', (_what, types, inGroups, counts) => {
    expect([0, 1, 2, 3, 4, 5].filter((count) => isCommits(types, count, inGroups))).toEqual(counts);
  });
});

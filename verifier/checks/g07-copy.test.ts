import { describe, expect, it } from 'vitest';
import { checkpoints } from '../contract/data.js';
import { expectFindings } from '../testing/match.js';
import { isEndOfCommit } from './g07-copy.js';

describe('G7, the end of a commit', () => {
  it.each(checkpoints['calls/v1'].committed.map((type) => [type] as const))(
    'is %s itself where every event is a commit',
    (type) => {
      expect(isEndOfCommit([type], false)).toBe(type !== 'call.resumed');
      expect(isEndOfCommit([type, 'claim.recorded'], false)).toBe(false);
    },
  );

  it('takes the new call with the link to the old one in both modes', () => {
    for (const inGroups of [false, true]) {
      expect(isEndOfCommit(['call.resumed', 'call.requested'], inGroups)).toBe(true);
      expect(isEndOfCommit(['call.resumed'], inGroups)).toBe(false);
      expect(isEndOfCommit(['call.resumed', 'call.requested', 'call.manifest'], inGroups)).toBe(false);
    }
  });

  it.each<[string[], boolean]>([
    [['call.requested', 'call.manifest', 'attempt.started'], true],
    [['call.manifest', 'attempt.started'], true],
    [['attempt.started'], true],
    [['call.manifest'], false],
    [['call.requested', 'call.manifest'], false],
    [['attempt.started', 'attempt.observed'], false],
    [['context.compilation_requested'], false],
    [['context.compiled'], true],
    [['context.compiled', 'call.requested'], false],
    [['result.recorded', 'call.completed'], true],
    [['result.recorded'], false],
    [['task.accepted'], true],
  ])('%j in groups: %s', (types, isEnd) => {
    expect(isEndOfCommit(types, true)).toBe(isEnd);
    if (types.length > 1) expect(isEndOfCommit(types, false)).toBe(false);
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

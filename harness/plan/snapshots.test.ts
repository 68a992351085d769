import { describe, expect, it } from 'vitest';
import { killedCase, recovery } from '../testing/plans.js';
import { snapshotsOf } from './snapshots.js';
import type { CrashInRecovery, Kill, PlannedArm } from './types.js';

const placed = (kill: Kill): string | null =>
  kill === null ? null : kill.at === 'held' ? 'held' : `${kill.checkpoint}#${kill.occurrence}`;

function expanded(crash: Omit<CrashInRecovery, 'model' | 'same_events'>): (string | null)[][] {
  const arm = recovery('r', { crash: { model: 'crash-in-recovery', same_events: true, ...crash } });
  const after: PlannedArm = recovery('after', { from: 'r' });
  return snapshotsOf(killedCase('case', 'good', undefined, [arm, after])).map((one) => [
    one.snapshot,
    one.from,
    placed(one.kill),
  ]);
}

describe('the snapshots of a case', () => {
  it('with a crash in recovery of depth 1 are the recovery, and each kill of it with its end', () => {
    expect(expanded({ commits: [2, 1, 0], depth: 1 })).toEqual([
      ['producer', null, 'intent.written#1'],
      ['r', 'producer', null],
      ['r-k0', 'producer', 'projection.read#1'],
      ['r-k0-end', 'r-k0', null],
      ['r-k1', 'producer', 'commit#1'],
      ['r-k1-end', 'r-k1', null],
      ['r-k2', 'producer', 'commit#2'],
      ['r-k2-end', 'r-k2', null],
      ['after', 'r', null],
    ]);
  });

  it('with depth 2 hold the second kills between a kill and its end', () => {
    expect(expanded({ commits: [1, 2], depth: 2 })).toEqual([
      ['producer', null, 'intent.written#1'],
      ['r', 'producer', null],
      ['r-k0', 'producer', 'projection.read#1'],
      ['r-k0-k0', 'r-k0', 'projection.read#1'],
      ['r-k0-k0-end', 'r-k0-k0', null],
      ['r-k0-k1', 'r-k0', 'commit#1'],
      ['r-k0-k1-end', 'r-k0-k1', null],
      ['r-k0-end', 'r-k0', null],
      ['r-k1', 'producer', 'commit#1'],
      ['r-k1-k0', 'r-k1', 'projection.read#1'],
      ['r-k1-k0-end', 'r-k1-k0', null],
      ['r-k1-k1', 'r-k1', 'commit#1'],
      ['r-k1-k1-end', 'r-k1-k1', null],
      ['r-k1-k2', 'r-k1', 'commit#2'],
      ['r-k1-k2-end', 'r-k1-k2', null],
      ['r-k1-end', 'r-k1', null],
      ['after', 'r', null],
    ]);
  });

  it('all carry out what the recovery is told, with its settings, and are no crash model themselves', () => {
    const arm = recovery('r', {
      operation: 'reconcile_effect',
      input: { by: 'someone' },
      provider: 'holds',
      crash: { model: 'crash-in-recovery', commits: [1, 0], depth: 2, same_events: false },
    });
    const [, ...all] = snapshotsOf(killedCase('case', 'good', undefined, [arm]));
    expect(all).toHaveLength(11);
    for (const one of all)
      expect(one).toMatchObject({
        caseId: 'case',
        role: 'resume',
        operation: 'reconcile_effect',
        input: { by: 'someone' },
        provider: 'holds',
        scenario: 'good',
        crash: null,
      });
  });
});

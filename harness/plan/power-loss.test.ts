import { describe, expect, it } from 'vitest';
import { killedCase, toy, toyPlan } from '../testing/plans.js';
import { mistakesOf } from './check.js';
import { snapshotFrom } from './power-loss.js';
import { snapshotsOf } from './snapshots.js';
import type { PlannedArm, PlannedSnapshot, PowerLoss } from './types.js';

function powerLoss(more: Partial<PowerLoss> = {}): PowerLoss {
  return {
    ...{ model: 'power-loss', persistence: 'ext4', subsets: 8, seed: 's', every: 2, offset: 1, carry_on: 'recover' },
    outcomes: ['completed_once'],
    ...more,
  };
}

function armWith(role: PlannedArm['role'], crash = powerLoss(), more: Partial<PlannedArm> = {}): PlannedArm {
  const expected = { ended: 'completed', events: 0, receipts: 0, effects: 0, outcome: 'completed_once' } as const;
  return { id: 'arm', role, ...(role === 'resume' ? { operation: 'recover' } : {}), crash, expect: expected, ...more };
}

function planned(arm: PlannedArm): PlannedSnapshot {
  const [, found] = snapshotsOf(killedCase('case', 'good', undefined, [arm]));
  if (found === undefined) throw new Error('An arm is a snapshot.');
  return found;
}

const served = { ...toy, roles: { ...toy.roles, serve: ['node', 'a.mjs'] } };
const mistakes = (arms: PlannedArm[], subject = served) =>
  mistakesOf(toyPlan([killedCase('case', 'good', undefined, arms)]), [subject]).map(({ pointer, sentence }) => [
    pointer.replace('/cases/2/arms', ''),
    sentence,
  ]);

describe('an arm under power loss', () => {
  it('runs to its end, watched; a producer is a fresh one, a resume begins with the producer', () => {
    const watched = { family: 'persistence', call: null, paths: [], fault: null, reached: false };
    expect(planned(armWith('produce'))).toMatchObject({ from: null, kill: null, traced: watched, powerLoss: powerLoss() });
    expect(planned(armWith('resume'))).toMatchObject({ from: 'producer', ratchet: null, receipts: null });
  });

  it('is carried on from what was found by whom the plan says', () => {
    const found = { entries: 7, lines: 2 };
    const from = (
      role: 'produce' | 'resume',
      carryOn: PowerLoss['carry_on'],
      begun: Parameters<typeof snapshotFrom>[2] = found,
    ) => snapshotFrom(planned(armWith(role)), powerLoss({ carry_on: carryOn }), begun);
    const one = { snapshot: 'arm-n7-r2', from: 'arm', receipts: 2, traced: null, powerLoss: null };
    expect(from('produce', 'recover')).toMatchObject({ ...one, role: 'resume', operation: 'recover' });
    expect(from('produce', 'resume')).toMatchObject({ ...one, role: 'resume', operation: null });
    expect(from('produce', 'produce')).toMatchObject({ ...one, role: 'produce', operation: null });
    // As the arm does, whatever is said of producers.
    expect(from('resume', 'produce')).toMatchObject({ ...one, role: 'resume', operation: 'recover' });
    // What was never made is made by the producer.
    const unmade = { snapshot: 'arm-unmade-r0', role: 'produce', operation: null };
    expect(from('resume', 'recover', { entries: null, lines: 0 })).toMatchObject(unmade);
  });
});

describe('the mistakes of a plan under power loss', () => {
  it('are none where there are none', () => {
    expect(mistakes([armWith('produce'), armWith('resume', powerLoss(), { id: 'other' })])).toEqual([]);
  });

  it('say where and why', () => {
    expect(mistakes([armWith('restart')])).toEqual([['/0/crash', expect.stringMatching(/needs the role "produce" or "resume"/)]]);
    expect(mistakes([armWith('produce', powerLoss(), { from: 'producer' })])).toEqual([
      ['/0/from', 'is given for a producer under power loss, which begins with nothing'],
    ]);
    expect(mistakes([armWith('produce', powerLoss({ every: 3, offset: 3 }))])).toEqual([
      ['/0/crash/offset', expect.stringMatching(/divided by 3/)],
    ]);
    expect(mistakes([armWith('produce')], toy as typeof served)).toEqual([
      ['/0/crash', expect.stringMatching(/needs the role "serve".*toy has none/)],
    ]);
    expect(mistakes([armWith('produce'), armWith('produce', powerLoss(), { id: 'arm-n1-r0' })])).toEqual([
      ['/1/id', 'is a name that the power loss "arm" may need for its own snapshots'],
    ]);
    expect(mistakes([armWith('produce', powerLoss({ seed: 'a b' }))])).toEqual([
      ['/0/crash/seed', expect.stringMatching(/must match pattern/)],
    ]);
  });

  it('are those of the model that is named, and no other', () => {
    const wrong = { persistence: 'xfs', subsets: 1e8, seed: '', every: 0, offset: 4, family: 'reads' } as unknown as PowerLoss;
    expect(mistakes([armWith('produce', powerLoss(wrong))])).toEqual([
      ['/0/crash', 'has the unknown member "family"'],
      ['/0/crash/persistence', 'must be one of "strictest", "ext4"'],
      ['/0/crash/subsets', expect.stringMatching(/^must be <= \d+$/)],
      ['/0/crash/seed', expect.stringMatching(/must match pattern/)],
      ['/0/crash/every', 'must be >= 1'],
    ]);
    const { seed: _seed, ...lacking } = powerLoss();
    expect(mistakes([armWith('produce', lacking as PowerLoss)])).toEqual([['/0/crash', 'lacks the member "seed"']]);
    for (const model of [undefined, 'flood'])
      expect(mistakes([armWith('produce', { ...powerLoss(), model } as unknown as PowerLoss)])).toEqual([
        ['/0/crash', expect.stringMatching(/a "power-loss".*with all/)],
      ]);
  });
});

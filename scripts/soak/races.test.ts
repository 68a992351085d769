import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { noRaces, racesIn, sumOfRaces, type Verdict } from './races.js';

const bundle = mkdtempSync(join(tmpdir(), 'killpoint-races-'));
afterAll(() => rmSync(bundle, { recursive: true, force: true }));

function put(snapshot: string, group: object | null): void {
  const folder = join(bundle, 'data/cases', snapshot);
  mkdirSync(folder, { recursive: true });
  if (group !== null) writeFileSync(join(folder, 'group.json'), JSON.stringify(group));
}
put('one/producer', null);
put('one/a', { model: 'race', overlap: 2 });
put('one/b', { model: 'race', overlap: 4 });
put('two/a', { model: 'race', overlap: 2 });
put('two/z', { model: 'zombie', overlap: 0 });
put('two/late', { model: 'zombie', overlap: 0 });
const plan = {
  cases: [
    { id: 'one', arms: ['a', 'b'].map((id) => ({ id, expect: { outcome: 'completed_once' } })) },
    {
      id: 'two',
      arms: [
        { id: 'a', expect: {} },
        { id: 'z', expect: {} },
        { id: 'late', expect: { outcome: 'duplicated' } },
      ],
    },
  ],
};
writeFileSync(join(bundle, 'data/plan.json'), JSON.stringify(plan));

const verdict: Verdict = { verdict: 'valid', findings: [], outcomes: [], results: [] };
const finding = (code: string, snapshot: string, in_case = 'one') => ({ code, where: { case: in_case, snapshot } });
const duplicated = (snapshot: string, in_case = 'one') => ({ case: in_case, snapshot, outcome: 'duplicated' });

describe('the groups of a run', () => {
  it('are counted: races with how many racers were at once, stopped owners apart', () => {
    const races = racesIn(bundle, verdict);
    expect(races).toEqual({ ...noRaces(), rounds: 3, overlaps: { 2: 2, 4: 1 }, stopped_owners: 2 });
    expect(sumOfRaces(races, races)).toEqual({ ...noRaces(), rounds: 6, overlaps: { 2: 4, 4: 2 }, stopped_owners: 4 });
  });

  it('count a double effect once, whether a finding or an outcome says so, and only where several processes acted', () => {
    const findings = [finding('race-doubled', 'a'), finding('race-lost', 'b'), finding('event-chain-broken', 'producer')];
    const outcomes = ['a', 'b', 'producer'].map((snapshot) => duplicated(snapshot));
    expect(racesIn(bundle, { ...verdict, findings, outcomes })).toMatchObject({
      double_effects: 2,
      lost_recoveries: 1,
      gaps: 0,
      predicted_duplicates: 0,
    });
  });

  it('count a stopped owner that doubled, lost or left a gap like a race that did', () => {
    const findings = [finding('race-lost', 'z', 'two'), finding('event-chain-broken', 'late', 'two')];
    expect(racesIn(bundle, { ...verdict, findings, outcomes: [duplicated('z', 'two')] })).toMatchObject({
      double_effects: 1,
      lost_recoveries: 1,
      gaps: 1,
    });
  });

  it('count a duplicate that the plan predicts apart, unless the verifier found more than that', () => {
    const outcomes = [duplicated('late', 'two')];
    expect(racesIn(bundle, { ...verdict, outcomes })).toMatchObject({ double_effects: 0, predicted_duplicates: 1 });
    const findings = [finding('race-doubled', 'late', 'two')];
    expect(racesIn(bundle, { ...verdict, findings, outcomes })).toMatchObject({ double_effects: 1, predicted_duplicates: 1 });
  });
});

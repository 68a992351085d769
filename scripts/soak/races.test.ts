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

const verdict: Verdict = { verdict: 'valid', findings: [], outcomes: [], results: [] };
const finding = (code: string, snapshot: string) => ({ code, where: { case: 'one', snapshot } });

describe('the races of a run', () => {
  it('are counted with how many racers were at once, stopped owners apart', () => {
    const races = racesIn(bundle, verdict);
    expect(races).toEqual({ ...noRaces(), rounds: 3, overlaps: { 2: 2, 4: 1 } });
    expect(sumOfRaces(races, races)).toEqual({ ...noRaces(), rounds: 6, overlaps: { 2: 4, 4: 2 } });
  });

  it('count a double effect once, whether a finding or an outcome says so, and only where there was a race', () => {
    const findings = [finding('race-doubled', 'a'), finding('race-lost', 'b'), finding('event-chain-broken', 'producer')];
    const outcomes = ['a', 'b', 'producer'].map((snapshot) => ({ case: 'one', snapshot, outcome: 'duplicated' }));
    expect(racesIn(bundle, { ...verdict, findings, outcomes })).toMatchObject({
      double_effects: 2,
      lost_recoveries: 1,
      gaps: 0,
    });
  });
});

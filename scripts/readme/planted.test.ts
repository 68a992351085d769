import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { plantedFigures } from './planted.js';

const home = mkdtempSync(join(tmpdir(), 'killpoint-readme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const [kept, plans] = [join(home, 'kept'), join(home, 'plans')];
for (const folder of [kept, plans]) mkdirSync(folder);
const put = (path: string, document: unknown): void => writeFileSync(path, JSON.stringify(document));

put(join(plans, 'races.json'), {
  cases: [{ id: 'one', kill: { at: 'held' }, arms: [{ id: 'resume' }, { id: 'race', crash: { model: 'race' } }] }],
});
const row = (name: string, found: object) => ({
  name,
  why: '',
  plans: [{ plan: 'races', cases: 1, verdict: 'invalid', void: 0 }],
  found,
});

describe('the table of planted defects', () => {
  it('says by how many codes each model found one, that a model missed it, or nothing where no plan of it ran', () => {
    put(join(kept, '20260101-planted.json'), { defects: [] });
    put(join(kept, '20260102-planted.json'), { defects: [row('first', { race: ['a', 'b'] }), row('second', {})] });
    expect(plantedFigures(kept, ['first', 'second'], plans).split('\n').slice(2)).toEqual([
      '| first |  | · |  | **2** |  |  |  |  |',
      '| second |  | · |  | · |  |  |  |  |',
    ]);
  });

  it('says nothing of a plan that gave no report', () => {
    const refused = { ...row('first', {}), plans: [{ plan: 'races', cases: 1, verdict: 'none', void: 0, refused: 'It broke.' }] };
    put(join(kept, '20260103-planted.json'), { defects: [refused] });
    expect(plantedFigures(kept, ['first'], plans).split('\n').slice(2)).toEqual(['| first |  |  |  |  |  |  |  |  |']);
    rmSync(join(kept, '20260103-planted.json'));
  });

  it('is not printed with a defect left out', () => {
    expect(() => plantedFigures(kept, ['first', 'third'], plans)).toThrow('has no row for third');
    expect(() => plantedFigures(plans, [], plans)).toThrow('holds no table of planted defects');
  });
});

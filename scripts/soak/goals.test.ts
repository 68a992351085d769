import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { goalsOf, sampleOf, wholeOf, type Plan } from './goals.js';

const race = { crash: { model: 'race' } };
const plain: Plan = { cases: Array.from({ length: 10 }, (_, index) => ({ id: `case-${index}`, arms: [{}] })) };
const racing: Plan = {
  cases: ['control', 'one', 'two', 'three'].map((id) => ({ id, arms: id === 'control' ? [{}] : [race, race, { ...race }] })),
};
const plans = new Map([
  ['races', racing],
  ['recovery', plain],
  ['working-state', plain],
]);

describe('the goals of a soak', () => {
  it('are the numbers of the issues for every plan, and one run where no number is asked for', () => {
    expect(goalsOf([], plans)).toEqual([
      { plan: 'races', unit: 'races', number: 1000 },
      { plan: 'recovery', unit: 'runs', number: 1 },
      { plan: 'working-state', unit: 'cases', number: 1000 },
    ]);
  });

  it('are those of the arguments where there are some', () => {
    expect(goalsOf(['races=50', 'recovery=7'], plans)).toEqual([
      { plan: 'races', unit: 'races', number: 50 },
      { plan: 'recovery', unit: 'cases', number: 7 },
    ]);
  });

  it('are whole runs of a plan whose arms stand for many crashes, so that none of its cases is left out', () => {
    const crash = { model: 'syscall-kill', every: 4, offset: 1 };
    const ratchets: Plan = { cases: ['one', 'two'].map((id) => ({ id, arms: [{ crash }] })) };
    const [goal] = goalsOf(['syscalls=1'], new Map([['syscalls', ratchets]]));
    expect(goal).toEqual({ plan: 'syscalls', unit: 'runs', number: 1 });
    expect(goal && sampleOf(goal, ratchets, 'a')).toBeNull();
  });

  it.each<[string, RegExp]>([
    ['none=5', /There is no plan none; there are: races, recovery, working-state\./],
    ['races', /is not <plan>=<number>/],
    ['races=0', /with a number from 1/],
    ['races=-1', /is not <plan>=<number>/],
  ])('%s is refused', (arg, message) => {
    expect(() => goalsOf([arg], plans)).toThrow(message);
  });
});

describe('a sample', () => {
  const goal = (number: number) => ({ plan: 'recovery', unit: 'cases', number }) as const;

  it('is of the seed: the same again, others with another', () => {
    const chosen = sampleOf(goal(4), plain, 'a');
    expect(chosen).toHaveLength(4);
    expect(sampleOf(goal(4), plain, 'a')).toEqual(chosen);
    const others = Array.from('bcdefgh', (seed) => sampleOf(goal(4), plain, seed)?.join());
    expect(new Set(others).size).toBeGreaterThan(3);
  });

  it('of races has as many as are wanted, and no case without one', () => {
    const chosen = sampleOf({ plan: 'races', unit: 'races', number: 4 }, racing, 'a');
    expect(chosen).toHaveLength(2);
    expect(chosen).not.toContain('control');
  });

  it('is not taken where a whole run is not too much', () => {
    expect(sampleOf(goal(10), plain, 'a')).toBeNull();
    expect(sampleOf({ plan: 'recovery', unit: 'runs', number: 1 }, plain, 'a')).toBeNull();
  });
});

describe('a plan that samples system calls or derived states', () => {
  const ratchet = (every: number, offset: number) => ({ crash: { model: 'syscall-kill', every, offset } });
  const planOf = (...arms: Plan['cases'][number]['arms']): Plan => ({ cases: [{ id: 'one', arms }] });

  it('is soaked with every one of them, and all else as it is', () => {
    expect(wholeOf(planOf(ratchet(3, 1), race, {}))).toEqual(planOf(ratchet(1, 0), race, {}));
    const states = (every: number, offset: number) => ({ crash: { model: 'power-loss', every, offset } });
    expect(wholeOf(planOf(states(20, 7), ratchet(1, 0)))).toEqual(planOf(states(1, 0), ratchet(1, 0)));
  });

  it('is another than one that samples none', () => {
    expect(wholeOf(planOf(ratchet(1, 0), race))).toBeNull();
    expect(wholeOf(plain)).toBeNull();
  });
});

describe('the plans', () => {
  const home = 'preregistrations';
  const names = readdirSync(home).filter((name) => name.endsWith('.json'));
  const armsOf = ({ cases }: Plan) => cases.flatMap(({ arms }) => arms.flatMap(({ crash }) => crash ?? []));
  const sampled = names.flatMap((name) => armsOf(JSON.parse(readFileSync(join(home, name), 'utf8')) as Plan));

  it('that sample take at least one in twenty', () => {
    const every = sampled.flatMap((crash) => crash.every ?? []);
    expect(every.length).toBeGreaterThan(50);
    expect(Math.max(...every)).toBeLessThanOrEqual(20);
  });
});

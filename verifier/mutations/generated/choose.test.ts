import { describe, expect, it } from 'vitest';
import { chosenOf } from './choose.js';
import type { Site } from './operator.js';

const site = (field: string, place: string, ...traits: string[]): Site => ({
  ...{ operator: 'x', document: 'd', field, place, traits },
  apply: () => undefined,
});
const many = ['a', 'b'].flatMap((field) =>
  Array.from({ length: 20 }, (_site, index) => site(field, `p${index}`, index < 19 ? 'common' : 'rare')),
);
const choice = { seed: '1', bound: 2, sample: null };

describe('the chosen sites', () => {
  it('are of each class as many as the bound, those of another kind first', () => {
    const chosen = chosenOf(many, choice);
    expect(chosen).toHaveLength(4);
    for (const field of ['a', 'b'])
      expect(
        chosen
          .filter((one) => one.field === field)
          .flatMap(({ traits }) => traits)
          .sort(),
      ).toEqual(['common', 'rare']);
  });

  it('are the same for one seed, and others for another', () => {
    expect(chosenOf(many, choice)).toEqual(chosenOf([...many].reverse(), choice));
    const places = (seed: string): string =>
      chosenOf(many, { ...choice, seed, bound: 20 })
        .map(({ place }) => place)
        .join();
    expect(places('2')).not.toBe(places('1'));
  });

  it('of a sample are a beginning of all', () => {
    expect(chosenOf(many, { ...choice, sample: 3 })).toEqual(chosenOf(many, choice).slice(0, 3));
  });
});

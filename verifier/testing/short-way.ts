/** The generated mutants on which judging in short is held against judging in whole: few for each test run, the others for the gate. */
import { expect } from 'vitest';
import { chosenOf } from '../mutations/generated/choose.js';
import { factOperators } from '../mutations/generated/facts/all.js';
import { mutantOf } from '../mutations/generated/mutant.js';
import type { Good, Site } from '../mutations/generated/operator.js';
import { judgedShort, judgedWhole } from '../mutations/generated/rejudge.js';

export function shortSample(good: Good): [few: Site[], others: Site[]] {
  const sites = factOperators.flatMap((operator) => [...operator.sites(good)]);
  const sample = chosenOf(sites, { seed: 'short', bound: 1, sample: 15 });
  return [sample.slice(0, 4), sample.slice(4)];
}

export function expectSameBothWays(good: Good, site: Site): void {
  const mutant = mutantOf(good, site);
  if (mutant !== null) expect(judgedShort(good, mutant), `${site.operator} ${site.place}`).toEqual(judgedWhole(good, mutant));
}

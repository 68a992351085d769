/** The short way against the whole one, with more mutants of the same sample as `outcome.test.ts`. */
import { expect, it } from 'vitest';
import { Memory } from '../../read/memory.js';
import { goodBundle } from '../../testing/bundle.js';
import { expectSameBothWays, shortSample } from '../../testing/short-way.js';
import { goodOf } from './run.js';

it('a mutant is found by the short way to be what the whole way finds', { timeout: 120_000 }, () => {
  const good = goodOf(goodBundle(), new Memory());
  const [, others] = shortSample(good);
  expect(others).toHaveLength(11);
  for (const one of others) expectSameBothWays(good, one);
});

/** Known answers about traces with more pending pieces, or more cuts, than are all looked at. */
import { expect, it } from 'vitest';
import { expectAnswer, isLarge, vectors } from '../../testing/power-loss-vectors.js';

const large = vectors.filter(isLarge);

it('there are some', () => expect(large.length).toBeGreaterThan(1));

it.each(large)('$name', { timeout: 120_000 }, expectAnswer);

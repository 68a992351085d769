/** The derivation against known answers, which were enumerated apart from it. */
import { describe, expect, it } from 'vitest';
import { EvidenceError } from '../../errors.js';
import { derive, expectAnswer, isLarge, vectors } from '../../testing/power-loss-vectors.js';

const unmodelled = vectors.filter((vector) => vector.unmodelled === true);
const derived = vectors.filter((vector) => vector.unmodelled === undefined && !isLarge(vector));

describe('the states of a trace', () => {
  it('are known in many ways', () => expect([derived.length > 18, unmodelled.length > 8]).toEqual([true, true]));

  it.each(derived)('$name', expectAnswer);

  it.each(unmodelled)('are not derived where $name', (vector) => {
    const refusal = (): unknown => {
      try {
        return derive(vector).counts;
      } catch (error) {
        return error instanceof EvidenceError ? error.code : error;
      }
    };
    expect(refusal()).toBe('unmodelled');
  });
});

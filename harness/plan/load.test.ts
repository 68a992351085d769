import { describe, expect, it } from 'vitest';
import { control, heldCase, toyPlan } from '../testing/plans.js';
import { selectCases } from './load.js';

describe('the selection of cases', () => {
  const plan = toyPlan();

  it('keeps plan order, and is everything by default', () => {
    expect(selectCases(plan, []).map(({ id }) => id)).toEqual([control().id, heldCase().id]);
    expect(selectCases(plan, ['held', 'no-kill']).map(({ id }) => id)).toEqual(['no-kill', 'held']);
  });

  it('refuses a name that the plan does not have', () => {
    expect(() => selectCases(plan, ['x'])).toThrow('has no case "x"');
  });
});

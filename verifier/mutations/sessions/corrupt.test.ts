import { describe, expect, it } from 'vitest';
import { broken, changed, judged } from '../../testing/sessions/match.js';
import { operatorList } from '../corrupt.js';
import { faultMutations } from '../faults.js';
import { powerLossMutations } from '../power-loss.js';
import { syscallMutations } from '../syscalls.js';

/** A session is told nothing of places elsewhere, so no plan plants a reach for one; what a tracer told is the same for every subject. */
const withoutPlace = [
  ...[syscallMutations, powerLossMutations, faultMutations].flatMap((part) => Object.values(part).flat()).map(({ name }) => name),
  ...['the planted reach was not refused', 'another reach was refused than the planted one'],
];

describe('every mutant of the small sessions', () => {
  const operators = operatorList('sessions/v1');
  const [lacking, possible] = [true, false].map((is) =>
    operators
      .filter(({ name }) => withoutPlace.includes(name) === is)
      .map((operator) => [`${operator.family}: ${operator.name}`, operator] as const),
  );

  it('is made of valid ones', () => expect(judged(changed(() => undefined)).verdict).toBe('valid'));

  it.each(possible ?? [])('%s', (_name, operator) => {
    const result = broken(operator);
    expect(result?.given).toEqual(result?.expected);
    expect(result).toMatchObject({ rejected: true });
  });

  it.each(lacking ?? [])('%s: cannot be made', (_name, operator) => expect(broken(operator)).toBeNull());

  it('has a name of its own, and what cannot be made is there', () => {
    const names = operators.map(({ family, name }) => `${family}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(lacking).toHaveLength(withoutPlace.length);
  });
});

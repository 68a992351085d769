/** A mutant of each family that calls have not, each judged in a test of its own; all of them are made in `../../cli/corrupt.gate.test.ts`. */
import { describe, expect, it } from 'vitest';
import { isLeading, withoutPlaceInSessions } from '../../testing/operators.js';
import { broken, changed, judged } from '../../testing/sessions/match.js';
import { operatorList } from '../corrupt.js';

describe('a mutant of each family that only sessions have', () => {
  const operators = operatorList('sessions/v1');
  const few = operators.filter(isLeading('sessions/v1'));
  const [lacking, possible] = [true, false].map((is) =>
    few
      .filter(({ name }) => withoutPlaceInSessions.includes(name) === is)
      .map((operator) => [`${operator.family}: ${operator.name}`, operator] as const),
  );

  it('is made of valid ones', () => expect(judged(changed(() => undefined)).verdict).toBe('valid'));

  it.each(possible ?? [])('%s', (_name, operator) => {
    const result = broken(operator);
    expect(result?.given).toEqual(result?.expected);
    expect(result).toMatchObject({ rejected: true });
  });

  it.each(lacking ?? [])('%s: cannot be made', (_name, operator) => expect(broken(operator)).toBeNull());

  it('has a name of its own', () => {
    const names = operators.map(({ family, name }) => `${family}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

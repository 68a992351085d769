/** A mutant of each family; all of them are made in `../../cli/corrupt.gate.test.ts`. */
import { describe, expect, it } from 'vitest';
import { Memory } from '../../read/memory.js';
import { goodSessions } from '../../testing/sessions/bundle.js';
import { isLeading, withoutPlaceInSessions } from '../../testing/operators.js';
import { corrupt, operatorList } from '../corrupt.js';

describe('a mutant of each family of the small sessions', () => {
  const wanted = isLeading('sessions/v1');
  const few = operatorList('sessions/v1').filter(wanted);
  const corruption = corrupt(goodSessions(), new Memory(), wanted);

  it('was made, where there is a place for it', () => {
    expect(corruption.base).toBe('valid');
    const without = few.map(({ name }) => name).filter((name) => withoutPlaceInSessions.includes(name));
    expect(corruption.not_applicable).toEqual(without);
    expect(corruption.mutants).toBe(few.length - without.length);
  });

  it.each(corruption.results)('$operator', ({ expected, given }) => expect(given).toEqual(expected));

  it('has a name of its own', () => {
    const names = operatorList('sessions/v1').map(({ family, name }) => `${family}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

import { describe, expect, it } from 'vitest';
import { goodSessions } from '../../testing/sessions/bundle.js';
import { corrupt, operatorList } from '../corrupt.js';
import { faultMutations } from '../faults.js';
import { powerLossMutations } from '../power-loss.js';
import { syscallMutations } from '../syscalls.js';

/** A session is told nothing of places elsewhere, so no plan plants a reach for one; what a tracer told is the same for every subject. */
const withoutPlace = [
  ...[syscallMutations, powerLossMutations, faultMutations].flatMap((part) => Object.values(part).flat()).map(({ name }) => name),
  ...['the planted reach was not refused', 'another reach was refused than the planted one'],
];

describe('every mutant of the small sessions', () => {
  const corruption = corrupt(goodSessions());

  it('was made', () => {
    expect(corruption.base).toBe('valid');
    expect(corruption.not_applicable.toSorted()).toEqual(withoutPlace.toSorted());
    expect(corruption.mutants).toBe(operatorList('sessions/v1').length - withoutPlace.length);
  });

  it.each(corruption.results)('$operator', ({ expected, given }) => expect(given).toEqual(expected));

  it('has a name of its own', () => {
    const names = operatorList('sessions/v1').map(({ family, name }) => `${family}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

/** A mutant of each family; all of them are made in `../cli/corrupt.gate.test.ts`. */
import { describe, expect, it } from 'vitest';
import { Memory } from '../read/memory.js';
import { goodBundle } from '../testing/bundle.js';
import { changed, snapshot } from '../testing/match.js';
import { isLeading, named } from '../testing/operators.js';
import { corrupt, operatorList } from './corrupt.js';

describe('a mutant of each family of the small bundle', () => {
  const wanted = isLeading('calls/v1');
  const few = operatorList('calls/v1').filter(wanted);
  const corruption = corrupt(goodBundle(), new Memory(), wanted);

  it('was made', () => {
    expect(corruption.base).toBe('valid');
    expect(corruption.not_applicable).toEqual([]);
    expect(corruption.mutants).toBe(few.length);
  });

  it('is one of each, and the five that are named', () => {
    expect(new Set(few.map(({ family }) => family))).toEqual(new Set(operatorList('calls/v1').map(({ family }) => family)));
    expect(
      few
        .filter(({ name }) => named.includes(name))
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(named.toSorted());
  });

  it.each(corruption.results)('$operator', ({ expected, given }) => expect(given).toEqual(expected));

  it('has a name of its own', () => {
    const names = operatorList('calls/v1').map(({ family, name }) => `${family}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a bundle that is not valid itself', () => {
  it('is not broken further', () => {
    const bad = changed((editor) =>
      editor.process(snapshot(editor, 'manifest'), (value) => void (value.exit = { code: 0, signal: null })),
    );
    expect(corrupt(bad)).toMatchObject({ base: 'invalid', mutants: 0 });
  });
});

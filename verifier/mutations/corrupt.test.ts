import { describe, expect, it } from 'vitest';
import { goodBundle } from '../testing/bundle.js';
import { changed, snapshot } from '../testing/match.js';
import { corrupt, operatorList } from './corrupt.js';

describe('every mutant of the small bundle', () => {
  const corruption = corrupt(goodBundle());

  it('was made', () => {
    expect(corruption.base).toBe('valid');
    expect(corruption.not_applicable).toEqual([]);
    expect(corruption.mutants).toBe(operatorList('calls/v1').length);
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

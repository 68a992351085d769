/** Every way to break a bundle by hand, on the small bundle of calls: each judged in a test of its own. */
import { describe, expect, it } from 'vitest';
import { broken, changed, judged, snapshot } from '../testing/match.js';
import { corrupt, operatorList } from './corrupt.js';

describe('every mutant of the small bundle', () => {
  const operators = operatorList('calls/v1');

  it('is made of a valid one', () => expect(judged(changed(() => undefined)).verdict).toBe('valid'));

  it.each(operators.map((operator) => [`${operator.family}: ${operator.name}`, operator] as const))('%s', (_name, operator) => {
    const result = broken(operator);
    expect(result?.given).toEqual(result?.expected);
    expect(result).toMatchObject({ rejected: true });
  });

  it('has a name of its own', () => {
    const names = operators.map(({ family, name }) => `${family}: ${name}`);
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

/** A mutant of each family, each judged in a test of its own; all of them are made in `../cli/corrupt.gate.test.ts`. */
import { describe, expect, it } from 'vitest';
import { broken, changed, judged, snapshot } from '../testing/match.js';
import { isLeading, named } from '../testing/operators.js';
import { corrupt, operatorList } from './corrupt.js';

describe('a mutant of each family of the small bundle', () => {
  const operators = operatorList('calls/v1');
  const few = operators.filter(isLeading('calls/v1'));

  it('is made of a valid one', () => expect(judged(changed(() => undefined)).verdict).toBe('valid'));

  it('is one of each, and the five that are named', () => {
    expect(new Set(few.map(({ family }) => family))).toEqual(new Set(operators.map(({ family }) => family)));
    const names = few.map(({ name }) => name);
    expect(named.filter((name) => names.includes(name))).toEqual(named);
  });

  it.each(few.map((operator) => [`${operator.family}: ${operator.name}`, operator] as const))('%s', (_name, operator) => {
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

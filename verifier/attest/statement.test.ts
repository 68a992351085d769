import { describe, expect, it } from 'vitest';
import type { Verdict } from '../contract/types.js';
import { canonical } from '../read/canonical.js';
import { sha256 } from '../read/hash.js';
import { goodBundle } from '../testing/bundle.js';
import { changed, snapshot } from '../testing/match.js';
import { verify } from '../verdict.js';
import { hasRootHash, payloadOf, statementOf } from './statement.js';

const good = goodBundle();
const { verdict } = verify(good);
const bad = verify(
  changed((editor) => editor.process(snapshot(editor, 'manifest'), (value) => void (value.exit = { code: 0, signal: null }))),
).verdict;
const voided = verify(
  changed((editor) =>
    editor.json<{ void: unknown }>(
      'data/cases/first/case.json',
      (value) => void (value.void = { detail: 'd', reason: 'survivors', snapshot: 'producer' }),
    ),
  ),
).verdict;

interface TestResult {
  readonly result: string;
  readonly passedTests: readonly string[];
  readonly warnedTests: readonly string[];
  readonly failedTests: readonly string[];
}
const resultOf = (given: Verdict) => statementOf('result', given).predicate as TestResult;

describe('a statement', () => {
  it('is about the file whose hash is the root of the bag', () => {
    const root = sha256(good.files.get('tagmanifest-sha256.txt')!);
    for (const kind of ['result', 'matrix'] as const) {
      const { _type: type, subject } = statementOf(kind, verdict);
      expect(type).toBe('https://in-toto.io/Statement/v1');
      expect(subject).toEqual([{ digest: { sha256: root }, name: 'tagmanifest-sha256.txt' }]);
    }
  });

  it('is the same bytes for the same verdict', () => {
    for (const kind of ['result', 'matrix'] as const)
      expect(payloadOf(statementOf(kind, verify(good).verdict)).equals(payloadOf(statementOf(kind, verdict)))).toBe(true);
  });

  it('needs a root hash', () => {
    const files = new Map([...good.files].filter(([path]) => path !== 'tagmanifest-sha256.txt'));
    expect([hasRootHash(verdict), hasRootHash(verify({ ...good, files }).verdict)]).toEqual([true, false]);
  });
});

describe('the test result', () => {
  it('has the members that its predicate type asks for, and names the plan as its configuration', () => {
    const { predicate, predicateType } = statementOf('result', verdict);
    expect(predicateType).toBe('https://in-toto.io/attestation/test-result/v0.1');
    expect(Object.keys(predicate)).toEqual(['configuration', 'failedTests', 'passedTests', 'result', 'warnedTests']);
    expect(predicate).toMatchObject({
      configuration: [{ digest: { sha256: sha256(good.files.get('data/plan.json')!) }, name: 'data/plan.json' }],
    });
  });

  it.each<[string, Verdict, string]>([
    ['a valid confirmatory run has passed', { ...verdict, confirmatory: true }, 'PASSED'],
    ['a valid exploratory run comes with a warning', { ...verdict, confirmatory: false }, 'WARNED'],
    ['an invalid run has failed', bad, 'FAILED'],
    ['what is unknown has failed too, since a warning would be a pass', voided, 'FAILED'],
  ])('%s', (_what, given, result) => expect(resultOf(given).result).toBe(result));

  it('lists each claim once, by guarantee and scope, but for those that had nothing to judge', () => {
    for (const given of [verdict, bad, voided]) {
      const { passedTests, failedTests, warnedTests } = resultOf(given);
      const { held, broken, unknown } = given.claims;
      expect([passedTests.length, failedTests.length, warnedTests]).toEqual([held, broken + unknown, []]);
      expect(new Set([...passedTests, ...failedTests]).size).toBe(held + broken + unknown);
    }
    expect(resultOf(bad).failedTests).toContain('G5 manifest');
    expect(resultOf(voided).failedTests).toContain('G5 first');
    expect(resultOf(verdict).passedTests).toContain('G5 manifest');
  });
});

describe('the matrix', () => {
  it('is the verdict document, without the words about what is not covered', () => {
    const { predicate, predicateType } = statementOf('matrix', bad);
    expect(predicateType).toBe('urn:killpoint:verdict:v1');
    const { not_covered: words, ...rest } = bad;
    expect(words.length).toBeGreaterThan(0);
    expect(canonical(predicate)).toBe(canonical(rest));
  });
});

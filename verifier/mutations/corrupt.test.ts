import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTree } from '../read/tree.js';
import { goodBundle } from '../testing/bundle.js';
import { changed, snapshot } from '../testing/match.js';
import { corrupt, operatorList } from './corrupt.js';
import { forgeries } from './calls/forgeries.js';
import { raceMutations } from './calls/races.js';
import { reconciliationMutations } from './calls/reconciliations.js';
import { recoveryMutations } from './calls/recovery.js';

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

const kept = fileURLToPath(new URL('../../evidence/kept', import.meta.url));
/** Of the main plan; a fresh bundle of every plan is broken by the gate. */
const bundles = existsSync(kept)
  ? readdirSync(kept, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.startsWith('working-state') && path.endsWith('bagit.txt'))
      .map((path) => join(kept, path, '..'))
  : [];

/** What only a record with recoveries has a place for. */
const ofRecoveries = new Set(
  [reconciliationMutations, recoveryMutations, raceMutations, forgeries]
    .flatMap((part) => Object.values(part).flat())
    .map(({ name }) => name),
);

describe.runIf(bundles.length > 0)('every mutant of a kept bundle of the main plan', () => {
  it.each(bundles)('%s', { timeout: 120_000 }, (bundle) => {
    const { base, survivors, not_applicable: notApplicable, mutants } = corrupt(readTree(bundle));
    expect({ base, survivors }).toEqual({ base: 'valid', survivors: [] });
    expect(mutants).toBe(operatorList('calls/v1').length - notApplicable.length);
    // It has a place for all that is older than recoveries.
    expect(notApplicable.filter((name) => !ofRecoveries.has(name))).toEqual([]);
  });
});

/** Every mutant of the kept evidence of the main plan: the small bundle that is written by hand has not every place that a run has. */
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTree } from '../read/tree.js';
import { corrupt, operatorList } from './corrupt.js';
import { forgeries } from './calls/forgeries.js';
import { raceMutations } from './calls/races.js';
import { reconciliationMutations } from './calls/reconciliations.js';
import { recoveryMutations } from './calls/recovery.js';
import { faultMutations } from './faults.js';
import { powerLossMutations } from './power-loss.js';
import { syscallMutations } from './syscalls.js';

const kept = fileURLToPath(new URL('../../evidence/kept', import.meta.url));
/** Of the main plan; a fresh bundle of every plan is broken by the gate. */
const bundles = existsSync(kept)
  ? readdirSync(kept, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.startsWith('working-state') && path.endsWith('bagit.txt'))
      .map((path) => join(kept, path, '..'))
  : [];

/** What only a record with recoveries, with kills before system calls, with a power loss or with calls that failed has a place for. */
const ofLaterPlans = new Set(
  [reconciliationMutations, recoveryMutations, raceMutations, syscallMutations, powerLossMutations, faultMutations, forgeries]
    .flatMap((part) => Object.values(part).flat())
    .map(({ name }) => name),
);

describe.runIf(bundles.length > 0)('every mutant of a kept bundle of the main plan', () => {
  it.each(bundles)('%s', { timeout: 120_000 }, (bundle) => {
    const { base, survivors, not_applicable: notApplicable, mutants } = corrupt(readTree(bundle));
    expect({ base, survivors }).toEqual({ base: 'valid', survivors: [] });
    expect(mutants).toBe(operatorList('calls/v1').length - notApplicable.length);
    // It has a place for all that is older than those.
    expect(notApplicable.filter((name) => !ofLaterPlans.has(name))).toEqual([]);
  });
});

/**
 * A few thousand random histories, lawful and broken, against three accounts of them, as many as fit into a few seconds of one core: short
 * ones, and nothing but what is projected. Files, processes and long histories are for the campaigns (`differential.gate.test.ts`, and
 * `tsx scripts/differential.ts`).
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuild, root } from '../build.mjs';
import { historyOf, shortRecipesOf } from './history/generate.js';
import { inWords } from './history/words.js';
import { projections, type Project } from './projections.js';
import { contractOf } from './write/contract.js';

const seed = 20_261_201;
let project: Project;

beforeAll(async () => {
  project = await projections(process.env['KILLPOINT_BUILD'] ?? ensureBuild(), contractOf(root));
}, 120_000);

describe('the runtime, the verifier and the words of the contract', () => {
  it.each([
    ['calls', 'lawful', 600],
    ['calls', 'broken', 600],
    ['sessions', 'lawful', 400],
    ['sessions', 'broken', 400],
  ] as const)(
    'project the same from short histories of %s that are %s: %i',
    (subject, kind, histories) => {
      let [looked, found] = [0, 0];
      for (const recipe of fc.sample(shortRecipesOf(subject, kind), { numRuns: histories, seed })) {
        const history = historyOf(subject, recipe);
        const outcome = project(history);
        if (outcome === null) continue;
        looked += 1;
        if (outcome.account.broken.length > 0) found += 1;
        if (outcome.wrong.length > 0) expect.fail(`${outcome.wrong.join('\n')}\n${inWords(history)}`);
      }
      // Lawful ones can all be read; of the broken ones enough that the order of what they hold is broken, and not only their bytes.
      if (kind === 'lawful') expect([looked, found]).toEqual([histories, 0]);
      else expect(found).toBeGreaterThan(histories / 8);
    },
    60_000,
  );
});

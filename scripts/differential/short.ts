/** Short random histories, lawful and broken, against three accounts of them; only what is projected, in this process. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { ensureBuild, root } from '../build.mjs';
import { historyOf, shortRecipesOf } from './history/generate.js';
import { inWords } from './history/words.js';
import { projections, type Project } from './projections.js';
import { contractOf } from './write/contract.js';

const seed = 20_261_201;

export const shortProjections = (): Promise<Project> =>
  projections(process.env['KILLPOINT_BUILD'] ?? ensureBuild(), contractOf(root));

/** Of the histories of one seed those from one number up to another. */
export function expectSameProjections(
  project: Project,
  subject: 'calls' | 'sessions',
  kind: 'lawful' | 'broken',
  [from, to]: readonly [from: number, to: number],
): void {
  let [looked, found] = [0, 0];
  for (const recipe of fc.sample(shortRecipesOf(subject, kind), { numRuns: to, seed }).slice(from)) {
    const history = historyOf(subject, recipe);
    const outcome = project(history);
    if (outcome === null) continue;
    looked += 1;
    if (outcome.account.broken.length > 0) found += 1;
    if (outcome.wrong.length > 0) expect.fail(`${outcome.wrong.join('\n')}\n${inWords(history)}`);
  }
  // Lawful ones can all be read; of the broken ones enough that the order of what they hold is broken, and not only their bytes.
  if (kind === 'lawful') expect([looked, found]).toEqual([to - from, 0]);
  else expect(found).toBeGreaterThan((to - from) / 8);
}

/**
 * A few hundred random histories, lawful and broken, against three accounts of them: short ones, and nothing but what is projected. More of
 * them are for the gate (`projections.gate.test.ts`), files, processes and long histories for the campaigns (`differential.gate.test.ts`, and
 * `tsx scripts/differential.ts`).
 */
import { beforeAll, describe, it } from 'vitest';
import type { Project } from './projections.js';
import { expectSameProjections, shortProjections } from './short.js';

let project: Project;

beforeAll(async () => {
  project = await shortProjections();
}, 120_000);

describe('the runtime, the verifier and the words of the contract', () => {
  it.each([
    ['calls', 'lawful', 0, 120],
    ['calls', 'broken', 0, 120],
    ['sessions', 'lawful', 0, 80],
    ['sessions', 'broken', 0, 80],
  ] as const)(
    'project the same from short histories of %s that are %s: from %i to %i',
    (subject, kind, from, to) => expectSameProjections(project, subject, kind, [from, to]),
    60_000,
  );
});

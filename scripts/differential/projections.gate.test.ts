/** More of the short histories that `projections.test.ts` begins with. */
import { beforeAll, describe, it } from 'vitest';
import type { Project } from './projections.js';
import { expectSameProjections, shortProjections } from './short.js';

let project: Project;

beforeAll(async () => {
  project = await shortProjections();
}, 120_000);

describe('the runtime, the verifier and the words of the contract', () => {
  it.each([
    ['calls', 'lawful', 120, 600],
    ['calls', 'broken', 120, 600],
    ['sessions', 'lawful', 80, 400],
    ['sessions', 'broken', 80, 400],
  ] as const)(
    'project the same from short histories of %s that are %s: from %i to %i',
    (subject, kind, from, to) => expectSameProjections(project, subject, kind, [from, to]),
    60_000,
  );
});

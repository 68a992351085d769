/** Every prefix of a log is a log, as in `resume.test.ts`: with the other two pairs of batch and commit. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { behaviours, expectResumed } from '../testing/cuts.js';
import { startStrictProvider, type StrictProvider } from '../testing/strict-provider.js';

const provider: { now?: StrictProvider } = {};
beforeAll(async () => {
  provider.now = await startStrictProvider(behaviours);
});
afterAll(async () => provider.now?.close());

describe.each([
  { batch: 'parallel', commit: 'grouped' },
  { batch: 'sequential', commit: 'each' },
] as const)('a run with a $batch batch, cut anywhere ($commit)', (way) => {
  test(
    'is resumed without a second request of any key, says so, and is closed where nobody can know',
    () => expectResumed(way, provider.now!),
    30_000,
  );
});

/** Recovery that dies at each of its own commits, as in `sweep.test.ts`, from everywhere else where it goes furthest. */
import { afterEach, beforeEach, describe, test } from 'vitest';
import { startKeyedProvider, type KeyedProvider } from '../testing/keyed-provider.js';
import { expectSameEnd, otherStarts } from '../testing/sweep.js';

let provider: KeyedProvider;
beforeEach(async () => {
  provider = await startKeyedProvider();
});
afterEach(() => provider.close());

describe.each(otherStarts)('from $row', (start) => {
  test('killed at each commit, it comes to the same end', () => expectSameEnd(start, provider), 20_000);
});

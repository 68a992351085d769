/**
 * Recovery that dies at each of its own commits, and is done again: it reaches the same end, and where nothing was under way the same events.
 *
 * A process that dies is one whose listener throws: nothing after that commit happens. The kills of real processes are the harness's.
 * From where else it is done is in `sweep.gate.test.ts`.
 */
import { afterEach, beforeEach, describe, test } from 'vitest';
import { startKeyedProvider, type KeyedProvider } from '../testing/keyed-provider.js';
import { expectSameEnd, firstStarts } from '../testing/sweep.js';

let provider: KeyedProvider;
beforeEach(async () => {
  provider = await startKeyedProvider();
});
afterEach(() => provider.close());

describe.each(firstStarts)('from $row', (start) => {
  test('killed at each commit, it comes to the same end', () => expectSameEnd(start, provider), 20_000);
});

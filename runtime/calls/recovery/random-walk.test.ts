/**
 * No stage without a way out, and nothing paid for twice unasked, wherever a random walk leads (`testing/random-walk.ts` demands it at each
 * step). Two walks of one seed leave the same events.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonical } from '../../core/canonical.js';
import type { LedgerEvent } from '../core/events.js';
import { table } from '../core/work-state-table.js';
import { Walk } from '../testing/random-walk.js';
import { startUnreliableProvider } from '../testing/unreliable-provider.js';

let server: Awaited<ReturnType<typeof startUnreliableProvider>>;
beforeAll(async () => {
  server = await startUnreliableProvider();
});
afterAll(() => server.close());

async function walk(seed: number, sharedKeys: boolean): Promise<Walk> {
  const walked = new Walk(seed, sharedKeys, server.begin, server.url);
  await walked.run(18);
  return walked;
}

/** What two walks of one seed have in common: everything but times, and the digests over them. */
function comparable(events: readonly LedgerEvent[]): string {
  return canonical(events.map(({ recorded_at: _at, digest: _digest, ...event }) => event));
}

/** More of them, elsewhere, by hand: `WALKS=1000 FROM=5000`. */
const [walks, from] = [Number(process.env['WALKS'] ?? 5), Number(process.env['FROM'] ?? 1)];
const seeds = Array.from({ length: walks }, (_unused, index) => from + index);

test.each([false, true])(
  'from wherever a walk leads there is a way out (calls that share keys: %s)',
  async (sharedKeys) => {
    const reached = new Set<string>();
    for (const seed of seeds) for (const stage of (await walk(seed, sharedKeys)).reached) reached.add(stage);
    // A few walks lead to half of the stages; the rest are met by more of them.
    expect(reached.size).toBeGreaterThanOrEqual(table.length / 2);
  },
  600_000,
);

test('two walks of one seed leave the same events', async () => {
  const [first, second] = [await walk(7, true), await walk(7, true)];
  expect(first.events.length).toBeGreaterThan(20);
  expect(comparable(second.events)).toBe(comparable(first.events));
});

/**
 * Every prefix of a log is a log: a run is copied at each of its barriers, and each copy is resumed, twice, and talked to.
 *
 * The copies hold what is durable at that moment, as a crash there would leave it; the crash tests do the same with real kills.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { openSessionReader } from '../api/reader.js';
import { behaviours, cuts, expectResumed, inDoubt, names, tools } from '../testing/cuts.js';
import { config, payloads } from '../testing/session.js';
import { startStrictProvider, type StrictProvider } from '../testing/strict-provider.js';

const provider: { now?: StrictProvider } = {};
beforeAll(async () => {
  provider.now = await startStrictProvider(behaviours);
});
afterAll(async () => provider.now?.close());

describe.each([
  { batch: 'sequential', commit: 'grouped' },
  { batch: 'parallel', commit: 'each' },
] as const)('a run with a $batch batch, cut anywhere ($commit)', (way) => {
  test(
    'is resumed without a second request of any key, says so, and is closed where nobody can know',
    () => expectResumed(way, provider.now!),
    30_000,
  );
});

test('the same message again takes up its own run after a crash; another message leaves it', async () => {
  const { url, received, refused } = provider.now!;
  for (const text of ['Three, please.', 'Something else.']) {
    for (const { after: where, folder } of await cuts(provider.now!, { config: { ...config, tools } })) {
      if (where.endsWith('run_finished')) continue;
      const doubtful = inDoubt(folder);
      const wasOver = openSessionReader(folder).state().runs[0]?.stage === 'natural_end';
      const from = received.length;
      const session = openSession(folder, { providerUrl: url });
      const isSame = text === 'Three, please.';
      const end = await session.send({ runId: isSame ? 'run-a' : 'run-b', text });
      const isLost = doubtful.some((id) => names[Number(id.slice(1))] === 'charge');
      const [first] = payloads(folder, 'run_finished');
      expect(first, where).toMatchObject({
        run_id: 'run-a',
        reason: isSame && !isLost ? 'completed' : wasOver ? 'completed' : 'interrupted',
      });
      expect(payloads(folder, 'run_started'), where).toHaveLength(isSame ? 1 : 2);
      expect(end, where).toMatchObject({ runId: isSame ? 'run-a' : 'run-b' });
      // What another message leaves is closed: nothing of it is sent, not even what never left.
      const ofFirst = received.slice(from).filter(({ key }) => key.startsWith('s-1/run-a/'));
      if (!isSame) expect(ofFirst, where).toEqual([]);
      session.close();
    }
  }
  expect(refused()).toEqual([]);
}, 30_000);

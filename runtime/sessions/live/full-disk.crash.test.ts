/** A disk that fills up in the middle of a barrier: nothing is dispatched after it, and the next process reads what there is. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSessionReader } from '../api/reader.js';
import { openSession } from '../api/session.js';
import { runChild } from '../testing/child.js';
import { config, newFolder, payloads } from '../testing/session.js';
import { startStrictProvider } from '../testing/strict-provider.js';

test.each([3, 4, 5, 6])('at %i KiB', async (fileKibibytes) => {
  const calls = Array.from({ length: 4 }, (_value, at) => ({ id: `c${at}`, name: 'charge' }));
  const provider = await startStrictProvider({
    model: (_conversation, turn) => (turn === 0 ? { text: 'Four.', calls } : { text: 'Done.' }),
    effect: (name) => `${name} ${'x'.repeat(700)}`,
  });
  const folder = newFolder();
  const { said } = await runChild({
    folder,
    options: { create: true, sessionId: 's-1', providerUrl: provider.url, config },
    acts: [{ send: { runId: 'run-a', text: 'Four.' } }],
    fileKibibytes,
  });
  expect(said).toMatchObject([{ error: 'log-failed' }]);
  expect(statSync(join(folder, 'session.wal')).size).toBe(fileKibibytes * 1024);
  // What left had its intent; of what the log could not hold, at most one call had left before.
  const intents = payloads(folder, 'tool_dispatch_intent').length;
  const results = payloads(folder, 'tool_result').length;
  const sent = Object.values(provider.toolKeys());
  expect(sent.length).toBeLessThanOrEqual(Math.min(intents, results + 1));
  expect(openSessionReader(folder).tornBytes).toBeGreaterThan(0);
  const session = openSession(folder, { providerUrl: provider.url });
  await session.recover();
  expect(await session.send({ runId: 'run-b', text: 'Well?' })).toMatchObject({ status: 'finished' });
  session.close();
  expect(openSessionReader(folder).tornBytes).toBe(0);
  expect(Object.values(provider.toolKeys()).every((count) => count === 1)).toBe(true);
  expect(provider.refused()).toEqual([]);
  await provider.close();
});

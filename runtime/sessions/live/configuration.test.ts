/** The recorded configuration renders: an old run keeps the bytes that it had, and one that cannot be rendered again is not asked about. */
import { expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { frozenBundle } from '../core/config.js';
import { runConfig } from '../core/testing/log.js';
import type { RunConfig } from '../core/vocabulary.js';
import { SessionLog } from '../log/session-log.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, copyState, newFolder } from '../testing/session.js';
import { startStrictProvider } from '../testing/strict-provider.js';

const begin = openedSessions();

test.each([1, 2] as const)(
  'a run that was begun under renderer version %i goes on under it, byte for byte',
  async (renderVersion) => {
    const copies: string[] = [];
    const { session, folder, provider } = await begin(
      { model: (_conversation, turn) => (turn === 0 ? { calls: [{ id: 'c0', name: 'mail' }] } : { text: 'Done.' }) },
      {
        config: { ...config, renderVersion },
        onCommitted: (committed) => void (committed.at(-1)?.type === 'turn_finished' && copies.push(copyState(folder))),
      },
    );
    await session.send({ runId: 'run-a', text: 'Mail.' });
    const [first, second] = provider.received.filter(({ path }) => path === '/v1/chat/completions').map(({ body }) => body);
    const frozen = (body = '{}') => Object.keys(JSON.parse(body) as object);
    for (const body of [first, second]) expect(frozen(body).includes('parallel_tool_calls')).toBe(renderVersion === 2);
    // Another process, which is told no version and would take the newest for a run of its own.
    const resumed = openSession(copies[0] ?? '', { providerUrl: provider.url });
    expect(await resumed.recover()).toMatchObject({ reason: 'completed' });
    resumed.close();
    expect(provider.received.at(-1)?.body).toBe(second);
  },
);

/** A log whose only run was begun under this configuration, and that holds nothing of a step. */
function begunUnder(recorded: RunConfig): string {
  const folder = newFolder();
  const log = SessionLog.create(folder, { sessionId: 's-1' });
  const payload = { run_id: 'run-a', session_id: 's-1', config: recorded, input: { text: 'Hi.' } };
  log.append([{ type: 'run_started', payload }], { sync: true });
  log.close();
  return folder;
}

const good = runConfig();
const render = (changes: Partial<RunConfig['render']>): RunConfig => ({ ...good, render: { ...good.render, ...changes } });

test.each([
  ['of a version that is not there', 'renderer_version_drift', render({ version: 3 })],
  ['whose bundle is missing', 'frozen_render_config_unverifiable', render({ bundle: null })],
  ['whose bundle cannot be read', 'frozen_render_config_unverifiable', render({ bundle: '{"model":' })],
  [
    'whose bundle no longer renders equal',
    'frozen_render_config_drift',
    render({ bundle: frozenBundle({ ...good, system: 'You helped.' }, 2) }),
  ],
])('a run %s is refused for good, before any request and with nothing recorded', async (_what, reason, recorded) => {
  const provider = await startStrictProvider({ model: () => ({ text: 'Hello.' }) });
  const folder = begunUnder(recorded);
  const before = bytesOf(folder);
  for (let time = 0; time < 2; time += 1) {
    const session = openSession(folder, { providerUrl: provider.url });
    await expect(session.recover()).rejects.toMatchObject({ reason, operation: 'run_step', on: 'run-a' });
    await expect(session.send({ runId: 'run-a', text: 'Hi.' })).rejects.toMatchObject({ reason });
    session.close();
  }
  expect([bytesOf(folder), provider.received]).toEqual([before, []]);
  const same = begunUnder(good);
  const session = openSession(same, { providerUrl: provider.url });
  expect(await session.recover()).toMatchObject({ reason: 'completed', text: 'Hello.' });
  session.close();
  await provider.close();
});

/** How a run is closed out: every call gets its terminal in one barrier, the run its end in one of its own, and neither twice. */
import { expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { openedSessions } from '../testing/opened.js';
import { config, copyState, payloads, types } from '../testing/session.js';

const begin = openedSessions();
const calls = ['charge', 'mail'].map((name, at) => ({ id: `c${at}`, name }));

/** The state that a crash leaves after the first record of a type. */
async function leftAfter(type: string, changes: object = {}): Promise<{ copy: string; url: string; asked: () => number }> {
  const copies: string[] = [];
  const { session, folder, provider } = await begin(
    { model: (_conversation, turn) => (turn === 0 ? { calls } : { text: 'Done.' }) },
    {
      config: { ...config, ...changes },
      onCommitted: (committed) => void (committed.some((frame) => frame.type === type) && copies.push(copyState(folder))),
    },
  );
  await session.send({ runId: 'run-a', text: 'Two.' });
  return { copy: copies[0] ?? '', url: provider.url, asked: () => provider.received.length };
}

/** Resumes, and says which types were durable together. */
async function resumed(folder: string, url: string): Promise<string[]> {
  const barriers: string[] = [];
  const session = openSession(folder, {
    providerUrl: url,
    onCommitted: (committed) => void barriers.push(committed.map(({ type }) => type).join(' ')),
  });
  await session.recover();
  session.close();
  return barriers;
}

const closing = 'tool_batch_finished turn_finished';

test.each([
  ['what may have left', 'tool_dispatch_intent', {}, `tool_result tool_result ${closing}`, 'interrupted'],
  ['what came back and what may have left', 'tool_result', { batch: 'parallel' }, `tool_result ${closing}`, 'interrupted'],
  [
    'a step at the limit',
    'model_step_finished',
    { maxSteps: 1 },
    `tool_batch_started tool_result tool_result ${closing}`,
    'max_steps',
  ],
] as const)('of %s is two barriers: all that is missing, and the end', async (_what, type, changes, first, reason) => {
  const { copy, url, asked } = await leftAfter(type, changes);
  const before = asked();
  expect(await resumed(copy, url)).toEqual([`lineage resume_started ${first}`, 'run_finished']);
  expect(payloads(copy, 'run_finished')).toMatchObject([{ reason }]);
  expect(asked()).toBe(before);
});

test('that was cut between its barriers gets its end, and no call a second terminal', async () => {
  const { copy, url } = await leftAfter('tool_dispatch_intent');
  const copies: string[] = [];
  const session = openSession(copy, { providerUrl: url, onCommitted: () => copies.push(copyState(copy)) });
  await session.recover();
  session.close();
  const [between = ''] = copies;
  expect(types(between).at(-1)).toBe('turn_finished');
  expect(await resumed(between, url)).toEqual(['lineage resume_started run_finished']);
  expect(payloads(between, 'tool_result').map(({ tool_call_id: id }) => id)).toEqual(['c0', 'c1']);
});

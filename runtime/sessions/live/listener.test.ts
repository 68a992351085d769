/** A listener may act in the middle of what was decided before: what cannot follow any more is refused before it is written. */
import { describe, expect, test } from 'vitest';
import type { SessionOptions } from '../api/options.js';
import { openSessionReader } from '../api/reader.js';
import { openedSessions, type Opened } from '../testing/opened.js';
import { types } from '../testing/session.js';

const begin = openedSessions();

/** A run that waits for a person, in a session whose listener acts once at a record of what comes then. */
async function paused(commit: 'each' | 'grouped', at: string, act: (opened: Opened) => void): Promise<Opened> {
  let armed = false;
  const tools = [{ name: 'pay', kind: 'http', effect: 'pay', approval: 'required' }] as const;
  const config = { model: 'synthetic-1', system: 'You help.', tools: [...tools] };
  const options: SessionOptions = {
    commit,
    config,
    onCommitted: (frames) => {
      if (!armed || !frames.some(({ type }) => type === at)) return;
      armed = false;
      act(opened);
    },
  };
  const opened = await begin(
    {
      model: (conversation) =>
        conversation.at(-1)?.content === 'Pay.' ? { calls: [{ id: 'call-1', name: 'pay' }] } : { text: 'Done.' },
    },
    options,
  );
  expect(await opened.session.send({ runId: 'run-a', text: 'Pay.' })).toMatchObject({ status: 'paused' });
  armed = true;
  return opened;
}

describe.each(['each', 'grouped'] as const)('a listener, %s', (commit) => {
  test('queues under the id of the run that would start next: it waits, and no log is damaged', async () => {
    const { session, folder } = await paused(commit, 'run_finished', (opened) =>
      opened.session.queue({ submissionId: 'run-b', text: 'Again.' }),
    );
    await expect(session.send({ runId: 'run-b', text: 'Again.' })).rejects.toMatchObject({ code: 'input-invalid' });
    expect(types(folder).at(-1)).toBe('queued');
    expect(await session.send({ runId: 'run-c', text: 'Third.' })).toMatchObject({ runId: 'run-c', reason: 'completed' });
    expect(openSessionReader(folder).state()).toMatchObject({ next_operation: 'none', queue: [] });
  });

  test('answers about a call that is closed out: refused, nothing written, and the close-out goes on', async () => {
    const refused: unknown[] = [];
    const { session, folder } = await paused(commit, 'tool_batch_started', (opened) => {
      try {
        opened.session.approve({ toolCallId: 'call-1', decision: 'approved', by: 'somebody' });
      } catch (error) {
        refused.push(error);
      }
    });
    expect(await session.send({ runId: 'run-b', text: 'Never mind.' })).toMatchObject({ reason: 'completed' });
    expect(refused).toEqual([expect.any(Error)]);
    expect(types(folder)).not.toContain('approval_resolved');
    expect(
      openSessionReader(folder)
        .state()
        .runs.map(({ stage }) => stage),
    ).toEqual(['finished', 'finished']);
  });
});

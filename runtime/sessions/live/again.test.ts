/** A message that is sent again under its id: it is the same one, whichever way it was sent, and nothing of it happens twice. */
import { describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { heldModel } from '../testing/held-model.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, copyState, payloads, signal, types } from '../testing/session.js';
import type { Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const says: Behaviours = { model: (conversation) => ({ text: `To ${String(conversation.at(-1)?.content)}` }) };
const started = (folder: string): unknown[] => payloads(folder, 'run_started').map(({ run_id: id }) => id);

describe('a message that is sent again', () => {
  const steered = { runId: 'steer-1', text: 'Shorter.', delivery: 'steer' } as const;
  /** A run that was steered, the message sent again meanwhile, and the folder as it was right after the steer. */
  async function ended() {
    const copies: string[] = [];
    const { asked, go, behaviours } = heldModel();
    const opened = await begin(behaviours, {
      onCommitted: (committed) =>
        void (committed.some(({ type }) => type === 'steered') && copies.push(copyState(opened.folder))),
    });
    const first = opened.session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    const joined = opened.session.send(steered);
    // Whichever way: it goes on in the run that it joined.
    const again = (['steer', 'queue', 'interrupt'] as const).map((delivery) => opened.session.send({ ...steered, delivery }));
    opened.session.queue({ submissionId: steered.runId, text: steered.text });
    go();
    const end = await first;
    expect(await Promise.all([joined, ...again])).toEqual([end, end, end, end]);
    expect(types(opened.folder).filter((type) => type === 'queued' || type === 'steered')).toEqual(['steered']);
    return { ...opened, end, copies };
  }

  test('after the run that it steered has ended is that steer, and no run of its own', async () => {
    const { session, folder, provider, end } = await ended();
    const [bytes, asked] = [bytesOf(folder), provider.received.length];
    for (const delivery of ['steer', 'queue', 'interrupt'] as const)
      expect(await session.send({ ...steered, delivery })).toEqual(end);
    session.steer({ text: steered.text, sendId: steered.runId });
    session.queue({ submissionId: steered.runId, text: steered.text });
    for (const refused of [
      () => session.steer({ text: 'Longer.', sendId: 'steer-1' }),
      () => session.queue({ submissionId: 'steer-1', text: 'Longer.' }),
      () => session.queue({ submissionId: 'run-a', text: 'Longer.' }),
      () => session.steer({ text: 'Longer.', sendId: 'run-a' }),
    ])
      expect(refused).toThrow(expect.objectContaining({ reason: 'run_conflict' }));
    await expect(session.send({ ...steered, text: 'Longer.' })).rejects.toMatchObject({ reason: 'run_conflict', on: 'steer-1' });
    expect([bytesOf(folder), provider.received.length]).toEqual([bytes, asked]);
  });

  test('while a later run goes on neither joins nor waits', async () => {
    const asked = signal();
    const go = signal();
    const { session, folder } = await begin({
      model: (conversation) => {
        const said = conversation.at(-1);
        return said?.role === 'user' && said.content !== 'Shorter.' ? { calls: [{ id: 'c0', name: 'mail' }] } : { text: 'Done.' };
      },
      effect: async (name) => {
        asked.settle();
        if (payloads(folder, 'run_started').length === 2) await go.promise;
        else session.steer({ text: 'Shorter.', sendId: 'steer-1' });
        return name;
      },
    });
    const first = await session.send({ runId: 'run-a', text: 'First.' });
    const second = session.send({ runId: 'run-b', text: 'Second.' });
    await asked.promise;
    session.steer({ text: 'Shorter.', sendId: 'steer-1' });
    expect(await session.send(steered)).toEqual(first);
    go.settle();
    expect(await second).toMatchObject({ runId: 'run-b', reason: 'completed' });
    expect(payloads(folder, 'steered')).toEqual([expect.objectContaining({ run_id: 'run-a', send_id: 'steer-1' })]);
    expect([started(folder), payloads(folder, 'queued')]).toEqual([['run-a', 'run-b'], []]);
  });

  test('after a crash takes up the run that it joined', async () => {
    const { copies, provider } = await ended();
    const other = openSession(copies[0]!, { providerUrl: provider.url });
    expect(await other.send(steered)).toMatchObject({ runId: 'run-a', status: 'finished' });
    expect(started(copies[0]!)).toEqual(['run-a']);
    other.close();
  });

  test('as one that was queued before is that one, whatever became of it, and never a steer', async () => {
    const { session, folder } = await begin(says);
    session.queue({ submissionId: 'plain-1', text: 'one' });
    session.steer({ text: 'one', sendId: 'plain-1' });
    const end = await session.send({ runId: 'plain-1', text: 'one', delivery: 'steer' });
    expect(end).toMatchObject({ runId: 'plain-1', reason: 'completed' });
    session.queue({ submissionId: 'plain-1', text: 'one', delivery: 'interrupt' });
    expect(await session.send({ runId: 'plain-1', text: 'one' })).toEqual(end);
    expect([started(folder), types(folder).filter((type) => type === 'queued' || type === 'steered')]).toEqual([
      ['plain-1'],
      ['queued'],
    ]);
  });
});

/** Messages from outside: what waits, what interrupts, what drains, and in which order. */
import { describe, expect, test } from 'vitest';
import { openSession, type Session } from '../api/session.js';
import { heldModel } from '../testing/held-model.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, copyState, payloads, types } from '../testing/session.js';
import { cut, type Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const says: Behaviours = { model: (conversation) => ({ text: `To ${String(conversation.at(-1)?.content)}` }) };
const started = (folder: string): unknown[] => payloads(folder, 'run_started').map(({ run_id: id }) => id);

describe('a queued message', () => {
  test('runs after the run that goes on, under its own id, before the sender hears', async () => {
    const { asked, go, behaviours } = heldModel();
    const { session, folder } = await begin(behaviours);
    const ending = session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    session.queue({ submissionId: 'plain-1', text: 'Second.' });
    session.queue({ submissionId: 'plain-1', text: 'Second.' });
    expect(() => session.queue({ submissionId: 'plain-1', text: 'Another.' })).toThrow(
      expect.objectContaining({ reason: 'run_conflict' }),
    );
    go();
    expect(await ending).toMatchObject({ runId: 'run-a', reason: 'completed' });
    expect(started(folder)).toEqual(['run-a', 'plain-1']);
    expect(payloads(folder, 'run_started')[1]).toMatchObject({ submission_id: 'plain-1', input: { text: 'Second.' } });
    expect(session.state()).toMatchObject({ queue: [], next_operation: 'none' });
  });

  test('goes in front where it interrupts, and ends the run at its boundary', async () => {
    const { asked, go, behaviours } = heldModel();
    const { session, folder, provider, barriers } = await begin(behaviours);
    const ending = session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    session.queue({ submissionId: 'plain-1', text: 'Third.' });
    session.queue({ submissionId: 'urgent-1', text: 'Second.', delivery: 'interrupt' });
    session.queue({ submissionId: 'urgent-2', text: 'Second too.', delivery: 'interrupt' });
    session.queue({ submissionId: 'plain-2', text: 'Not at all.' });
    session.retract('plain-2');
    session.retract('plain-2');
    expect(barriers.slice(-5)).toEqual(['queued', 'queued run_cancel_requested', 'queued', 'queued', 'retracted']);
    go();
    expect(await ending).toMatchObject({ runId: 'run-a', reason: 'cancelled' });
    expect(started(folder)).toEqual(['run-a', 'urgent-1', 'urgent-2', 'plain-1']);
    expect(Object.keys(provider.toolKeys())).toHaveLength(1);
    expect(() => session.retract('plain-1')).toThrow(expect.objectContaining({ reason: 'nothing_open' }));
    // The same message is what became of it; another text under its id is another message.
    expect(await session.send({ runId: 'plain-2', text: 'Not at all.' })).toEqual({
      status: 'retracted',
      submissionId: 'plain-2',
    });
    await expect(session.send({ runId: 'plain-2', text: 'After all.' })).rejects.toMatchObject({ reason: 'run_conflict' });
  });

  test('waits for the owner after an interrupted run, and a resume is the owner’s word', async () => {
    const { session, folder, provider } = await begin({
      model: (_conversation, turn) => (turn === 0 ? { calls: [{ id: 'c0', name: 'charge' }] } : { text: 'Done.' }),
      effect: () => {
        session.queue({ submissionId: 'plain-1', text: 'Later.' });
        return cut;
      },
    });
    expect(await session.send({ runId: 'run-a', text: 'Charge.' })).toMatchObject({ reason: 'interrupted' });
    expect(started(folder)).toEqual(['run-a']);
    expect(session.state()).toMatchObject({ next_operation: 'none', queue: [{ submission_id: 'plain-1' }] });
    expect(provider.conversations()).toHaveLength(1);
    expect(await session.recover()).toMatchObject({ runId: 'plain-1', reason: 'completed' });
    expect(await session.recover()).toEqual({ status: 'idle' });
  });

  test('waits for the owner after a resume that sealed interrupted: that one asks nothing', async () => {
    const copies: string[] = [];
    const { session, folder, provider } = await begin(
      { model: (_conversation, turn) => (turn === 0 ? { calls: [{ id: 'c0', name: 'charge' }] } : { text: 'Done.' }) },
      {
        onCommitted: (committed) =>
          void (committed.some(({ type }) => type === 'tool_dispatch_intent') && copies.push(copyState(folder))),
      },
    );
    await session.send({ runId: 'run-a', text: 'Charge.' });
    const asked = provider.received.length;
    const other = openSession(copies[0]!, { providerUrl: provider.url });
    other.queue({ submissionId: 'plain-1', text: 'Later.' });
    expect(await other.recover()).toMatchObject({ runId: 'run-a', reason: 'interrupted' });
    expect(provider.received).toHaveLength(asked);
    expect(await other.send({ runId: 'run-b', text: 'Go on.' })).toMatchObject({ runId: 'run-b', reason: 'completed' });
    expect(started(copies[0]!)).toEqual(['run-a', 'run-b', 'plain-1']);
    other.close();
  });

  test('left in an idle session is drained by the next recover, which asks for it; a plain resume is refused', async () => {
    const { session, folder } = await begin(says);
    session.queue({ submissionId: 'plain-1', text: 'one' });
    session.queue({ submissionId: 'plain-2', text: 'two', delivery: 'interrupt' });
    expect(types(folder)).toEqual(['lineage', 'queued', 'queued']);
    expect(session.state()).toMatchObject({
      next_operation: 'none',
      queue: [{ submission_id: 'plain-2' }, { submission_id: 'plain-1' }],
    });
    const before = bytesOf(folder);
    await expect(session.resume()).rejects.toMatchObject({ reason: 'nothing_open', operation: 'none', on: null });
    expect(bytesOf(folder)).toEqual(before);
    expect(await session.recover()).toMatchObject({ runId: 'plain-2' });
    expect(started(folder)).toEqual(['plain-2', 'plain-1']);
    const bytes = bytesOf(folder);
    expect(await session.recover()).toEqual({ status: 'idle' });
    await expect(session.resume()).rejects.toMatchObject({ reason: 'nothing_open' });
    expect(bytesOf(folder)).toEqual(bytes);
  });
});

test('a queue is not drained without a provider: it waits, and no run fails', async () => {
  const copies: string[] = [];
  const { session, folder } = await begin(says, { commit: 'each', onCommitted: () => copies.push(copyState(folder)) });
  await session.send({ runId: 'run-a', text: 'one' });
  const ended = copies.at(-2) ?? '';
  const alone = openSession(ended);
  alone.queue({ submissionId: 'plain-1', text: 'two' });
  expect(await alone.recover()).toMatchObject({ runId: 'run-a', reason: 'completed' });
  expect(started(ended)).toEqual(['run-a']);
  await expect(alone.recover()).rejects.toMatchObject({ code: 'input-invalid' });
  expect(alone.state()).toMatchObject({ next_operation: 'drain_queue', on: 'plain-1' });
  alone.close();
});

test('a message that was queued is run by the same message of its owner, and by no other', async () => {
  const { session, folder } = await begin(says);
  session.queue({ submissionId: 'plain-1', text: 'one' });
  await expect(session.send({ runId: 'plain-1', text: 'two' })).rejects.toMatchObject({ reason: 'run_conflict' });
  expect(await session.send({ runId: 'plain-1', text: 'one' })).toMatchObject({ runId: 'plain-1', reason: 'completed' });
  expect(started(folder)).toEqual(['plain-1']);
});

describe('a send while a run goes on', () => {
  test('is queued, and its sender hears of its own end', async () => {
    const { asked, go, behaviours } = heldModel();
    const { session, folder } = await begin(behaviours);
    const first = session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    const second = session.send({ runId: 'run-b', text: 'Second.' });
    const third = session.send({ runId: 'run-c', text: 'Third.', delivery: 'interrupt' });
    const same = session.send({ runId: 'run-a', text: 'First.' });
    go();
    expect(await third).toMatchObject({ runId: 'run-c', reason: 'completed' });
    expect(await second).toMatchObject({ runId: 'run-b', reason: 'completed' });
    expect(await first).toMatchObject({ runId: 'run-a', reason: 'cancelled' });
    expect(await same).toEqual(await first);
    expect(started(folder)).toEqual(['run-a', 'run-c', 'run-b']);
  });

  test('steers where it says so, once for an id', async () => {
    const { asked, go, behaviours } = heldModel();
    const { session, provider, folder } = await begin(behaviours);
    const first = session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    const steered = session.send({ runId: 'steer-1', text: 'Shorter.', delivery: 'steer' });
    session.steer({ text: 'Shorter.', sendId: 'steer-1' });
    expect(() => session.steer({ text: 'Longer.', sendId: 'steer-1' })).toThrow(
      expect.objectContaining({ reason: 'run_conflict' }),
    );
    go();
    expect(await steered).toEqual(await first);
    expect(payloads(folder, 'steered')).toHaveLength(1);
    expect(provider.conversations()[1]?.at(-1)).toEqual({ role: 'user', content: 'Shorter.' });
    expect(() => session.steer({ text: 'Too late.' })).toThrow(expect.objectContaining({ reason: 'nothing_open' }));
  });

  test('hears of nothing where its message was taken back', async () => {
    const { asked, go, behaviours } = heldModel();
    const { session } = await begin(behaviours);
    const first = session.send({ runId: 'run-a', text: 'First.' });
    await asked;
    const second = session.send({ runId: 'run-b', text: 'Second.' });
    session.retract('run-b');
    go();
    expect(await first).toMatchObject({ reason: 'completed' });
    expect(await second).toEqual({ status: 'retracted', submissionId: 'run-b' });
  });

  test('hears that its message waits, where the run before it was interrupted', async () => {
    const second: { promise?: Promise<unknown> } = {};
    const { session } = await begin({
      model: () => ({ calls: [{ id: 'c0', name: 'charge' }] }),
      effect: () => {
        second.promise = session.send({ runId: 'run-b', text: 'Second.' });
        return cut;
      },
    });
    expect(await session.send({ runId: 'run-a', text: 'Charge.' })).toMatchObject({ reason: 'interrupted' });
    expect(await second.promise).toEqual({ status: 'waiting', submissionId: 'run-b' });
  });
});

test('whoever listens may steer, queue and send, and is answered with what is durable', async () => {
  const box: { session?: Session; promise?: Promise<unknown> | undefined } = {};
  const { session, folder } = await begin(says, {
    config: { ...config, maxSteps: 2 },
    onCommitted: (committed) => {
      const [{ type } = { type: '' }] = committed;
      if (type === 'run_started') box.session?.steer({ text: 'more', sendId: 'steer-1' });
      if (type === 'steered') expect(types(folder).at(-1)).toBe('steered');
      if (committed.at(-1)?.type === 'run_finished') box.promise ??= box.session?.send({ runId: 'run-b', text: 'two' });
    },
  });
  box.session = session;
  expect(await session.send({ runId: 'run-a', text: 'one' })).toMatchObject({ text: 'To one\n\nmore' });
  expect(await box.promise).toMatchObject({ runId: 'run-b', reason: 'completed' });
});

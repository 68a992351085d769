/** A log that fails while a run goes on: everything ends loudly, and nothing is sent after it. */
import { appendFileSync, renameSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSession, type Session } from '../api/session.js';
import { openSessionReader } from '../api/reader.js';
import { openedSessions } from '../testing/opened.js';
import { config, payloads, signal, types } from '../testing/session.js';
import { hang, type Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const two: Behaviours = {
  model: (_conversation, turn) =>
    turn === 0 ? { calls: ['charge', 'mail'].map((name, at) => ({ id: `c${at}`, name })) } : { text: 'Done.' },
};

/** Another writer: the file is not as its owner left it. */
const tampered = (folder: string): void => appendFileSync(join(folder, 'session.wal'), 'x');

describe('a foreign write', () => {
  test.each(['run_started', 'model_step_finished', 'tool_dispatch_intent', 'tool_result'])(
    'after %s ends the session: it rejects, sends nothing more and takes nothing more',
    async (type) => {
      let seen: number | null = null;
      const { session, folder, provider } = await begin(two, {
        onCommitted: (committed) => {
          if (seen !== null || !committed.some((frame) => frame.type === type)) return;
          tampered(folder);
          seen = provider.received.length;
        },
      });
      await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toMatchObject({ code: 'foreign-write' });
      // One request may follow what was durable before: it was allowed by a barrier that was there.
      expect(provider.received.length - (seen ?? 0)).toBeLessThanOrEqual(1);
      const sent = provider.received.length;
      await expect(session.send({ runId: 'run-b', text: 'Again.' })).rejects.toMatchObject({ code: 'foreign-write' });
      await expect(session.recover()).rejects.toMatchObject({ code: 'foreign-write' });
      for (const act of [
        () => session.queue({ submissionId: 'q-1', text: 'x' }),
        () => session.steer({ text: 'x' }),
        () => session.cancel({ at: 'now' }),
        () => session.approve({ toolCallId: 'c0', decision: 'approved', by: 'Ada' }),
        () => session.retract('q-1'),
      ])
        expect(act).toThrow(expect.objectContaining({ code: 'foreign-write' }));
      expect(provider.received).toHaveLength(sent);
    },
  );

  test('where the intents should have been: no call leaves', async () => {
    const box: { folder?: string } = {};
    const { session, folder, provider } = await begin({
      model: () => {
        tampered(box.folder ?? '');
        return two.model([], 0);
      },
    });
    box.folder = folder;
    await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toMatchObject({ code: 'foreign-write' });
    expect(provider.toolKeys()).toEqual({});
  });

  test('between two results of a parallel batch ends what is under way', async () => {
    const box: { folder?: string } = {};
    const bothSent = signal();
    const { session, folder, provider } = await begin(
      {
        ...two,
        effect: async (name) => {
          if (name === 'mail') {
            bothSent.settle();
            return hang;
          }
          await bothSent.promise;
          tampered(box.folder ?? '');
          return name;
        },
      },
      { config: { ...config, batch: 'parallel' } },
    );
    box.folder = folder;
    await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toMatchObject({ code: 'foreign-write' });
    expect(Object.values(provider.toolKeys())).toEqual([1, 1]);
  });
});

test('a folder that was replaced by a copy is not written to any more', async () => {
  const box: { folder?: string } = {};
  const { session, folder } = await begin({
    ...two,
    effect: (name) => {
      const log = join(box.folder ?? '', 'session.wal');
      copyFileSync(log, `${log}.copy`);
      renameSync(`${log}.copy`, log);
      return name;
    },
  });
  box.folder = folder;
  await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toMatchObject({ code: 'foreign-write' });
  expect(types(folder).at(-1)).toBe('tool_dispatch_intent');
});

describe('a close', () => {
  test('ends what is under way as a crash would; the next owner closes the run out', async () => {
    const asked = signal();
    const { session, folder, provider } = await begin({
      ...two,
      effect: () => {
        asked.settle();
        return hang;
      },
    });
    const ending = session.send({ runId: 'run-a', text: 'Two.' });
    const waiting = session.send({ runId: 'run-b', text: 'Later.' });
    await asked.promise;
    session.close();
    session.close();
    await expect(ending).rejects.toMatchObject({ code: 'closed' });
    await expect(waiting).rejects.toMatchObject({ code: 'closed' });
    const again = openSession(folder, { providerUrl: provider.url });
    expect(await again.recover()).toMatchObject({ runId: 'run-a', reason: 'interrupted' });
    again.close();
    expect(payloads(folder, 'tool_result').map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    expect(Object.values(provider.toolKeys())).toEqual([1]);
  });

  test.each(['grouped', 'each'] as const)('from within a listener leaves a log that can be read (%s)', async (commit) => {
    const box: { session?: Session } = {};
    const { session, folder, provider } = await begin(two, {
      commit,
      onCommitted: (committed) => void (committed.some(({ type }) => type === 'tool_dispatch_intent') && box.session?.close()),
    });
    box.session = session;
    await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toMatchObject({ code: 'closed' });
    expect(provider.toolKeys()).toEqual({});
    expect(openSessionReader(folder).tornBytes).toBe(0);
    const again = openSession(folder, { providerUrl: provider.url });
    expect(await again.recover()).toMatchObject({ reason: 'interrupted' });
    again.close();
  });
});

test('what a listener throws ends the call that it came with; the record goes on', async () => {
  let thrown = false;
  const { session, folder, provider } = await begin(two, {
    onCommitted: (committed) => {
      if (thrown || !committed.some(({ type }) => type === 'tool_result')) return;
      thrown = true;
      throw new Error('the listener is broken');
    },
  });
  await expect(session.send({ runId: 'run-a', text: 'Two.' })).rejects.toThrow('the listener is broken');
  // What the listener was told of is on record, with its result, and nothing behind it.
  expect(types(folder).at(-1)).toBe('tool_result');
  expect(await session.recover()).toMatchObject({ reason: 'interrupted' });
  expect(Object.values(provider.toolKeys())).toEqual([1]);
});

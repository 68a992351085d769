/** Runs as they happen: barriers in their order, and what is told when. */
import { describe, expect, test } from 'vitest';
import { openSession, type Session } from '../api/session.js';
import { openedSessions } from '../testing/opened.js';
import { config, frames, httpTool, newFolder, payloads, signal, types } from '../testing/session.js';
import type { Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const twoCalls: Behaviours = {
  model: (_conversation, turn) =>
    turn === 0
      ? {
          text: 'Both.',
          calls: [
            { id: 'c1', name: 'charge' },
            { id: 'c2', name: 'mail' },
          ],
        }
      : { text: 'Done.' },
};

describe('a run', () => {
  test('is one answer, in three barriers', async () => {
    const { session, barriers, folder, provider } = await begin({ model: () => ({ text: 'Hello.' }) });
    const end = await session.send({ runId: 'run-a', text: 'Hi.' });
    expect(end).toEqual({ status: 'finished', runId: 'run-a', reason: 'completed', text: 'Hello.', error: null });
    expect(barriers).toEqual([
      'run_started',
      'step_started model_attempt_finished model_step_finished',
      'turn_finished run_finished',
    ]);
    expect(provider.modelKeys()).toEqual({ 's-1/run-a/step-3/1': 1 });
    expect(payloads(folder, 'run_finished')[0]).toMatchObject({ usage: { input_tokens: 7, output_tokens: 2 } });
  });

  test('has its tools in the barriers of the contract, one result each', async () => {
    const { session, barriers, provider } = await begin(twoCalls);
    await session.send({ runId: 'run-a', text: 'Charge and mail.' });
    expect(barriers.slice(2)).toEqual([
      'tool_batch_started tool_dispatch_intent tool_dispatch_intent',
      'tool_result',
      'tool_result',
      'tool_batch_finished turn_finished',
      'step_started model_attempt_finished model_step_finished',
      'turn_finished run_finished',
    ]);
    expect(provider.toolKeys()).toEqual({ 's-1/run-a/batch-3/c1': 1, 's-1/run-a/batch-3/c2': 1 });
  });

  test('has one record a barrier under `each`, and the same records', async () => {
    const grouped = await begin(twoCalls);
    const each = await begin(twoCalls, { commit: 'each' });
    for (const { session } of [grouped, each]) await session.send({ runId: 'run-a', text: 'Charge and mail.' });
    expect(each.barriers).toEqual(types(each.folder).slice(1));
    expect(types(each.folder)).toEqual(types(grouped.folder));
    expect(frames(each.folder).every(({ seq, synced }) => synced === seq - 1)).toBe(true);
  });

  test('lets no call leave before the whole plan and every intent is on record', async () => {
    const found: string[][] = [];
    const box: { folder?: string } = {};
    const { session, folder } = await begin({
      ...twoCalls,
      effect: (name) => {
        found.push(types(box.folder ?? '').slice(5));
        return name;
      },
    });
    box.folder = folder;
    await session.send({ runId: 'run-a', text: 'Both.' });
    const barrier = ['tool_batch_started', 'tool_dispatch_intent', 'tool_dispatch_intent'];
    expect(found).toEqual([barrier, [...barrier, 'tool_result']]);
  });

  test('dispatches one after the other in a sequential batch, and together in a parallel one', async () => {
    for (const batch of ['sequential', 'parallel'] as const) {
      let under = 0;
      let most = 0;
      const met: (() => void)[] = [];
      const { session, folder } = await begin(
        {
          ...twoCalls,
          effect: async (name) => {
            most = Math.max(most, (under += 1));
            // In parallel each waits for the other: it ends only where both are on their way.
            if (batch === 'parallel')
              await new Promise<void>((resolve) => void (met.push(resolve) === 2 && met.forEach((go) => go())));
            under -= 1;
            return name;
          },
        },
        { config: { ...config, batch } },
      );
      expect(await session.send({ runId: 'run-a', text: 'Both.' })).toMatchObject({ reason: 'completed' });
      expect(most).toBe(batch === 'parallel' ? 2 : 1);
      expect(payloads(folder, 'tool_batch_started')[0]).toMatchObject({ mode: batch });
    }
  });

  test('has at most eight calls on their way', async () => {
    let under = 0;
    let most = 0;
    const held: (() => void)[] = [];
    const allHeld = signal();
    const calls = Array.from({ length: 20 }, (_value, at) => ({ id: `c${at}`, name: 'mail' }));
    const { session, provider } = await begin(
      {
        model: (_conversation, turn) => (turn === 0 ? { calls } : { text: 'Done.' }),
        effect: async (name) => {
          if (name === 'probe') return name;
          most = Math.max(most, (under += 1));
          if (held.length < 8) await new Promise<void>((resolve) => void (held.push(resolve) === 8 && allHeld.settle()));
          under -= 1;
          return name;
        },
      },
      { config: { ...config, batch: 'parallel' } },
    );
    const ending = session.send({ runId: 'run-a', text: 'Twenty.' });
    await allHeld.promise;
    // A ninth that left with them would arrive before these, which leave later.
    for (let round = 0; round < 3; round += 1) await (await fetch(`${provider.url}/effects/probe`, { method: 'POST' })).text();
    for (const go of held) go();
    expect(await ending).toMatchObject({ reason: 'completed' });
    expect(most).toBe(8);
    expect(Object.keys(provider.toolKeys()).filter((key) => key !== '')).toHaveLength(20);
  });

  test('never dispatches what its plan does not, and the model sees why', async () => {
    const tools = [
      httpTool('charge'),
      httpTool('wipe', { approval: 'blocked' }),
      { name: 'gone', kind: 'command' as const, argv: ['/nothing'] },
    ];
    const { session, provider, folder, barriers } = await begin(
      {
        model: (_conversation, turn) =>
          turn === 0
            ? {
                calls: [
                  { id: 'a', name: 'nope' },
                  { id: 'b', name: 'wipe' },
                  { id: 'c', name: 'charge', arguments: '{"x":1}' },
                  { id: 'd', name: 'gone' },
                  { id: 'e', name: 'charge' },
                ],
              }
            : { text: 'Done.' },
      },
      { config: { ...config, tools } },
    );
    await session.send({ runId: 'run-a', text: 'Five.' });
    expect(payloads(folder, 'tool_no_dispatch').map(({ reason }) => reason)).toEqual([
      'unknown_tool',
      'policy_blocked',
      'invalid_arguments',
      'unavailable',
    ]);
    expect(barriers[2]).toBe(
      'tool_batch_started tool_dispatch_intent tool_no_dispatch tool_no_dispatch tool_no_dispatch tool_no_dispatch',
    );
    expect(provider.toolKeys()).toEqual({ 's-1/run-a/batch-3/e': 1 });
    const results = provider
      .conversations()[1]
      ?.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(results).toHaveLength(5);
    expect(results?.[0]).toContain('no such tool');
    expect(results?.[4]).toBe('charge done');
  });

  test('dispatches nothing in its last step, and says so', async () => {
    const { session, provider, folder } = await begin(twoCalls, { config: { ...config, maxSteps: 1 } });
    expect(await session.send({ runId: 'run-a', text: 'Both.' })).toMatchObject({ reason: 'max_steps', text: null });
    expect(provider.toolKeys()).toEqual({});
    expect(payloads(folder, 'tool_result').map(({ outcome }) => outcome)).toEqual(['max_steps', 'max_steps']);
    expect(await session.send({ runId: 'run-b', text: 'Go on.' })).toMatchObject({ reason: 'completed' });
  });

  test('joins steers at its next step, and one that came too late at its end', async () => {
    const session: { now?: Session } = {};
    let turns = 0;
    const { provider, ...begun } = await begin(twoCalls, {
      onCommitted: (committed) => {
        for (const { type, seq } of committed) {
          if (type === 'tool_result') session.now?.steer({ text: `after ${seq}` });
          if (type === 'turn_finished' && (turns += 1) === 2) session.now?.steer({ text: 'too late' });
        }
      },
      commit: 'each',
    });
    session.now = begun.session;
    expect(await begun.session.send({ runId: 'run-a', text: 'Both.' })).toMatchObject({ reason: 'completed' });
    const last = provider.conversations()[1];
    expect(last?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(last?.at(-1)?.content).toMatch(/^after \d+\n\nafter \d+$/);
    await begun.session.send({ runId: 'run-b', text: 'And now?' });
    expect(provider.conversations()[2]?.at(-1)?.content).toBe('too late\n\nAnd now?');
  });

  test('keeps times where they are asked for, and only there', async () => {
    const timed = await begin(twoCalls, { config: { ...config, times: true } });
    await timed.session.send({ runId: 'run-a', text: 'Both.' });
    expect(payloads(timed.folder, 'tool_result').every((payload) => Number.isInteger(payload['finished_at_ms']))).toBe(true);
    expect(payloads(timed.folder, 'tool_dispatch_intent').every((payload) => Number.isInteger(payload['dispatched_at_ms']))).toBe(
      true,
    );
    const untimed = await begin(twoCalls);
    await untimed.session.send({ runId: 'run-a', text: 'Both.' });
    expect(payloads(untimed.folder, 'tool_result').some((payload) => Object.hasOwn(payload, 'finished_at_ms'))).toBe(false);
  });
});

describe('a send', () => {
  test('is the same run where it is the same message, and refused where it is another', async () => {
    const { session, provider, folder } = await begin({ model: () => ({ text: 'Hello.' }) });
    const first = await session.send({ runId: 'run-a', text: 'Hi.' });
    const length = frames(folder).length;
    expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toEqual(first);
    await expect(session.send({ runId: 'run-a', text: 'Ho.' })).rejects.toMatchObject({ reason: 'run_conflict', on: 'run-a' });
    expect(frames(folder)).toHaveLength(length);
    expect(provider.received).toHaveLength(1);
  });

  test('twice at once is one run', async () => {
    const { session, provider } = await begin({ model: () => ({ text: 'Hello.' }) });
    const [first, second] = await Promise.all(['Hi.', 'Hi.'].map((text) => session.send({ runId: 'run-a', text })));
    expect(second).toEqual(first);
    expect(provider.received).toHaveLength(1);
  });

  test('needs a configuration and a provider, and writes nothing without', async () => {
    const folder = newFolder();
    for (const options of [{ config }, { providerUrl: 'http://127.0.0.1:9' }]) {
      const session = openSession(folder, { create: true, sessionId: 's-1', ...options });
      await expect(session.send({ runId: 'run-a', text: 'Hi.' })).rejects.toMatchObject({ code: 'input-invalid' });
      session.close();
    }
    expect(types(folder)).toEqual(['lineage']);
  });

  test('goes on with the configuration on record where none is given', async () => {
    const { session, folder, provider } = await begin({ model: () => ({ text: 'Hello.' }) });
    await session.send({ runId: 'run-a', text: 'Hi.' });
    session.close();
    const again = openSession(folder, { providerUrl: provider.url });
    expect(await again.send({ runId: 'run-b', text: 'Ho.' })).toMatchObject({ reason: 'completed' });
    again.close();
    const [first, second] = payloads(folder, 'run_started').map((payload) => payload['config']);
    expect(second).toEqual(first);
    expect(types(folder).slice(5, 8)).toEqual(['turn_finished', 'run_finished', 'lineage']);
  });
});

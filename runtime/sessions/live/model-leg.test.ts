/** The model leg: attempts, their keys, and what a cut means under each policy. */
import { describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { sha256 } from '../../core/digest.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, copyState, payloads, types } from '../testing/session.js';
import { cut } from '../testing/strict-provider.js';

const begin = openedSessions();
const legs = ['rerun', 'intent'] as const;

describe.each(legs)('a model step under %s', (modelLeg) => {
  test('is tried as often as allowed, each attempt under its own key and with the same body', async () => {
    let asked = 0;
    const { session, folder, provider } = await begin(
      { model: () => ((asked += 1) < 3 ? 503 : { text: 'Hello.' }) },
      { config: { ...config, modelLeg, modelAttempts: 3 } },
    );
    expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'completed', text: 'Hello.' });
    const { received } = provider;
    expect(received.map(({ key }) => key)).toEqual([1, 2, 3].map((attempt) => `s-1/run-a/step-3/${attempt}`));
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const attempts = payloads(folder, 'model_attempt_finished');
    expect(attempts.map(({ outcome, http_status: status }) => [outcome, status])).toEqual([
      ['provider_error', 503],
      ['provider_error', 503],
      ['answer', 200],
    ]);
    const request = { sha256: sha256(received[0]!.body), size: Buffer.byteLength(received[0]!.body) };
    expect(attempts.every((attempt) => JSON.stringify(attempt['request']) === JSON.stringify(request))).toBe(true);
    expect(payloads(folder, 'model_attempt_started')).toHaveLength(modelLeg === 'intent' ? 3 : 0);
  });

  test('fails the run when no attempt brought an answer', async () => {
    const { session, folder, provider } = await begin(
      { model: () => 500 },
      { config: { ...config, modelLeg, modelAttempts: 2 } },
    );
    expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({
      reason: 'error',
      error: { code: 'model_failed' },
    });
    expect(provider.received).toHaveLength(2);
    expect(types(folder).at(-1)).toBe('run_finished');
    expect(await session.recover()).toEqual({ status: 'idle' });
  });

  test('is on record before it is sent, only under intent', async () => {
    const seen: string[][] = [];
    const { session, folder } = await begin(
      {
        model: () => {
          seen.push(types(folder));
          return { text: 'Hello.' };
        },
      },
      { config: { ...config, modelLeg } },
    );
    await session.send({ runId: 'run-a', text: 'Hi.' });
    expect(seen[0]?.slice(2)).toEqual(modelLeg === 'intent' ? ['step_started', 'model_attempt_started'] : ['step_started']);
  });

  test('that was cut in life is tried again under rerun, and never under intent', async () => {
    const { session, folder, provider } = await begin(
      { model: () => cut },
      { config: { ...config, modelLeg, modelAttempts: 3 } },
    );
    const end = await session.send({ runId: 'run-a', text: 'Hi.' });
    expect(end).toMatchObject(modelLeg === 'intent' ? { reason: 'interrupted' } : { reason: 'error' });
    expect(provider.received).toHaveLength(modelLeg === 'intent' ? 1 : 3);
    expect(payloads(folder, 'model_attempt_finished').every(({ outcome }) => outcome === 'broken')).toBe(true);
  });

  test('that a crash cut is run again under rerun, and closed under intent', async () => {
    const copies: string[] = [];
    const { session, folder, provider } = await begin(
      {
        model: () => {
          copies.push(copyState(folder));
          return { text: 'Hello.' };
        },
      },
      { config: { ...config, modelLeg } },
    );
    await session.send({ runId: 'run-a', text: 'Hi.' });
    const [copy = ''] = copies;
    const resumed = openSession(copy, { providerUrl: provider.url });
    const stage = resumed.state().runs[0]?.stage;
    const end = await resumed.recover();
    resumed.close();
    const told = payloads(copy, 'resume_started')[0];
    if (modelLeg === 'intent') {
      expect([stage, provider.received.length]).toEqual(['model_unknown', 1]);
      expect(end).toMatchObject({ reason: 'interrupted' });
      expect(told).toMatchObject({ redone: [], indeterminate: ['step-3'] });
    } else {
      expect([stage, provider.received.length]).toEqual(['step_due', 2]);
      expect(end).toMatchObject({ reason: 'completed', text: 'Hello.' });
      expect(told).toMatchObject({ redone: ['step-3'], indeterminate: [] });
      const [first, second] = provider.received;
      expect(second?.body).toBe(first?.body);
      expect(second?.key).not.toBe(first?.key);
    }
  });
});

test.each([
  ['an error inside a 200', { error: { message: 'overloaded' } }],
  ['calls that repeat an id', { choices: [{ finish_reason: 'tool_calls', message: { content: null, tool_calls: twice() } }] }],
  ['half of a JSON text', '{"choices":'],
])('no answer is made of %s', async (_what, said) => {
  const { session, folder, provider } = await begin({
    model: () => ({ raw: typeof said === 'string' ? said : JSON.stringify(said) }),
  });
  expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'error', error: { code: 'model_failed' } });
  expect(provider.toolKeys()).toEqual({});
  expect(types(folder)).not.toContain('model_step_finished');
});

function twice(): object[] {
  return [1, 2].map(() => ({ id: 'c0', type: 'function', function: { name: 'mail', arguments: '{}' } }));
}

describe('a configuration on record', () => {
  const cut = async (changes: object) => {
    const copies: string[] = [];
    const { session, folder, provider } = await begin(
      {
        model: () => {
          copies.push(copyState(folder));
          return { text: 'Hello.' };
        },
      },
      { config: { ...config, ...changes } },
    );
    await session.send({ runId: 'run-a', text: 'Hi.' });
    return { copy: copies[0] ?? '', provider };
  };

  test('that was not frozen is not resumed, and nothing is written or sent', async () => {
    const { copy, provider } = await cut({ freeze: false });
    const bytes = bytesOf(copy);
    const session = openSession(copy, { providerUrl: provider.url });
    await expect(session.recover()).rejects.toMatchObject({
      reason: 'frozen_render_config_unverifiable',
      operation: 'run_step',
      on: 'run-a',
    });
    session.close();
    expect(bytesOf(copy)).toEqual(bytes);
    expect(provider.received).toHaveLength(1);
  });

  test.each([
    [{ model: 'other' }, ['model']],
    [{ system: 'Other.', maxSteps: 2 }, ['system', 'max_steps']],
    [{ renderVersion: 1 }, ['renderer']],
    [
      { tools: [], batch: 'parallel', modelLeg: 'intent', modelAttempts: 2, times: true },
      ['tools', 'batch', 'model_leg', 'model_attempts', 'times'],
    ],
  ] as const)('refuses another one that a caller gives: %o', async (changes, drift) => {
    const { copy, provider } = await cut({});
    const bytes = bytesOf(copy);
    const session = openSession(copy, { providerUrl: provider.url, config: { ...config, ...changes } });
    await expect(session.recover()).rejects.toMatchObject({ reason: 'config_conflict', drift });
    session.close();
    expect(bytesOf(copy)).toEqual(bytes);
    const same = openSession(copy, { providerUrl: provider.url, config });
    expect(await same.recover()).toMatchObject({ reason: 'completed' });
    same.close();
  });

  test('is not asked for where nothing is to be sent', async () => {
    const copies: string[] = [];
    const { session, folder } = await begin(
      { model: () => ({ text: 'Hello.' }) },
      { config: { ...config, freeze: false }, commit: 'each', onCommitted: () => copies.push(copyState(folder)) },
    );
    await session.send({ runId: 'run-a', text: 'Hi.' });
    const ended = copies.at(-2) ?? '';
    expect(types(ended).at(-1)).toBe('turn_finished');
    const resumed = openSession(ended, { config: { ...config, model: 'other' } });
    expect(await resumed.recover()).toMatchObject({ reason: 'completed', text: 'Hello.' });
    resumed.close();
  });

  test('belongs to a session: another id is refused, and the lease is given back', async () => {
    const { copy } = await cut({});
    expect(() => openSession(copy, { sessionId: 's-2' })).toThrow(
      expect.objectContaining({ reason: 'config_conflict', drift: ['session_id'] }),
    );
    openSession(copy, { sessionId: 's-1' }).close();
  });
});

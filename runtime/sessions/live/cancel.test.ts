/** Cancels: at the boundary, at once, and of a run that nobody carries on. */
import { describe, expect, test } from 'vitest';
import { openSession, type Session } from '../api/session.js';
import { sessionLogV1 } from '../../contract/data.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, copyState, payloads, signal, types } from '../testing/session.js';
import { hang, type Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const two: Behaviours = {
  model: (_conversation, turn) =>
    turn === 0
      ? {
          calls: [
            { id: 'c0', name: 'charge' },
            { id: 'c1', name: 'mail' },
          ],
        }
      : { text: 'Done.' },
};
const outcomes = (folder: string): string[] =>
  payloads(folder, 'tool_result').map(({ tool_call_id: id, outcome }) => `${String(id)} ${String(outcome)}`);

/** Does something right after the first record of a type is durable. */
const after = (type: string, act: (session: Session) => void) => {
  const session: { now?: Session; done?: true } = {};
  return {
    session,
    onCommitted: (committed: readonly { type: string }[]): void => {
      if (session.done || session.now === undefined || !committed.some((frame) => frame.type === type)) return;
      session.done = true;
      act(session.now);
    },
  };
};

describe.each(['grouped', 'each'] as const)('a cancel at the boundary of a step (%s)', (commit) => {
  test.each([
    ['during the batch: the batch is finished, and no step follows', 'tool_result', ['c0 completed', 'c1 completed']],
    ['before the batch: the same', 'model_step_finished', ['c0 completed', 'c1 completed']],
    ['after the batch: no step follows', 'tool_batch_finished', ['c0 completed', 'c1 completed']],
  ])('%s', async (_what, type, expected) => {
    const { session: place, onCommitted } = after(type, (session) => session.cancel({ at: 'step_boundary' }));
    const { session, folder, provider } = await begin(two, { onCommitted, commit });
    place.now = session;
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'cancelled' });
    expect(outcomes(folder)).toEqual(expected);
    expect(provider.conversations()).toHaveLength(1);
    expect(session.state()).toMatchObject({ next_operation: 'none', runs: [{ cancel: 'step_boundary', reason: 'cancelled' }] });
  });

  test('during the model request: the step and its batch are finished', async () => {
    const box: { session?: Session } = {};
    const { session, folder, provider } = await begin(
      {
        model: () => {
          box.session?.cancel({ at: 'step_boundary' });
          return two.model([], 0);
        },
      },
      { commit },
    );
    box.session = session;
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'cancelled' });
    expect(outcomes(folder)).toEqual(['c0 completed', 'c1 completed']);
    expect(provider.conversations()).toHaveLength(1);
  });

  test('before the first step: nothing is asked', async () => {
    const { session: place, onCommitted } = after('run_started', (session) => session.cancel({ at: 'step_boundary' }));
    const { session, provider } = await begin(two, { onCommitted, commit });
    place.now = session;
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'cancelled' });
    expect(provider.received).toEqual([]);
  });

  test('seals cancelled also where the step had no calls', async () => {
    const { session: place, onCommitted } = after('model_step_finished', (session) => session.cancel({ at: 'step_boundary' }));
    const { session, folder } = await begin({ model: () => ({ text: 'Hello.' }) }, { onCommitted, commit });
    place.now = session;
    expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'cancelled', text: null });
    expect(types(folder).slice(-2)).toEqual(['turn_finished', 'run_finished']);
  });
});

test('a cancel that comes between the end of the turn and of the run is not lost', async () => {
  const { session: place, onCommitted } = after('turn_finished', (session) => session.cancel({ at: 'step_boundary' }));
  const { session } = await begin({ model: () => ({ text: 'Hello.' }) }, { onCommitted, commit: 'each' });
  place.now = session;
  expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'cancelled' });
});

describe('a cancel at once', () => {
  test('ends the model request, which is on record as cancelled', async () => {
    const asked = signal();
    const { session, folder, barriers } = await begin({
      model: () => {
        asked.settle();
        return hang;
      },
    });
    const ending = session.send({ runId: 'run-a', text: 'Hi.' });
    await asked.promise;
    session.cancel({ at: 'now' });
    expect(await ending).toMatchObject({ reason: 'cancelled' });
    expect(payloads(folder, 'model_attempt_finished')).toMatchObject([{ outcome: 'cancelled' }]);
    expect(barriers.slice(1)).toEqual(['step_started run_cancel_requested', 'model_attempt_finished run_finished']);
  });

  test('leaves what was sent unknown, and what was not sent undispatched', async () => {
    const asked = signal();
    const { session, folder, provider } = await begin({
      ...two,
      effect: () => {
        asked.settle();
        return hang;
      },
    });
    const ending = session.send({ runId: 'run-a', text: 'Two.' });
    await asked.promise;
    session.cancel({ at: 'now' });
    expect(await ending).toMatchObject({ reason: 'cancelled' });
    expect(outcomes(folder)).toEqual(['c0 unknown', 'c1 interrupted']);
    expect(Object.keys(provider.toolKeys())).toEqual(['s-1/run-a/batch-3/c0']);
    await session.send({ runId: 'run-b', text: 'Well?' });
    const results = provider
      .conversations()[1]
      ?.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(results).toEqual([sessionLogV1.texts.unknown, sessionLogV1.texts.interrupted]);
  });

  test('sends nothing where it came with the intents', async () => {
    const { session: place, onCommitted } = after('tool_dispatch_intent', (session) => session.cancel({ at: 'now' }));
    const { session, folder, provider } = await begin(two, { onCommitted });
    place.now = session;
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'cancelled' });
    expect(outcomes(folder)).toEqual(['c0 interrupted', 'c1 interrupted']);
    expect(provider.toolKeys()).toEqual({});
  });

  test.each([
    ['step_started', 'each', 'rerun'],
    ['model_attempt_started', 'grouped', 'intent'],
  ] as const)('asks the model nothing where it came with %s (%s, %s)', async (type, commit, modelLeg) => {
    const { session: place, onCommitted } = after(type, (session) => session.cancel({ at: 'now' }));
    const { session, provider } = await begin(two, { onCommitted, commit, config: { ...config, modelLeg } });
    place.now = session;
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'cancelled' });
    expect(provider.received).toEqual([]);
  });

  test('and one at the boundary let no further attempt be made', async () => {
    for (const at of ['now', 'step_boundary'] as const) {
      const box: { session?: Session } = {};
      const { session, provider } = await begin(
        {
          model: () => {
            box.session?.cancel({ at });
            return 503;
          },
        },
        { config: { ...config, modelAttempts: 3 } },
      );
      box.session = session;
      expect(await session.send({ runId: 'run-a', text: 'Hi.' })).toMatchObject({ reason: 'cancelled' });
      expect(provider.received).toHaveLength(1);
    }
  });

  test('is the escalation of one at the boundary, and asked again it stands', async () => {
    const asked = signal();
    const { session, folder } = await begin({
      ...two,
      effect: () => {
        asked.settle();
        return hang;
      },
    });
    const ending = session.send({ runId: 'run-a', text: 'Two.' });
    await asked.promise;
    for (const at of ['step_boundary', 'step_boundary', 'now', 'now', 'step_boundary'] as const) session.cancel({ at });
    expect(await ending).toMatchObject({ reason: 'cancelled' });
    expect(payloads(folder, 'run_cancel_requested').map(({ at }) => at)).toEqual(['step_boundary', 'now']);
  });

  test('is refused where no run is open, and writes nothing', async () => {
    const { session, folder } = await begin(two);
    const bytes = bytesOf(folder);
    expect(() => session.cancel({ at: 'now' })).toThrow(expect.objectContaining({ reason: 'nothing_open' }));
    expect(bytesOf(folder)).toEqual(bytes);
  });
});

describe.each(['step_boundary', 'now'] as const)('a cancel (%s) of a run that nobody carries on', (at) => {
  test('is on record and seals nothing; who resumes seals it without another request', async () => {
    const copies: string[] = [];
    const { session, folder, provider } = await begin(two, { onCommitted: () => copies.push(copyState(folder)) });
    await session.send({ runId: 'run-a', text: 'Two.' });
    const asked = provider.received.length;
    for (const copy of copies.slice(0, -1)) {
      const other = openSession(copy, { providerUrl: provider.url });
      other.cancel({ at });
      expect(other.state().runs[0]).toMatchObject({ stage: 'cancelling', reason: null });
      other.close();
      expect(types(copy).slice(-2)).toEqual(['lineage', 'run_cancel_requested']);
      const resumed = openSession(copy, { providerUrl: provider.url });
      expect(await resumed.recover()).toMatchObject({ reason: 'cancelled' });
      expect(await resumed.recover()).toEqual({ status: 'idle' });
      resumed.close();
    }
    expect(provider.received).toHaveLength(asked);
  });
});

/** Approvals: asked once, answered once, spent once, over any number of restarts. */
import { describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { sha256 } from '../../core/digest.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, copyState, httpTool, payloads, types } from '../testing/session.js';
import type { RunEnd } from './run-end.js';
import type { Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const given = '{"amount": 3}';
const tools = [
  httpTool('pay', { approval: 'required', arguments: [{ name: 'amount', type: 'integer', required: true }] }),
  httpTool('mail'),
];
const asks: Behaviours = {
  model: (_conversation, turn) =>
    turn === 0
      ? {
          calls: [
            { id: 'c0', name: 'mail' },
            { id: 'c1', name: 'pay', arguments: given },
            { id: 'c2', name: 'pay', arguments: '{"amount":4}' },
          ],
        }
      : { text: 'Done.' },
};
const options = { config: { ...config, tools } };
const intents = (folder: string) => payloads(folder, 'tool_dispatch_intent');

describe('a call that needs an answer', () => {
  test('is asked about once, with the bytes that would be sent, and nothing of its batch leaves before', async () => {
    const { session, folder, provider, barriers } = await begin(asks, options);
    const end = await session.send({ runId: 'run-a', text: 'Pay.' });
    expect(end).toEqual({
      status: 'paused',
      runId: 'run-a',
      approvals: [given, '{"amount":4}'].map((text, at) => ({
        key: `s-1/run-a/batch-3/c${at + 1}`,
        toolCallId: `c${at + 1}`,
        name: 'pay',
        arguments: text,
        argumentsSha256: sha256(text),
      })),
    });
    expect(barriers.at(-1)).toBe('approval_requested approval_requested run_paused');
    expect(provider.toolKeys()).toEqual({});
    // Who resumes hears who awaits what, and nothing is written, not even by another process.
    const bytes = bytesOf(folder);
    expect(await session.recover()).toEqual(end);
    await expect(session.resume()).rejects.toMatchObject({
      reason: 'approval_needed',
      operation: 'approve',
      on: 's-1/run-a/batch-3/c1',
    });
    session.close();
    const again = openSession(folder, { providerUrl: provider.url });
    expect(await again.recover()).toEqual(end);
    expect(again.state()).toMatchObject({ next_operation: 'approve', on: 's-1/run-a/batch-3/c1' });
    again.close();
    expect(bytesOf(folder)).toEqual(bytes);
  });

  test('is dispatched once it is approved, citing the answer; what was denied never is', async () => {
    const { session, folder, provider } = await begin(asks, options);
    await session.send({ runId: 'run-a', text: 'Pay.' });
    session.approve({ toolCallId: 'c2', decision: 'denied', by: 'Ada' });
    expect(await session.recover()).toMatchObject({ status: 'paused', approvals: [{ toolCallId: 'c1' }] });
    const bytes = bytesOf(folder);
    expect(() => session.approve({ toolCallId: 'c2', decision: 'approved', by: 'Bob' })).toThrow(
      expect.objectContaining({ reason: 'approval_settled', operation: 'approve' }),
    );
    expect(bytesOf(folder)).toEqual(bytes);
    session.approve({ toolCallId: 'c1', decision: 'approved', by: 'Ada' });
    for (const decision of ['approved', 'denied'] as const)
      expect(() => session.approve({ toolCallId: 'c1', decision, by: 'Bob' })).toThrow(
        expect.objectContaining({ reason: 'approval_settled', on: 's-1/run-a/batch-3/c1' }),
      );
    expect(() => session.approve({ toolCallId: 'c0', decision: 'approved', by: 'Bob' })).toThrow(
      expect.objectContaining({ reason: 'nothing_open' }),
    );
    expect(await session.recover()).toMatchObject({ reason: 'completed' });
    const answers = payloads(folder, 'approval_resolved');
    expect(answers.map(({ tool_call_id: id, decision, by }) => [id, decision, by])).toEqual([
      ['c2', 'denied', 'Ada'],
      ['c1', 'approved', 'Ada'],
    ]);
    expect(intents(folder).map(({ tool_call_id: id, arguments: text }) => [id, text])).toEqual([
      ['c0', '{}'],
      ['c1', given],
    ]);
    expect(intents(folder).map((intent) => intent['approval_seq'] !== null)).toEqual([false, true]);
    expect(payloads(folder, 'tool_no_dispatch')).toMatchObject([{ tool_call_id: 'c2', reason: 'denied' }]);
    expect(Object.keys(provider.toolKeys())).toEqual(['s-1/run-a/batch-3/c0', 's-1/run-a/batch-3/c1']);
    expect(types(folder).filter((type) => type === 'approval_requested')).toHaveLength(2);
  });

  test('is named by its key, which no other step has', async () => {
    const { session, folder } = await begin(
      {
        model: (_conversation, turn) => (turn < 2 ? { calls: [{ id: 'c0', name: 'pay', arguments: given }] } : { text: 'Done.' }),
      },
      options,
    );
    const keyOf = (end: RunEnd): string => (end.status === 'paused' ? end.approvals[0]!.key : '');
    const first = keyOf(await session.send({ runId: 'run-a', text: 'Pay twice.' }));
    expect(session.state()).toMatchObject({ on: first });
    session.approve({ key: first, decision: 'approved', by: 'Ada' });
    const second = keyOf(await session.resume());
    // The model uses an id again: what was meant for the first call is no answer to the second.
    const bytes = bytesOf(folder);
    expect(() => session.approve({ key: first, decision: 'approved', by: 'Ada' })).toThrow(
      expect.objectContaining({ reason: 'nothing_open', message: expect.stringContaining(`${first} does not wait`) }),
    );
    expect(() => session.approve({ key: 'c0', decision: 'approved', by: 'Ada' })).toThrow(
      expect.objectContaining({ reason: 'nothing_open' }),
    );
    expect(bytesOf(folder)).toEqual(bytes);
    session.approve({ key: second, decision: 'denied', by: 'Ada' });
    expect(await session.resume()).toMatchObject({ reason: 'completed' });
    expect(payloads(folder, 'approval_resolved').map(({ batch_id: id, decision }) => [id, decision])).toEqual([
      [first.split('/')[2], 'approved'],
      [second.split('/')[2], 'denied'],
    ]);
  });

  test('is left by the owner’s next message: no result is made up, and the conversation is whole', async () => {
    const { session, folder, provider } = await begin(asks, options);
    await session.send({ runId: 'run-a', text: 'Pay.' });
    expect(await session.send({ runId: 'run-b', text: 'Never mind.' })).toMatchObject({ reason: 'completed' });
    expect(payloads(folder, 'tool_result').map(({ outcome }) => outcome)).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect(payloads(folder, 'run_finished')[0]).toMatchObject({ run_id: 'run-a', reason: 'interrupted' });
    expect(provider.toolKeys()).toEqual({});
    expect(() => session.approve({ toolCallId: 'c1', decision: 'approved', by: 'Ada' })).toThrow(
      expect.objectContaining({ reason: 'nothing_open' }),
    );
  });

  test.each(['grouped', 'each'] as const)(
    'is asked, answered and sent once, wherever it is cut (%s)',
    async (commit) => {
      const copies: { after: string; folder: string }[] = [];
      const { session, provider, folder } = await begin(asks, {
        ...options,
        commit,
        onCommitted: (committed) =>
          copies.push({ after: committed.map(({ type }) => type).join(' '), folder: copyState(folder) }),
      });
      await session.send({ runId: 'run-a', text: 'Pay.' });
      session.approve({ toolCallId: 'c1', decision: 'approved', by: 'Ada' });
      session.approve({ toolCallId: 'c2', decision: 'approved', by: 'Ada' });
      await session.recover();
      for (const { after, folder: copy } of copies) {
        const sentBefore = new Set(intents(copy).map(({ tool_call_id: id }) => id));
        const from = provider.received.length;
        const resumed = openSession(copy, { providerUrl: provider.url, commit });
        for (let rounds = 0; rounds < 6; rounds += 1) {
          const end = await resumed.recover();
          if (end.status !== 'paused') break;
          const [first] = end.approvals;
          resumed.approve({ toolCallId: first!.toolCallId, decision: 'approved', by: 'Bob' });
        }
        expect(resumed.state().next_operation, after).toBe('none');
        resumed.close();
        const asked = payloads(copy, 'approval_requested').map(({ tool_call_id: id }) => id);
        expect(asked, after).toEqual([...new Set(asked)]);
        expect(payloads(copy, 'approval_resolved'), after).toHaveLength(asked.length);
        const cited = intents(copy).flatMap((intent) => (intent['approval_seq'] === null ? [] : [intent['approval_seq']]));
        expect(new Set(cited).size, after).toBe(cited.length);
        const sent = provider.received.slice(from).filter(({ path }) => path === '/effects/pay');
        expect(new Set(sent.map(({ key }) => key)).size, after).toBe(sent.length);
        for (const { key } of sent) expect(sentBefore.has(key.split('/').at(-1)), `${after} ${key}`).toBe(false);
      }
    },
    30_000,
  );
});

test('a cancel of a run that waits for a person is sealed by the next resume, and the question is settled', async () => {
  const { session, provider } = await begin(asks, options);
  await session.send({ runId: 'run-a', text: 'Pay.' });
  session.cancel({ at: 'step_boundary' });
  expect(session.state().runs[0]).toMatchObject({ stage: 'cancelling', reason: null });
  expect(() => session.approve({ toolCallId: 'c1', decision: 'approved', by: 'Ada' })).toThrow(
    expect.objectContaining({ reason: 'approval_settled', operation: 'close_out' }),
  );
  expect(await session.recover()).toMatchObject({ reason: 'cancelled' });
  expect(provider.toolKeys()).toEqual({});
});

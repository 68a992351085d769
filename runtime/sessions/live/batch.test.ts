/** The barrier when something of a batch is not known: what stops, what is awaited, what is never sent. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionOptions, SessionTool } from '../api/options.js';
import { sessionLogV1 } from '../../contract/data.js';
import { openedSessions } from '../testing/opened.js';
import { config, httpTool, payloads, signal, types } from '../testing/session.js';
import { cut, type Behaviours } from '../testing/strict-provider.js';

const open = openedSessions();
const safe: Partial<SessionTool> = { safety: 'idempotent', onUnknown: 'continue' };
const tools = [httpTool('first'), httpTool('second'), httpTool('third'), httpTool('safe', safe), httpTool('safe2', safe)];

async function begin(
  names: string[],
  effect: NonNullable<Behaviours['effect']>,
  batch: 'sequential' | 'parallel',
  options: SessionOptions = {},
) {
  const calls = names.map((name, at) => ({ id: `c${at}`, name }));
  return open(
    { model: (_conversation, turn) => (turn === 0 ? { calls } : { text: 'Done.' }), effect },
    { config: { ...config, tools, batch }, ...options },
  );
}

const outcomes = (folder: string): unknown[] =>
  payloads(folder, 'tool_result')
    .toSorted((left, right) => String(left['tool_call_id']).localeCompare(String(right['tool_call_id'])))
    .map(({ tool_call_id: id, outcome }) => `${String(id)} ${String(outcome)}`);

describe('an unknown outcome', () => {
  test.each(['grouped', 'each'] as const)('stops a sequential batch: what comes after it never leaves (%s)', async (commit) => {
    const { session, provider, folder } = await begin(
      ['first', 'second', 'third'],
      (name) => (name === 'second' ? cut : name),
      'sequential',
      { commit },
    );
    const end = await session.send({ runId: 'run-a', text: 'Three.' });
    expect(end).toMatchObject({ status: 'finished', reason: 'interrupted', text: null });
    expect(outcomes(folder)).toEqual(['c0 completed', 'c1 unknown', 'c2 interrupted']);
    expect(Object.keys(provider.toolKeys())).toHaveLength(2);
    expect(provider.conversations()).toHaveLength(1);
    expect(types(folder).slice(-3)).toEqual(['tool_batch_finished', 'turn_finished', 'run_finished']);
    await session.send({ runId: 'run-b', text: 'And now?' });
    const results = provider
      .conversations()[1]
      ?.filter(({ role }) => role === 'tool')
      .map(({ content }) => content);
    expect(results).toEqual(['first', sessionLogV1.texts.unknown, sessionLogV1.texts.interrupted]);
  });

  test('lets the siblings that are on their way end, and starts none', async () => {
    const allSent = signal();
    const unknownIsDurable = signal();
    const names = ['first', ...Array.from({ length: 11 }, () => 'second')];
    let sent = 0;
    const { session, provider, folder } = await begin(
      names,
      async (name) => {
        if ((sent += 1) === 8) allSent.settle();
        await allSent.promise;
        if (name === 'first') return cut;
        await unknownIsDurable.promise;
        return name;
      },
      'parallel',
      {
        onCommitted: (committed) => {
          if (committed.some(({ payload }) => payload['outcome'] === 'unknown')) unknownIsDurable.settle();
        },
      },
    );
    expect(await session.send({ runId: 'run-a', text: 'Twelve.' })).toMatchObject({ reason: 'interrupted' });
    const all = outcomes(folder).map((outcome) => String(outcome).split(' ')[1]);
    const counted = (wanted: string): number => all.filter((outcome) => outcome === wanted).length;
    expect([counted('unknown'), counted('completed'), counted('interrupted')]).toEqual([1, 7, 4]);
    expect(Object.keys(provider.toolKeys())).toHaveLength(8);
    expect(provider.conversations()).toHaveLength(1);
  });

  test('does not stop where every such call may go on', async () => {
    for (const batch of ['sequential', 'parallel'] as const) {
      const { session, provider, folder } = await begin(['safe', 'first'], (name) => (name === 'safe' ? cut : name), batch);
      expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'completed' });
      expect(outcomes(folder)).toEqual(['c0 unknown', 'c1 completed']);
      const results = provider
        .conversations()[1]
        ?.filter(({ role }) => role === 'tool')
        .map(({ content }) => content);
      expect(results).toEqual([sessionLogV1.texts.unknown, 'first']);
    }
  });

  test('stops where one of two may not go on', async () => {
    const { session, provider, folder } = await begin(['safe', 'first'], () => cut, 'parallel');
    expect(await session.send({ runId: 'run-a', text: 'Two.' })).toMatchObject({ reason: 'interrupted' });
    expect(outcomes(folder)).toEqual(['c0 unknown', 'c1 unknown']);
    expect(provider.conversations()).toHaveLength(1);
  });
});

test('a call that was not sent has a result as any other, and the run goes on', async () => {
  // A program that is there when the batch is planned, and cannot be started.
  const program = join(mkdtempSync(join(tmpdir(), 'killpoint-session-')), 'tool');
  writeFileSync(program, '#!/nowhere/interpreter\n', { mode: 0o755 });
  const { session, folder, provider } = await begin(['local'], () => 'never', 'sequential', {
    config: { ...config, tools: [{ name: 'local', kind: 'command', argv: [program] }] },
  });
  expect(await session.send({ runId: 'run-a', text: 'One.' })).toMatchObject({ reason: 'completed' });
  expect(outcomes(folder)).toEqual(['c0 not_sent']);
  expect(provider.conversations()[1]?.at(-1)?.content).toBe(sessionLogV1.texts.not_sent);
});

/** A session that reaches its size limit, at every size: it ends properly, says why, and every call that was made has its result. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { sessionLogV1 } from '../../contract/data.js';
import { openedSessions } from '../testing/opened.js';
import { bytesOf, config, payloads } from '../testing/session.js';
import type { Behaviours } from '../testing/strict-provider.js';

const begin = openedSessions();
const { texts } = sessionLogV1;
const names = ['charge', 'mail', 'charge'];
const large = 'x'.repeat(6000);
const tooMuch = 'x'.repeat(90_000);
const behaviours: Behaviours = {
  model: (_conversation, turn) =>
    turn < 2 ? { text: 'Three.', calls: names.map((name, at) => ({ id: `t${turn}-c${at}`, name })) } : { text: 'Done.' },
  effect: () => large,
};

const ceilings = Array.from({ length: 14 }, (_value, at) => 18_000 + at * 3571);

describe.each(['sequential', 'parallel'] as const)('a session with a ceiling (%s)', (batch) => {
  const ends = new Set<string>();
  const kept = new Set<string>();

  test.each(ceilings)('of %i bytes ends properly, and every call that was made has its result', async (ceilingBytes) => {
    const { session, folder, provider } = await begin(behaviours, { config: { ...config, batch }, ceilingBytes });
    const end = await session.send({ runId: 'run-a', text: 'Go.' });
    expect(statSync(join(folder, 'session.wal')).size).toBeLessThanOrEqual(ceilingBytes);
    const error = end.status === 'finished' ? end.error : null;
    ends.add(end.status === 'finished' ? `${end.reason} ${error?.code ?? ''}` : end.status);
    const results = payloads(folder, 'tool_result');
    const completed = results.filter(({ outcome }) => outcome === 'completed');
    // What was sent is told of as completed, with its text or without; the rest was never sent.
    expect(Object.values(provider.toolKeys())).toEqual(completed.map(() => 1));
    for (const { outcome, output, is_error: isError } of results) {
      kept.add(output === large ? 'its text' : String(output));
      if (output === texts.too_large) expect([outcome, isError]).toEqual(['completed', true]);
      else expect([large, texts.interrupted]).toContain(output);
    }
    const bytes = bytesOf(folder);
    expect(await session.resume()).toEqual({ status: 'idle' });
    expect(session.state().next_operation).toBe('none');
    if (error !== null) {
      const refused = { reason: 'session_too_large' };
      await expect(session.send({ runId: 'run-b', text: tooMuch })).rejects.toMatchObject(refused);
      expect(() => session.queue({ submissionId: 'q-1', text: tooMuch })).toThrow(expect.objectContaining(refused));
    }
    expect(bytesOf(folder)).toEqual(bytes);
    session.close();
    openSession(folder, {}).close();
  });

  test('has met every end on the way', () => {
    expect([...ends].toSorted()).toEqual(['completed ', 'error session_too_large']);
    // Calls of a parallel batch of three are all on their way when the room ends.
    const expected = batch === 'parallel' ? ['its text', texts.too_large] : ['its text', texts.too_large, texts.interrupted];
    expect([...kept].toSorted()).toEqual(expected.toSorted());
  });
});

test('a session too small for its first run refuses it, and writes nothing', async () => {
  const { session, folder, provider } = await begin(behaviours, { ceilingBytes: 15_000 });
  const bytes = bytesOf(folder);
  await expect(session.send({ runId: 'run-a', text: 'Go.' })).rejects.toMatchObject({ reason: 'session_too_large', on: 'run-a' });
  expect(bytesOf(folder)).toEqual(bytes);
  expect(provider.received).toEqual([]);
});

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
/** What is recorded: nothing of this machine, and no longer for a longer batch. */
const tooLarge = 'The session has reached its size limit: there is no room for what comes next. Go on in a new session.';
const tooMuch = 'x'.repeat(90_000);
const behaviours: Behaviours = {
  model: (_conversation, turn) =>
    turn < 2 ? { text: 'Three.', calls: names.map((name, at) => ({ id: `t${turn}-c${at}`, name })) } : { text: 'Done.' },
  effect: () => large,
};

const ceilings = Array.from({ length: 14 }, (_value, at) => 18_000 + at * 3571);

describe.each(['sequential', 'parallel'] as const)('a session with a ceiling (%s)', (batch) => {
  test('ends properly at each, every call that was made has its result, and every end is met on the way', async () => {
    const ends = new Set<string>();
    const kept = new Set<string>();
    for (const ceilingBytes of ceilings) {
      const where = `${ceilingBytes} bytes`;
      const { session, folder, provider } = await begin(behaviours, { config: { ...config, batch }, ceilingBytes });
      const end = await session.send({ runId: 'run-a', text: 'Go.' });
      expect(statSync(join(folder, 'session.wal')).size, where).toBeLessThanOrEqual(ceilingBytes);
      const error = end.status === 'finished' ? end.error : null;
      ends.add(end.status === 'finished' ? `${end.reason} ${error?.code ?? ''}` : end.status);
      const results = payloads(folder, 'tool_result');
      const completed = results.filter(({ outcome }) => outcome === 'completed');
      // What was sent is told of as completed, with its text or without; the rest was never sent.
      expect(Object.values(provider.toolKeys()), where).toEqual(completed.map(() => 1));
      for (const { outcome, output, is_error: isError } of results) {
        kept.add(output === large ? 'its text' : String(output));
        if (output === texts.too_large) expect([outcome, isError], where).toEqual(['completed', true]);
        else expect([large, texts.interrupted], where).toContain(output);
      }
      const bytes = bytesOf(folder);
      expect(await session.recover(), where).toEqual({ status: 'idle' });
      expect(session.state().next_operation, where).toBe('none');
      if (error !== null) {
        expect(error.detail, where).toBe(tooLarge);
        const refused = { reason: 'session_too_large', message: expect.not.stringMatching(/Nothing was.*Nothing was/) as string };
        await expect(session.send({ runId: 'run-b', text: tooMuch }), where).rejects.toMatchObject(refused);
        expect(() => session.queue({ submissionId: 'q-1', text: tooMuch }), where).toThrow(expect.objectContaining(refused));
      }
      expect(bytesOf(folder), where).toEqual(bytes);
      session.close();
      openSession(folder, {}).close();
    }
    expect([...ends].toSorted()).toEqual(['completed ', 'error session_too_large']);
    // Calls of a parallel batch of three are all on their way when the room ends.
    const expected = batch === 'parallel' ? ['its text', texts.too_large] : ['its text', texts.too_large, texts.interrupted];
    expect([...kept].toSorted()).toEqual(expected.toSorted());
  }, 30_000);
});

test('a step that asks for more calls than there is room to plan is closed, and its end is as short as any', async () => {
  const calls = Array.from({ length: 500 }, (_value, at) => ({ id: `c${at}`, name: 'charge' }));
  const { session, folder, provider } = await begin({ model: () => ({ text: 'Many.', calls }) }, { ceilingBytes: 1_150_000 });
  const end = await session.send({ runId: 'run-a', text: 'Go.' });
  expect(end).toMatchObject({ reason: 'error', error: { code: 'session_too_large', detail: tooLarge } });
  expect(payloads(folder, 'tool_result')).toHaveLength(calls.length);
  expect(payloads(folder, 'tool_dispatch_intent')).toHaveLength(0);
  expect(provider.toolKeys()).toEqual({});
});

test('a session too small for its first run refuses it, and writes nothing', async () => {
  const { session, folder, provider } = await begin(behaviours, { ceilingBytes: 15_000 });
  const bytes = bytesOf(folder);
  await expect(session.send({ runId: 'run-a', text: 'Go.' })).rejects.toMatchObject({ reason: 'session_too_large', on: 'run-a' });
  expect(bytesOf(folder)).toEqual(bytes);
  expect(provider.received).toEqual([]);
});

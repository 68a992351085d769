/**
 * The role programs as real processes, as in `roles.crash.test.ts`: at every other type that a producer commits, and what else becomes of them.
 *
 * Fault model: process crash by SIGKILL. Requests are counted by the server that they reached, not by the ledger.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  eventCount,
  expectParkedAt,
  inspect,
  killedProducer,
  parkedFirst,
  producible,
  stateOf,
} from '../../testing/killed-producer.js';
import { answers, startProvider, type TestProvider } from '../../testing/provider.js';
import { emptyFolder, review, runRole } from '../../testing/roles.js';
import type { Scenario } from './scenario.js';

let provider: TestProvider;

beforeEach(async () => {
  provider = await startProvider(answers);
});

afterEach(async () => {
  await provider.close();
});

const killedAt = (checkpoint: string, scenario?: Scenario): Promise<string> => killedProducer(provider, checkpoint, scenario);

describe('the producer parks and dies at every type that it commits', () => {
  test.each(producible.filter((name) => !parkedFirst.includes(name)))('%s', (name) => expectParkedAt(provider, name));
});

test('grouped: the intent and the outcome are each there as a whole', async () => {
  const grouped: Scenario = { ...review, commit: 'grouped' };
  for (const [checkpoint, events, requests] of [
    ['call.requested#1', 8, 0],
    ['attempt.observed#1', 14, 1],
  ] as const) {
    provider.seen.length = 0;
    expect(eventCount(await inspect(await killedAt(checkpoint, grouped)))).toBe(events);
    expect(provider.seen).toHaveLength(requests);
  }
});

test('resume parks between reading and acting, and at its own first commit', async () => {
  const folder = await killedAt('call.manifest#1');
  const read = await runRole({ role: 'resume', state: folder, url: provider.url, checkpoint: 'projection.read#1' });
  expect(read).toMatchObject({ signal: 'SIGKILL', line: { checkpoint: 'projection.read' } });
  expect(eventCount(await inspect(folder))).toBe(7);
  const linked = await runRole({ role: 'resume', state: folder, url: provider.url, checkpoint: 'call.resumed#1' });
  expect(linked.signal).toBe('SIGKILL');
  const now = await inspect(folder);
  expect(now.answer?.events?.slice(7).map((event) => event.type)).toEqual(['call.resumed', 'call.requested']);
  expect(stateOf(now)?.calls.map((call) => call.stage)).toEqual(['superseded', 'requested']);
  expect((await runRole({ role: 'resume', state: folder, url: provider.url })).answer?.status).toBe('completed');
  expect(eventCount(await inspect(folder))).toBe(19);
  expect(provider.seen).toHaveLength(1);
});

test('a producer that dials elsewhere is refused, on record, and sends nothing', async () => {
  const elsewhere = await startProvider(answers);
  const folder = emptyFolder();
  const scenario = { ...review, dial: { host: '127.0.0.1', port: elsewhere.port } };
  const role = await runRole({ role: 'produce', state: folder, url: provider.url, scenario });
  expect(role.answer).toMatchObject({
    status: 'failed',
    egress: { mechanism: 'in-process guard', refused: [{ host: '127.0.0.1', port: elsewhere.port }] },
  });
  expect(eventCount(await inspect(folder))).toBe(5);
  expect([...elsewhere.seen, ...provider.seen]).toEqual([]);
  await elsewhere.close();
});

test('a provider that is not there: not sent, retried by policy, failed on record', async () => {
  const gone = await startProvider(answers);
  await gone.close();
  const folder = emptyFolder();
  const role = await runRole({ role: 'produce', state: folder, url: gone.url });
  expect(role.answer).toMatchObject({ status: 'failed', detail: expect.stringContaining('not_sent') });
  const attempts = stateOf(await inspect(folder))?.calls[0]?.attempts;
  expect(attempts?.map(({ delivery, decision, outcome }) => [delivery, decision, outcome])).toEqual([
    ['not_sent', 'retry', 'failed'],
    ['not_sent', 'stop', 'failed'],
  ]);
});

test('where nothing is about a call, resume names what comes next', async () => {
  for (const [checkpoint, operation] of [
    ['context.compilation_requested#1', 'recompile'],
    ['context.compiled#1', 'none'],
    ['call.completed#1', 'check_and_accept'],
  ] as const) {
    const role = await runRole({ role: 'resume', state: await killedAt(checkpoint), url: provider.url });
    expect(role.answer).toMatchObject({
      status: 'refused',
      refusal: { error: 'ResumeRefused', operation, hazard: 'unneeded', call_id: null },
    });
  }
});

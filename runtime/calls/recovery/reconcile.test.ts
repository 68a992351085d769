/** Each answer of a provider to a question about a key has its own recorded reason, its evidence, and no second request. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../api/runtime.js';
import { answered } from '../testing/folder.js';
import { startKeyedProvider, tells, type KeyedProvider } from '../testing/keyed-provider.js';
import { answerText, respond, type Behaviour } from '../../testing/provider.js';
import { diedAfter, openAt, settings } from '../testing/stages.js';

let provider: KeyedProvider;
beforeEach(async () => {
  provider = await startKeyedProvider();
});
afterEach(() => provider.close());

const ours = (head: string): string => /^request-sha256: (\w+)/im.exec(head)?.[1] ?? '';
const json = (status: string, members: (sha256: string) => object): Behaviour => {
  return (socket, request) => respond(JSON.stringify(members(ours(request.head))), status)(socket, request);
};
const response = { body: { data: answerText, encoding: 'utf8' }, content_type: 'application/json', status: 200 };
const told = (changes: object): Behaviour =>
  json('200 OK', (request_sha256) => ({ fenced: false, found: true, request_sha256, response, ...changes }));
const binary = Buffer.from([0xff, 0xfe]);

async function askedOf(behaviour: Behaviour, ask: 'lookup' | 'fence' = 'lookup', timeoutMs = 10_000) {
  const { folder, on } = await diedAfter('attempt.started');
  const runtime = openAt(folder, provider, { reconcile: ask, timeoutMs });
  provider.now.question = behaviour;
  const { finding, reason } = await runtime.reconcile(on);
  const event = runtime.events().at(-1);
  if (event?.type !== 'effect.reconciled') throw new Error('nothing is recorded');
  const evidence: unknown = JSON.parse(runtime.artifact(event.payload.evidence_sha256)?.toString() ?? '');
  const { calls } = runtime.workState('task-1');
  return { told: [finding, reason], event, evidence, stage: calls[0]?.stage, runtime };
}

describe('what the provider answers to a look-up', () => {
  test.each<[string, Behaviour, string, string]>([
    ['404', tells.notFound, 'unknown', 'not_found'],
    ['404 that says something else', json('404 Not Found', () => ({ found: true })), 'unknown', 'malformed'],
    ['404 of another server', respond('no', '404 Not Found'), 'unknown', 'malformed'],
    ['409 about ours', json('409 Conflict', (request_sha256) => ({ error: 'busy', request_sha256 })), 'unknown', 'in_progress'],
    [
      '409 about another',
      json('409 Conflict', () => ({ error: 'busy', request_sha256: 'b'.repeat(64) })),
      'unknown',
      'other_request',
    ],
    ['409 about nothing', json('409 Conflict', () => ({ error: 'busy' })), 'unknown', 'malformed'],
    ['500', respond('no', '500 Internal Server Error'), 'unknown', 'provider_failed'],
    ['501', respond('no', '501 Not Implemented'), 'unknown', 'provider_failed'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'unknown', 'unreachable'],
    ['half an answer', respond('{"found":', '200 OK', ['content-length: 99']), 'unknown', 'unreachable'],
    ['half a JSON text', respond('{"found":'), 'unknown', 'malformed'],
    ['a list', respond('[]'), 'unknown', 'malformed'],
    ['no word about a fence', told({ fenced: undefined }), 'unknown', 'malformed'],
    ['found without a hash', told({ request_sha256: null }), 'unknown', 'malformed'],
    ['a response without a status', told({ response: { ...response, status: undefined } }), 'unknown', 'malformed'],
    [
      'a response in no encoding',
      told({ response: { ...response, body: { data: 'x', encoding: 'hex' } } }),
      'unknown',
      'malformed',
    ],
    ['another request', told({ request_sha256: 'b'.repeat(64) }), 'unknown', 'other_request'],
    ['not found in a 200', told({ found: false, response: null }), 'unknown', 'not_found'],
    [
      'not found, and a fence that nobody asked for',
      told({ fenced: true, found: false, response: null }),
      'unknown',
      'not_found',
    ],
    ['found', told({}), 'served', 'found'],
    ['found, with members that nobody knows', told({ more: 1 }), 'served', 'found'],
    ['found without its response', told({ response: null }), 'served', 'found_without_response'],
  ])('%s: %s, %s', async (_name, behaviour, finding, reason) => {
    const seen = await askedOf(behaviour);
    expect(seen.told).toEqual([finding, reason]);
    expect(seen.stage).toBe(finding === 'unknown' ? 'operator_needed' : reason === 'found' ? 'observed' : 'response_lost');
    expect(provider.calls()).toEqual([]);
    expect(provider.questions()).toEqual(['GET /p/token/keys/key-16']);
    seen.runtime.close();
  });

  test('nothing in time', async () => {
    const seen = await askedOf(() => undefined, 'lookup', 150);
    expect(seen.told).toEqual(['unknown', 'timed_out']);
    expect(seen.evidence).toMatchObject({ exchange: { ended: 'timed_out', status: null, body: null, content_type: null } });
    seen.runtime.close();
  });
});

describe('what the provider answers to a fence', () => {
  test.each<[string, Behaviour, string, string]>([
    ['fenced', tells.fenced, 'not_served', 'fenced'],
    ['not found, and not fenced', told({ found: false, response: null }), 'unknown', 'not_found'],
    ['found, and fenced', told({ fenced: true }), 'served', 'found'],
    ['404', tells.notFound, 'unknown', 'not_found'],
  ])('%s: %s, %s', async (_name, behaviour, finding, reason) => {
    const seen = await askedOf(behaviour, 'fence');
    expect(seen.told).toEqual([finding, reason]);
    expect(provider.questions()).toEqual(['POST /p/token/keys/key-16/fence']);
    seen.runtime.close();
  });
});

test('everything that came back is kept as evidence, and the response is adopted byte for byte', async () => {
  const body = { data: binary.toString('base64'), encoding: 'base64' };
  const { event, evidence, runtime } = await askedOf(told({ response: { ...response, body, content_type: null } }), 'fence');
  const { request_body_sha256: request_sha256 } = runtime.workState('task-1').calls[0]!.manifest!;
  expect(evidence).toEqual({
    basis: 'provider_fence',
    exchange: {
      body: { data: expect.stringContaining(body.data), encoding: 'utf8' },
      content_type: 'application/json',
      ended: 'complete',
      fencing_token: 8,
      method: 'POST',
      path: '/keys/key-16/fence',
      request_sha256,
      status: 200,
    },
    statement: null,
  });
  const response_sha256 = createHash('sha256').update(binary).digest('hex');
  expect(event).toMatchObject({
    attempt_id: 'attempt-8',
    call_id: 'call-6',
    payload: {
      attempt_ids: ['attempt-8'],
      basis: 'provider_fence',
      authority: 'provider',
      response: { status: 200, content_type: null, response_sha256 },
      recovery: { operation: 'reconcile_effect', pid: process.pid },
    },
  });
  expect(runtime.artifact(response_sha256)).toEqual(binary);
  runtime.close();
});

test('an operator’s statement is recorded under his name, and a response only with "served"', async () => {
  const { folder, on } = await diedAfter('attempt.started');
  const runtime = openAt(folder, provider);
  const kept = { status: 200, contentType: 'application/json', bytes: Buffer.from(answerText) };
  const statement = { by: 'operator', note: 'Read in their console.', finding: 'unknown' as const };
  await expect(runtime.reconcile(on, { statement: { ...statement, response: kept } })).rejects.toMatchObject({
    code: 'input-invalid',
  });
  expect(await runtime.reconcile(on, { statement })).toEqual({ finding: 'unknown', reason: 'stated' });
  const event = runtime.events().at(-1)!;
  expect(event.payload).toMatchObject({ basis: 'operator_statement', authority: 'operator', response: null });
  const { evidence_sha256 } = event.payload as { evidence_sha256: string };
  expect(JSON.parse(runtime.artifact(evidence_sha256)!.toString())).toEqual({
    basis: 'operator_statement',
    exchange: null,
    statement: { by: 'operator', note: 'Read in their console.' },
  });
  expect(provider.seen).toEqual([]);
  runtime.close();
});

test('without a declared way to ask, it says what to do and does nothing', async () => {
  const { folder, on } = await diedAfter('attempt.started');
  const runtime = openAt(folder, provider);
  const before = runtime.events().length;
  await expect(runtime.reconcile(on)).rejects.toMatchObject({
    code: 'recovery-refused',
    operation: 'reconcile_effect',
    hazard: null,
    message: expect.stringContaining('state what is known'),
  });
  expect([runtime.events().length, provider.seen.length]).toEqual([before, 0]);
  runtime.close();
});

test('"not found" is not "not served": without a fence or an honoured key no attempt follows, and with one it does', async () => {
  for (const [declared, stage, requests] of [
    [{ reconcile: 'lookup' }, 'operator_needed', 0],
    [{ reconcile: 'lookup', honoursKey: true }, 'completed', 1],
    [{ reconcile: 'fence' }, 'completed', 1],
  ] as const) {
    const { folder } = await diedAfter('attempt.started', answered, settings(declared));
    const runtime = openAt(folder, provider, declared);
    provider.now.question = declared.reconcile === 'fence' ? tells.fenced : tells.notFound;
    const before = provider.calls().length;
    await recovered(runtime);
    expect(runtime.workState('task-1').calls[0]?.stage).toBe(stage);
    const sent = provider.calls().slice(before);
    expect(sent).toHaveLength(requests);
    // The next attempt cites the finding, and its token is past every fence of the one before.
    const [started] = runtime.events().filter(({ type, payload }) => type === 'attempt.started' && 'cites' in payload);
    if (requests > 0) expect(started?.payload).toMatchObject({ cites: 9, number: 2 });
    expect(sent.map(({ token }) => token)).toEqual(requests > 0 ? [10] : []);
    runtime.close();
  }
});

async function recovered(runtime: Runtime): Promise<unknown> {
  return runtime.recover('task-1');
}

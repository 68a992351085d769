/**
 * The role programs as real processes: parked at a named place, killed there, continued by others over the same files.
 *
 * Fault model: process crash by SIGKILL. Requests are counted by the server that they reached, not by the ledger. More of it, and every type at
 * which a producer can park, is in `roles.gate.test.ts`.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  copyOf,
  eventCount,
  expectParkedAt,
  hashes,
  inspect,
  killedProducer,
  parkedFirst,
  stateOf,
} from '../../testing/killed-producer.js';
import { answers, startProvider, type TestProvider } from '../../testing/provider.js';
import { emptyFolder, kill, release, runRole, withCall, type Role } from '../../testing/roles.js';

let provider: TestProvider;

beforeEach(async () => {
  provider = await startProvider(answers);
});

afterEach(async () => {
  await provider.close();
});

const killedAt = (checkpoint: string): Promise<string> => killedProducer(provider, checkpoint);

describe('the producer parks and dies at a type that it commits', () => {
  test.each(parkedFirst)('%s', (name) => expectParkedAt(provider, name));
});

test('killed after the manifest: 7 events; resumed by another process: 17 and one request', async () => {
  const folder = await killedAt('call.manifest#1');
  const before = hashes(folder);
  const killed = await inspect(folder);
  expect(hashes(folder)).toEqual(before);
  expect(eventCount(killed)).toBe(7);
  expect(killed.answer?.settings).toMatchObject({ journal_mode: 'wal', synchronous: 2 });
  expect(stateOf(killed)?.task).toMatchObject({ next_operation: 'start_call', on: 'call-6' });

  const drifted = await runRole({
    role: 'resume',
    state: copyOf(folder),
    url: provider.url,
    scenario: withCall({ model: 'synthetic-2' }),
  });
  expect(drifted).toMatchObject({
    code: 0,
    answer: {
      status: 'refused',
      refusal: { error: 'ResumeRefused', operation: 'start_call', hazard: null, drift: ['request_body'] },
    },
  });
  const dry = await runRole({ role: 'resume', state: copyOf(folder), url: provider.url, variables: { KILLPOINT_DRY_RUN: '1' } });
  expect(dry).toMatchObject({ code: 0, answer: { status: 'completed', detail: expect.stringContaining('Dry run') } });
  expect(provider.seen).toHaveLength(0);

  const resumed = await runRole({ role: 'resume', state: folder, url: provider.url });
  expect(resumed).toMatchObject({ code: 0, answer: { status: 'completed', replayed: false, egress: { refused: [] } } });
  expect(provider.seen).toHaveLength(1);
  const after = await inspect(folder);
  expect(eventCount(after)).toBe(17);
  expect(stateOf(after)?.calls.map((call) => call.stage)).toEqual(['superseded', 'completed']);
  const bodyHash = createHash('sha256')
    .update(provider.seen[0]?.body ?? '')
    .digest('hex');
  expect(stateOf(after)?.calls.map((call) => call.manifest?.request_body_sha256)).toEqual([bodyHash, bodyHash]);
});

test('killed while the provider holds the request: resume refuses as unsafe, the naive restart sends the same again', async () => {
  let producer: { kill: () => void } | null = null;
  const holding = await startProvider(() => producer?.kill(), answers);
  const folder = emptyFolder();
  const produced = await runRole({
    role: 'produce',
    state: folder,
    url: holding.url,
    checkpoint: 'attempt.started#1',
    parked: (child) => {
      producer = { kill: () => kill(child) };
      release(child);
    },
  });
  expect(produced.signal).toBe('SIGKILL');
  const naive = copyOf(folder);
  const refused = await runRole({ role: 'resume', state: folder, url: holding.url });
  expect(refused.answer).toMatchObject({
    status: 'refused',
    refusal: { operation: 'reconcile_effect', hazard: 'unsafe', call_id: 'call-6' },
  });
  expect(eventCount(await inspect(folder))).toBe(8);
  expect(holding.seen).toHaveLength(1);
  const restarted = await runRole({ role: 'restart', state: naive, url: holding.url });
  expect(restarted.answer).toMatchObject({ status: 'completed', replayed: false });
  expect(holding.seen).toHaveLength(2);
  expect(holding.seen[1]?.body).toBe(holding.seen[0]?.body);
  expect(eventCount(await inspect(naive))).toBe(17);
  await holding.close();
});

test('a completed key is answered from the ledger; with another body it is refused', async () => {
  const folder = emptyFolder();
  await runRole({ role: 'produce', state: folder, url: provider.url });
  for (const role of ['restart', 'produce'] as const)
    expect((await runRole({ role, state: folder, url: provider.url })).answer).toMatchObject({
      status: 'completed',
      replayed: true,
    });
  const conflict = await runRole({
    role: 'restart',
    state: folder,
    url: provider.url,
    scenario: withCall({ model: 'synthetic-2' }),
  });
  expect(conflict.answer).toMatchObject({ status: 'refused', refusal: { error: 'KeyConflict' } });
  expect(eventCount(await inspect(folder))).toBe(14);
  expect(provider.seen).toHaveLength(1);
});

test('while the owner lives, nobody looks and nobody acts; when it goes on, it completes', async () => {
  const folder = emptyFolder();
  const others: Role[] = [];
  const produced = await runRole({
    role: 'produce',
    state: folder,
    url: provider.url,
    checkpoint: 'call.manifest#1',
    parked: async (child) => {
      for (const role of ['inspect', 'restart', 'resume', 'produce'] as const)
        others.push(await runRole({ role, state: folder, url: provider.url }));
      release(child);
    },
  });
  for (const other of others)
    expect(other).toMatchObject({ code: 64, answer: { status: 'refused', refusal: { error: 'OwnerAlive' } } });
  expect(others).toHaveLength(4);
  expect(produced).toMatchObject({ code: 0, answer: { status: 'completed' } });
  expect(eventCount(await inspect(folder))).toBe(14);
});

test('when the harness is gone the parked role ends at once, with 86', async () => {
  const folder = emptyFolder();
  const options = { role: 'produce', state: folder, url: provider.url, checkpoint: 'call.manifest#1' } as const;
  const role = await runRole({ ...options, parked: (child) => void (child.stdio[4] as NodeJS.WritableStream).end() });
  expect(role).toMatchObject({ code: 86, answer: null });
  expect(eventCount(await inspect(folder))).toBe(7);
});

describe('refused input: exit code 64 before anything starts', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an unknown checkpoint', { KILLPOINT_CHECKPOINT: 'call.manifestt#1' }, 'call.manifestt is not one of this subject'],
    ['a malformed place', { KILLPOINT_CHECKPOINT: 'call.manifest' }, 'not name#occurrence'],
    ['no provider', { KILLPOINT_PROVIDER_URL: '' }, 'KILLPOINT_PROVIDER_URL is not set'],
    ['no scenario', { KILLPOINT_SCENARIO: '/nowhere.json' }, 'cannot be read as JSON'],
  ])('%s', async (_name, variables, told) => {
    const folder = emptyFolder();
    const role = await runRole({ role: 'produce', state: folder, url: provider.url, variables });
    expect(role).toMatchObject({ code: 64, answer: null });
    expect(role.stderr).toContain(told);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('an operation that does not exist, and a folder that holds no ledger', async () => {
    const folder = emptyFolder();
    const resumed = await runRole({
      role: 'resume',
      state: folder,
      url: provider.url,
      variables: { KILLPOINT_OPERATION: 'undo' },
    });
    expect(resumed).toMatchObject({ code: 64, stderr: expect.stringContaining('none of recover, start_call') });
    expect(await runRole({ role: 'resume', state: folder, url: provider.url })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('There is no ledger'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

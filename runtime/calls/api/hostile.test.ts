import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answered, newFolder, open, prepare, scripted, types } from '../testing/folder.js';
import type { Delivery } from '../wire/transport.js';
import type { RuntimeOptions } from './options.js';

const withCode = (code: string) => expect.objectContaining({ code });
const half = 'a\ud800';
const url = 'http://127.0.0.1:9/p';

describe('options that would fail only after a call was recorded', () => {
  const provider = (changes: object) => ({ provider: { url, model: 'm', ...changes } });
  test.each<[string, object]>([
    ['credentials', provider({ url: 'http://user:hunter2@h/p' })],
    ['a query', provider({ url: 'http://h/p?x=1' })],
    ['a fragment', provider({ url: 'http://h/p#x' })],
    ['another protocol', provider({ url: 'ftp://h/p' })],
    ['a time-out that no timer can wait', provider({ timeoutMs: 2 ** 31 })],
    ['no time at all', provider({ timeoutMs: 0 })],
    ['half a pair in the model', provider({ model: half })],
    ['half a pair in the system message', provider({ system: half })],
    ['a model that is no text', provider({ model: 5 })],
    ['an answer that is no flag', provider({ honoursKey: 'yes' })],
    ['a policy that is no flag', { retry: { retry_not_sent: 'yes' } }],
    ['a policy of no known name', { retry: { max_attempt: 2 } }],
    ['a status that is none', { retry: { retry_statuses: [1000] } }],
    ['a limit that is no count', { maxRequestBytes: Number.NaN }],
    ['a budget of minus zero', { context: { budgetTokens: -0 } }],
    ['a commit mode that is none', { commit: 'maybe' }],
    ['an empty path', { directory: '' }],
    ['a path with NUL', { directory: '/tmp/a\0b' }],
    ['no provider', { provider: undefined }],
    ['no context', { context: undefined }],
    ['a context that is a list', { context: [] }],
    ['an option of no known name', { commits: 'each' }],
    ['a member of the provider of no known name', provider({ reconcil: 'fence' })],
    ['a member of the context of no known name', { context: { budgetTokens: 100, tokeniser: 'o200k_base' } }],
    ['a wish to create that is no flag', { create: 'yes' }],
  ])('are refused before anything is made: %s', (_name, options) => {
    const parent = mkdtempSync(join(tmpdir(), 'killpoint-options-'));
    let refused: unknown;
    try {
      open(join(parent, 'state'), options as Partial<RuntimeOptions>);
    } catch (error) {
      refused = error;
    }
    expect(refused).toEqual(withCode('input-invalid'));
    expect(String(refused)).not.toContain('hunter2');
    expect(readdirSync(parent)).toEqual([]);
  });

  test('are copied: a recorded policy does not change with the object of its caller', async () => {
    const retry_statuses = [503];
    const runtime = open(newFolder(), { retry: { retry_statuses } });
    const wanted = prepare(runtime);
    retry_statuses.push(500);
    await runtime.call(wanted);
    const manifest = runtime.events().find(({ type }) => type === 'call.manifest');
    expect(manifest).toMatchObject({ payload: { retry_policy: { retry_statuses: [503] } } });
  });
});

describe.each(['each', 'grouped'] as const)('text and keys that cannot be recorded or sent (%s)', (commit) => {
  test.each([`k${half}`, 'k\r\nx: y', 'k\0', 'kéy', 'k\u{1f511}', ' k', 'k ', '', 'k'.repeat(256), undefined, 5])(
    'the key %j is refused with nothing recorded and nothing sent',
    async (idempotencyKey) => {
      const { sent, transport } = scripted(answered);
      const runtime = open(newFolder(), { commit, transport });
      const wanted = { ...prepare(runtime), idempotencyKey: idempotencyKey as string };
      await expect(runtime.call(wanted)).rejects.toEqual(withCode('input-invalid'));
      expect([types(runtime).length, sent.length]).toEqual([5, 0]);
    },
  );

  test('half a pair is refused in every operation', async () => {
    const runtime = open(newFolder(), { commit });
    const wanted = prepare(runtime);
    const item = { id: 'A', kind: 'record', required: true, content: 'x', lineage: [] } as const;
    const compile = (changes: object, requiredIds: string[] = []) =>
      runtime.compile('task-1', { items: [{ ...item, ...changes }], requiredIds });
    const attempts: (() => unknown)[] = [
      () => runtime.createTask({ taskId: 'task-2', title: half }),
      () => runtime.createTask({ taskId: half, title: 'x' }),
      () => runtime.recordObjective('task-1', { objectiveId: 'o', statement: half }),
      () => runtime.recordClaim('task-1', { claimId: 'c', statement: 'x', basis: half }),
      () => compile({ id: half }),
      () => compile({ content: half }),
      () => compile({ lineage: [half] }),
      () => compile({}, [half]),
      () => runtime.reject('task-1', { by: half }),
      () => runtime.reject('task-1', { by: 'x', note: half }),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(withCode('input-invalid'));
    await expect(runtime.call({ ...wanted, instruction: half })).rejects.toEqual(withCode('input-invalid'));
    expect(types(runtime)).toHaveLength(5);
  });

  test('a member of no known name is refused in every operation', async () => {
    const runtime = open(newFolder(), { commit });
    prepare(runtime);
    const item = { id: 'A', kind: 'record', required: true, content: 'x', lineage: [] } as const;
    const more = { more: 1 } as object;
    const attempts: (() => unknown)[] = [
      () => runtime.recordObjective('task-1', { objectiveId: 'o', statement: 'x', ...more }),
      () => runtime.recordClaim('task-1', { claimId: 'c', statement: 'x', basis: 'y', ...more }),
      () => runtime.compile('task-1', { items: [], requiredIds: [], ...more }),
      () => runtime.compile('task-1', { items: [{ ...item, ...more }], requiredIds: [] }),
      () => runtime.reject('task-1', { by: 'x', ...more }),
      () => runtime.redecide('call-6', { ...more }),
      () => runtime.acceptDuplicate('call-6', { by: 'x', note: '', ...more }),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(/more is not known\. Known are /);
    const rejected: Promise<unknown>[] = [
      runtime.recover('task-1', { ...more }),
      runtime.reconcile('call-6', { statement: { by: 'x', finding: 'unknown', note: '', ...more } }),
      runtime.resumeCall('call-6', { ...more }),
    ];
    for (const one of rejected) await expect(one).rejects.toThrow(/more is not known\. Known are /);
    expect(types(runtime)).toHaveLength(5);
  });

  test('composed and decomposed text, and NUL, stay what they are', async () => {
    const { sent, transport } = scripted(answered);
    const runtime = open(newFolder(), { commit, transport });
    const wanted = prepare(runtime);
    for (const [index, instruction] of ['\u00e9', 'e\u0301', '\0'].entries())
      await runtime.call({ ...wanted, idempotencyKey: `key-${index}`, instruction });
    const said = sent.map(({ body }) => JSON.parse(body.toString()) as { messages: { content: string }[] });
    expect(said.map(({ messages }) => messages[1]?.content.split('\n\n')[0])).toEqual(['\u00e9', 'e\u0301', '\0']);
  });
});

describe('what a provider may send', () => {
  const of = (changes: object): Delivery => ({ ...answered, ...changes }) as Delivery;
  const failing = (message: string) => of({ bytes: Buffer.from(JSON.stringify({ error: { message } })) });
  const after = async (delivery: Delivery) => {
    const runtime = open(newFolder(), { transport: () => Promise.resolve(delivery) });
    const ended: unknown = await runtime.call(prepare(runtime)).catch((error: unknown) => error);
    return { ended, runtime };
  };

  test('an error text that is cut inside a pair is recorded', async () => {
    const { ended } = await after(failing(`${'a'.repeat(499)}\u{1f600}`));
    expect(ended).toMatchObject({ outcome: 'failed', error: expect.stringContaining('a\ufffd') });
  });

  test('an empty content type names no type', async () => {
    const { runtime } = await after(of({ contentType: '' }));
    const observed = runtime.events().find(({ type }) => type === 'attempt.observed');
    expect(observed).toMatchObject({ payload: { content_type: '' } });
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['another word', { delivery: 'maybe' }],
    ['a status below 100', of({ status: 99 })],
    ['half a status', of({ status: 200.5 })],
    ['text for bytes', of({ bytes: 'text' })],
    ['half a pair for a type', of({ contentType: half })],
  ])('a transport that answers with %s has proved nothing', async (_name, told) => {
    const { ended, runtime } = await after(told as Delivery);
    expect(ended).toEqual(withCode('effect-unknown'));
    expect(types(runtime).at(-1)).toBe('attempt.observed');
  });
});

import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ResumeRefused } from '../core/errors.js';
import type { Manifest } from '../core/vocabulary.js';
import { openStateFolder } from '../store/state-folder.js';
import { answered, broken, newFolder, notSent, open, prepare, scripted, status, types } from '../testing/folder.js';
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';

const provider = { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', system: 'You review.' };

/** A ledger that ends right after the first event of a type: the listener throws there, as a crash would stop there. */
async function endedAfter(
  type: string,
  commit: 'each' | 'grouped' = 'each',
  options: Partial<RuntimeOptions> = {},
): Promise<string> {
  const folder = newFolder();
  const runtime = open(folder, {
    ...options,
    commit,
    onCommitted: (events) => {
      if (events.some((event) => event.type === type)) throw new Error('stop');
    },
  });
  await expect(async () => runtime.call(prepare(runtime))).rejects.toThrow('stop');
  runtime.close();
  return folder;
}

/** A ledger from before specs that ends after the request. */
async function endedAfterOldRequest(): Promise<string> {
  const folder = newFolder();
  const runtime = open(folder);
  prepare(runtime);
  runtime.close();
  const { ledger } = openStateFolder(folder, false);
  const place = { task_id: 'task-1', call_id: 'call-6', compilation_id: 'compilation-4' };
  const payload = { idempotency_key: 'key-16', instruction: 'Review the paragraph.' };
  ledger.append([{ ...place, type: 'call.requested', payload }]);
  ledger.close();
  return folder;
}

function reopened(folder: string, options: Partial<RuntimeOptions> = {}) {
  const script = scripted(answered);
  return { runtime: open(folder, { create: false, transport: script.transport, ...options }), sent: script.sent };
}

async function refusalOf(runtime: Runtime, callId: string, options = {}): Promise<ResumeRefused> {
  const before = types(runtime).length;
  const error: unknown = await runtime.resumeCall(callId, options).catch((cause: unknown) => cause);
  expect(types(runtime)).toHaveLength(before);
  if (!(error instanceof ResumeRefused)) throw error;
  return error;
}

describe('acting', () => {
  test.each(['each', 'grouped'] as const)(
    'after the manifest: 7 events become 17, one request, the recorded body (%s)',
    async (commit) => {
      const folder = await endedAfter('call.manifest');
      const groups: string[][] = [];
      const { runtime, sent } = reopened(folder, {
        commit,
        onCommitted: (events) => void groups.push(events.map(({ type }) => type)),
      });
      const workState = runtime.workState('task-1');
      await expect(runtime.resumeCall('call-6', { workState })).resolves.toMatchObject({
        callId: 'call-9',
        outcome: 'succeeded',
      });
      expect(types(runtime)).toHaveLength(17);
      expect(types(runtime).slice(7)).toEqual([
        'call.resumed',
        'call.requested',
        'call.manifest',
        'attempt.started',
        'attempt.observed',
        'attempt.interpreted',
        'attempt.retry_decided',
        'attempt.completed',
        'result.recorded',
        'call.completed',
      ]);
      expect(groups[0]).toEqual(['call.resumed', 'call.requested']);
      expect(sent).toHaveLength(1);
      const after = runtime.workState('task-1');
      expect(after.calls.map((call) => [call.stage, call.superseded_by, call.manifest?.request_body_sha256])).toEqual([
        ['superseded', 'call-9', after.calls[0]?.manifest?.request_body_sha256],
        ['completed', null, after.calls[0]?.manifest?.request_body_sha256],
      ]);
      expect(after.task.next_operation).toBe('check_and_accept');
      runtime.close();
    },
  );

  test('after the request alone there are no hashes to verify, and the spec is', async () => {
    const { runtime } = reopened(await endedAfter('call.requested'));
    await runtime.resumeCall('call-6');
    const resumed = runtime.events().find((event) => event.type === 'call.resumed');
    expect(resumed?.payload).toMatchObject({
      verified: null,
      spec_verified: true,
      recovery: { operation: 'start_call', pid: process.pid },
    });
    expect(types(runtime)).toHaveLength(16);
    runtime.close();
  });

  test('a dry run says what would happen and does nothing', async () => {
    const { runtime, sent } = reopened(await endedAfter('call.manifest'));
    runtime.checkResume('call-6');
    expect(types(runtime)).toHaveLength(7);
    expect(sent).toHaveLength(0);
    runtime.close();
  });
});

describe('drift', () => {
  test.each<[string, Partial<RuntimeOptions>, string[]]>([
    ['another model', { provider: { ...provider, model: 'synthetic-2' } }, ['request_body']],
    ['another system message', { provider: { ...provider, system: 'Other.' } }, ['request_body']],
    ['another renderer', { context: { budgetTokens: 64, rendererVersion: 2 } }, ['rendered_context', 'request_body']],
    ['another budget that includes the same', { context: { budgetTokens: 128 } }, ['context_package']],
    [
      'a budget that no longer compiles',
      { context: { budgetTokens: 3 } },
      ['context_package', 'rendered_context', 'request_body'],
    ],
  ])('%s is refused, naming what differs', async (_name, options, drift) => {
    const { runtime, sent } = reopened(await endedAfter('call.manifest'), options);
    const refusal = await refusalOf(runtime, 'call-6');
    expect(refusal).toMatchObject({ operation: 'start_call', hazard: null, drift });
    expect(sent).toHaveLength(0);
    runtime.close();
  });
});

describe('drift from the request alone, by the spec that was recorded with it', () => {
  const retry = { max_attempts: 3 };
  test.each<[string, Partial<RuntimeOptions>, string[]]>([
    ['another model', { provider: { ...provider, model: 'synthetic-2' } }, ['model']],
    ['one byte of the system message', { provider: { ...provider, system: 'You review!' } }, ['system']],
    ['another tool', { provider: { ...provider, tools: [{ type: 'function', name: 'x' }] } }, ['tools']],
    ['another renderer', { context: { budgetTokens: 64, rendererVersion: 2 } }, ['renderer']],
    ['another package of the same items', { context: { budgetTokens: 128 } }, ['context_package']],
    ['a budget that no longer compiles', { context: { budgetTokens: 3 } }, ['context_package']],
    ['another policy', { retry }, ['retry_policy']],
    ['another word about keys', { provider: { ...provider, honoursKey: true } }, ['provider']],
    [
      'all of it',
      {
        retry,
        provider: { ...provider, model: 'm', system: 's', tools: [{}], honoursKey: true },
        context: { budgetTokens: 9, rendererVersion: 2 },
      },
      ['context_package', 'model', 'system', 'tools', 'renderer', 'retry_policy', 'provider'],
    ],
  ])('%s is refused by name', async (_name, options, drift) => {
    const { runtime, sent } = reopened(await endedAfter('call.requested'), options);
    expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation: 'start_call', hazard: null, drift });
    expect(sent).toHaveLength(0);
    runtime.close();
  });

  test('a tool whose schema changed is refused by name too, and the same one is not', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const folder = await endedAfter('call.requested', 'each', { provider: { ...provider, tools } });
    const changed = [{ ...tools[0], function: { name: 'look', parameters: { type: 'string' } } }];
    const other = reopened(folder, { provider: { ...provider, tools: changed } });
    expect(await refusalOf(other.runtime, 'call-6')).toMatchObject({ drift: ['tools'] });
    other.runtime.close();
    const { runtime, sent } = reopened(folder, { provider: { ...provider, tools } });
    await runtime.resumeCall('call-6');
    expect(JSON.parse(sent[0]?.body.toString() ?? '')).toMatchObject({ tools });
    runtime.close();
  });

  test('by recorded settings nothing drifts: the recorded spec is what is sent', async () => {
    const [early, late] = [await endedAfter('call.requested'), await endedAfter('call.manifest')];
    const bodies: string[] = [];
    for (const folder of [early, late]) {
      const { runtime, sent } = reopened(folder, { provider: { url: provider.url, model: '' }, context: { budgetTokens: 0 } });
      await runtime.resumeCall('call-6', { settings: 'recorded' });
      bodies.push(sent[0]?.body.toString() ?? '');
      const specs = runtime.events().flatMap(({ payload }) => ('spec_sha256' in payload ? [payload.spec_sha256] : []));
      expect(new Set(specs).size).toBe(1);
      runtime.close();
    }
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toContain('You review.');
  });

  test('a record from before specs cannot be resumed by recorded settings', async () => {
    const { runtime, sent } = reopened(await endedAfterOldRequest());
    expect(await refusalOf(runtime, 'call-6', { settings: 'recorded' })).toMatchObject({ hazard: null, drift: [] });
    expect(sent).toHaveLength(0);
    runtime.close();
  });
});

describe('the recorded intent', () => {
  const retry = { max_attempts: 5, retry_statuses: [503], retry_not_sent: true, retry_broken_if_key_honoured: true };
  const today = { retry, provider: { ...provider, honoursKey: true } };
  const manifests = (runtime: Runtime) =>
    runtime
      .events()
      .filter(({ type }) => type === 'call.manifest')
      .map(({ payload }) => payload);

  test.each([
    ['an error', status(503), { outcome: 'failed', attempts: 1 }],
    ['a proof that nothing was sent', notSent, { outcome: 'failed', attempts: 1 }],
    ['a break', broken, { code: 'effect-unknown' }],
  ])('is what a resume keeps to, not the settings of today: %s', async (_name, delivery, ended) => {
    const { sent, transport } = scripted(delivery, answered);
    const { runtime } = reopened(await endedAfter('call.manifest'), { ...today, transport });
    const outcome: unknown = await runtime.resumeCall('call-6').catch((error: unknown) => error);
    expect(outcome).toMatchObject(ended);
    expect(sent).toHaveLength(1);
    const [old, renewed] = manifests(runtime);
    expect(old).toMatchObject({ retry_policy: { max_attempts: 1 }, provider: { honours_key: false } });
    expect(renewed).toEqual(old);
    runtime.close();
  });

  test('is that of today where neither manifest nor spec was recorded, as before there were specs', async () => {
    const { sent, transport } = scripted(status(503), answered);
    const { runtime } = reopened(await endedAfterOldRequest(), { ...today, transport });
    await expect(runtime.resumeCall('call-6')).resolves.toMatchObject({ outcome: 'succeeded', attempts: 2 });
    expect(sent).toHaveLength(2);
    expect(manifests(runtime)).toMatchObject([{ retry_policy: retry, provider: { honours_key: true } }]);
    runtime.close();
  });

  test.each([
    [
      'an interpreter of another version',
      { interpreter: { name: 'chat-completions', version: 3 } },
      'chat-completions version 3',
    ],
    ['an interpreter of another name', { interpreter: { name: 'messages', version: 1 } }, 'messages version 1'],
    ['a renderer of another version', { renderer: { name: 'plain-sections', version: 3 } }, 'plain-sections version 3'],
    ['a path of another wire', { provider: { path: '/v1/messages', honours_key: false } }, '/v1/messages'],
  ])('is refused where this program has not what it needs: %s', async (_name, changes, told) => {
    const folder = await endedAfter('call.requested');
    const { ledger } = openStateFolder(folder, false);
    const earlier = await endedAfter('call.manifest');
    const { ledger: other } = openStateFolder(earlier, false);
    const recorded = other.history.calls.get('call-6')?.manifest as Manifest;
    const place = { task_id: 'task-1', call_id: 'call-6', compilation_id: 'compilation-4' };
    ledger.append([{ ...place, type: 'call.manifest', payload: { ...recorded, ...changes } }]);
    ledger.close();
    other.close();
    const { runtime, sent } = reopened(folder);
    const refusal = await refusalOf(runtime, 'call-6');
    expect(refusal).toMatchObject({ operation: 'start_call', hazard: null, drift: [] });
    expect(refusal.message).toContain(told);
    expect(sent).toHaveLength(0);
    runtime.close();
  });
});

describe('refusing', () => {
  test.each([
    ['attempt.started', 'reconcile_effect', 'unsafe'],
    ['attempt.observed', 'reinterpret', 'unneeded'],
    ['attempt.interpreted', 'redecide', 'unneeded'],
    ['attempt.retry_decided', 'finalize', 'unneeded'],
    ['call.completed', 'none', 'unneeded'],
  ])('after %s: %s, %s', async (type, operation, hazard) => {
    const { runtime, sent } = reopened(await endedAfter(type));
    expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation, hazard, drift: [] });
    expect(sent).toHaveLength(0);
    runtime.close();
  });

  test('an operation that is not the projected one', async () => {
    const { runtime } = reopened(await endedAfter('call.manifest'));
    expect(await refusalOf(runtime, 'call-6', { operation: 'finalize' })).toMatchObject({
      operation: 'start_call',
      hazard: 'unneeded',
    });
    runtime.close();
  });

  test('a call whose key was served by another call, or may have been', async () => {
    for (const [delivery, hazard] of [
      [answered, 'unneeded'],
      [broken, 'unsafe'],
    ] as const) {
      const { runtime } = reopened(await endedAfter('call.manifest'), { transport: () => Promise.resolve(delivery) });
      const [call] = runtime.workState('task-1').calls;
      const wanted = {
        taskId: 'task-1',
        compilationId: 'compilation-4',
        idempotencyKey: 'key-16',
        instruction: 'Review the paragraph.',
      };
      await runtime.call(wanted).catch(() => undefined);
      expect(call?.stage).toBe('manifest_recorded');
      expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation: 'start_call', hazard });
      runtime.close();
    }
  });

  test('a superseded call', async () => {
    const { runtime } = reopened(await endedAfter('call.manifest'));
    await runtime.resumeCall('call-6');
    expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation: 'none', hazard: 'unneeded' });
    runtime.close();
  });

  test('a ledger that grew after its projection was read: overtaken, nothing appended', async () => {
    const folder = await endedAfter('call.manifest');
    const slow = reopened(folder);
    const workState = slow.runtime.workState('task-1');
    const quick = reopened(folder);
    await quick.runtime.resumeCall('call-6');
    quick.runtime.close();
    await expect(slow.runtime.resumeCall('call-6', { workState })).rejects.toMatchObject({ code: 'overtaken' });
    expect(slow.sent).toHaveLength(0);
    slow.runtime.close();
    const now = reopened(folder).runtime;
    expect(types(now)).toHaveLength(17);
    now.close();
  });

  test('a ledger that another runtime owns', async () => {
    const folder = await endedAfter('call.manifest');
    const owner = reopened(folder).runtime;
    owner.recordClaim('task-1', { claimId: 'c', statement: 's', basis: 'b' });
    const other = reopened(folder);
    await expect(other.runtime.resumeCall('call-6')).rejects.toMatchObject({ code: 'owner-alive' });
    expect(other.sent).toHaveLength(0);
    other.runtime.close();
    owner.close();
  });
});

test('an artifact that was altered is never sent', async () => {
  const folder = await endedAfter('call.manifest');
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(`${copy}/ledger.sqlite`);
  const guard = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'artifacts_no_update'").pluck().get() as string;
  const rest = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'artifacts_no_delete'").pluck().get() as string;
  // Both guards are made again, so that the schema keeps its order.
  database.exec('DROP TRIGGER artifacts_no_update; DROP TRIGGER artifacts_no_delete');
  database.exec("UPDATE artifacts SET bytes = CAST('altered' AS BLOB) WHERE media_type LIKE 'text/plain%'");
  database.exec(guard);
  database.exec(rest);
  database.close();
  const { runtime, sent } = reopened(copy);
  await expect(runtime.resumeCall('call-6')).rejects.toMatchObject({ code: 'ledger-damaged' });
  expect(sent).toHaveLength(0);
  runtime.close();
});

/** What a resume would send is what was recorded, or nothing: drift is refused by name, and what was intended is kept to the letter. */
import { describe, expect, test } from 'vitest';
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';
import type { Manifest } from '../core/vocabulary.js';
import { openStateFolder } from '../ledger/state-folder.js';
import { answered, broken, notSent, scripted, status } from '../testing/folder.js';
import { endedAfter, endedAfterOldRequest, provider, refusalOf, reopened } from '../testing/resumed.js';

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

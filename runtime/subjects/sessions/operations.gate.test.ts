/**
 * What an owner does to a session by a role of its own: messages, answers, cancels; what refuses them; and the naive loop beside them.
 */
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf, copyState } from '../../sessions/testing/session.js';
import { startStrictProvider, type StrictProvider } from '../../sessions/testing/strict-provider.js';
import { emptyFolder, kill, release } from '../../testing/roles.js';
import { byRecord, demandLawful, inspect, killedAt, runRole, startProvider } from './testing/roles.js';
import { asksForWhatItIsTold, charge, scenarioOf, tool } from './testing/scenarios.js';

let provider: StrictProvider;

beforeEach(async () => {
  provider = await startProvider();
});

afterEach(async () => {
  demandLawful(provider, { once: false });
  await provider.close();
});

async function ended(): Promise<string> {
  const state = emptyFolder();
  expect((await runRole({ role: 'produce', state, url: provider.url })).answer?.status).toBe('completed');
  return state;
}

test('a message starts a run by the settings on record; the same one again is answered from the log, and another under its id refused', async () => {
  const state = await ended();
  const send = (text: string) => byRecord({ state, url: provider.url }, 'send', { run_id: 'run-2', text });
  expect((await send('charge')).answer).toMatchObject({
    status: 'completed',
    replayed: false,
    detail: 'run-2 ended: completed.',
  });
  const requests = provider.received.length;
  const { types } = await inspect(state);
  expect((await send('charge')).answer).toMatchObject({ status: 'completed', replayed: true });
  expect((await send('nothing')).answer).toMatchObject({
    status: 'refused',
    refusal: null,
    session_refusal: { reason: 'run_conflict', on: 'run-2' },
  });
  expect((await byRecord({ state, url: provider.url })).answer).toMatchObject({ session_refusal: { reason: 'nothing_open' } });
  expect(provider.received).toHaveLength(requests);
  expect((await inspect(state)).types).toEqual(types);
});

test('an answer of a person is recorded without a provider, once, and the run goes on with the next resume', async () => {
  const state = emptyFolder();
  const scenario = scenarioOf(
    [tool('charge', { approval: 'required' }), tool('mail', { approval: 'required' })],
    [{ do: 'send', run_id: 'run-1', text: 'charge mail' }],
  );
  const produced = await runRole({ role: 'produce', state, url: provider.url, scenario });
  expect(produced.answer).toMatchObject({
    status: 'completed',
    detail: 'run-1 waits for a person to answer about s-1/run-1/batch-3/call-1, s-1/run-1/batch-3/call-2.',
  });
  const answer = (id: string, decision: string) =>
    byRecord({ state, url: '' }, 'approve', { tool_call_id: id, decision, by: 'someone' });
  expect((await answer('call-1', 'approved')).answer?.status).toBe('completed');
  expect((await answer('call-1', 'denied')).answer).toMatchObject({ session_refusal: { reason: 'approval_settled' } });
  expect((await answer('call-9', 'denied')).answer).toMatchObject({ session_refusal: { reason: 'nothing_open' } });
  expect((await byRecord({ state, url: provider.url })).answer).toMatchObject({
    session_refusal: { reason: 'approval_needed', operation: 'approve', on: 's-1/run-1/batch-3/call-2' },
  });
  expect((await answer('call-2', 'denied')).answer?.status).toBe('completed');
  expect((await byRecord({ state, url: provider.url })).answer?.status).toBe('completed');
  expect((await inspect(state)).session.runs[0]).toMatchObject({
    reason: 'completed',
    calls: [{ state: 'completed' }, { state: 'no_dispatch' }],
  });
  expect(provider.toolKeys()).toEqual({ 's-1/run-1/batch-3/call-1': 1 });
});

test('a recovery completes where nothing is left, and where a person must answer first, and records nothing there', async () => {
  const asking = scenarioOf([tool('charge', { approval: 'required' })]);
  const paused = await killedAt('run_paused#1', provider.url, asking);
  for (const [state, url, told] of [
    [await ended(), '', 'There was nothing to do.'],
    [paused, '', 'run-1 waits for a person to answer about s-1/run-1/batch-3/call-1.'],
    [await killedAt('model_step_finished#1', provider.url), provider.url, 'run-1 ended: completed.'],
  ] as const) {
    const before = bytesOf(state);
    expect((await byRecord({ state, url }, 'recover')).answer).toMatchObject({ status: 'completed', detail: told });
    if (url === '') expect(bytesOf(state)).toEqual(before);
  }
});

test('a cancel is recorded without a provider, and sealed by the next resume without a request', async () => {
  const state = await killedAt('model_step_finished#1', provider.url);
  const requests = provider.received.length;
  const cancel = () => byRecord({ state, url: '' }, 'cancel', { at: 'now' });
  expect((await cancel()).answer?.status).toBe('completed');
  expect((await byRecord({ state, url: '' })).answer).toMatchObject({ status: 'completed', detail: 'run-1 ended: cancelled.' });
  expect((await cancel()).answer).toMatchObject({ session_refusal: { reason: 'nothing_open', operation: 'none' } });
  expect(provider.received).toHaveLength(requests);
});

test('another session id or configuration is refused as such, with nothing recorded and nothing sent', async () => {
  const state = await killedAt('model_step_finished#1', provider.url);
  const before = bytesOf(state);
  const requests = provider.received.length;
  for (const [settings, reason, drift] of [
    [{ session_id: 's-2' }, 'config_conflict', ['session_id']],
    [{ model: 'synthetic-2', batch: 'parallel' as const }, 'config_conflict', ['model', 'batch']],
  ] as const) {
    const scenario = scenarioOf([tool('charge')], [charge], settings);
    const refused = await runRole({ role: 'resume', state, url: provider.url, scenario });
    expect(refused).toMatchObject({ code: 0, answer: { status: 'refused', refusal: null, session_refusal: { reason, drift } } });
  }
  expect(bytesOf(state)).toEqual(before);
  expect(provider.received).toHaveLength(requests);
});

test('a session whose requests were not frozen cannot be resumed, and says so', async () => {
  const scenario = scenarioOf([tool('charge')], [charge], { freeze: false });
  const state = await killedAt('model_step_finished#1', provider.url, scenario);
  expect((await runRole({ role: 'resume', state, url: provider.url, scenario })).answer).toMatchObject({
    status: 'refused',
    session_refusal: { reason: 'frozen_render_config_unverifiable', operation: 'run_tools' },
  });
});

describe('the naive loop', () => {
  test('dispatches what may have happened again, where a resume closes the run', async () => {
    let producer: (() => void) | null = null;
    const holding = await startStrictProvider({
      model: asksForWhatItIsTold,
      effect: (name) => {
        producer?.();
        return producer === null ? `${name} done` : 'hang';
      },
    });
    const state = emptyFolder();
    const killed = await runRole({
      role: 'produce',
      state,
      url: holding.url,
      checkpoint: 'tool_dispatch_intent#1',
      parked: (child) => {
        producer = () => kill(child);
        release(child);
      },
    });
    expect(killed.signal).toBe('SIGKILL');
    producer = null;
    const naive = copyState(state);
    expect((await inspect(state)).session.runs[0]).toMatchObject({
      next_operation: 'close_out',
      calls: [{ state: 'indeterminate' }],
    });
    const resumed = await runRole({ role: 'resume', state, url: holding.url });
    expect(resumed.answer).toMatchObject({ status: 'completed', detail: 'run-1 ended: interrupted.' });
    const [key = ''] = Object.keys(holding.toolKeys());
    expect(holding.toolKeys()).toEqual({ [key]: 1 });
    const restarted = await runRole({ role: 'restart', state: naive, url: holding.url });
    expect(restarted.answer).toMatchObject({ status: 'completed', detail: 'run-1 ended: completed.' });
    expect(holding.toolKeys()).toEqual({ [key]: 2 });
    expect((await inspect(naive)).session.runs[0]).toMatchObject({ reason: 'completed', calls: [{ state: 'completed' }] });
    await holding.close();
  });
});

describe('a script', () => {
  test('that is refused on its way failed, and what it did is on record; at its first step it is refused', async () => {
    const state = emptyFolder();
    const twice = scenarioOf([tool('charge')], [charge, { do: 'send', run_id: 'run-1', text: 'nothing' }]);
    expect((await runRole({ role: 'produce', state, url: provider.url, scenario: twice })).answer).toMatchObject({
      status: 'failed',
      session_refusal: { reason: 'run_conflict' },
    });
    const nothing = scenarioOf([tool('charge')], [{ do: 'cancel', at: 'now' }]);
    expect((await runRole({ role: 'produce', state: emptyFolder(), url: provider.url, scenario: nothing })).answer).toMatchObject(
      {
        status: 'refused',
        session_refusal: { reason: 'nothing_open' },
      },
    );
  });

  test('may be refused meanwhile: the run goes on, and the producer says that it failed', async () => {
    const state = emptyFolder();
    const late = scenarioOf([tool('charge')], [charge], {}, [{ after: 'run_finished#1', do: 'steer', text: 'Faster.' }]);
    const produced = await runRole({ role: 'produce', state, url: provider.url, scenario: late });
    expect(produced.answer).toMatchObject({
      status: 'failed',
      detail: expect.stringMatching(/after run_finished#1, "steer" was refused/),
    });
    expect((await inspect(state)).session.runs[0]?.reason).toBe('completed');
  });

  test('queues, takes back and cancels; what still waits runs in its order, the interrupting one first', async () => {
    const state = emptyFolder();
    const queue = (id: string, delivery: 'plain' | 'interrupt') =>
      ({ do: 'queue', submission_id: id, text: 'nothing', delivery }) as const;
    const scenario = scenarioOf(
      [tool('charge')],
      [queue('early', 'plain'), queue('gone', 'plain'), { do: 'retract', submission_id: 'gone' }, charge],
      {},
      [{ after: 'tool_result#1', ...queue('urgent', 'interrupt') }],
    );
    expect((await runRole({ role: 'produce', state, url: provider.url, scenario })).answer?.status).toBe('completed');
    expect((await inspect(state)).session.runs.map(({ run_id: id, reason }) => [id, reason])).toEqual([
      ['run-1', 'cancelled'],
      ['urgent', 'completed'],
      ['early', 'completed'],
    ]);
  });
});

describe('a log that cannot be read is told as such, by whoever looks and whoever acts, and stays as it is', () => {
  const flip = (path: string): void => {
    const bytes = readFileSync(path);
    bytes[400] = (bytes[400] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  test.each<[string, 'log_damaged' | 'newer_writer', RegExp, (state: string) => void]>([
    ['a byte that changed', 'log_damaged', /damaged at byte \d+/, (state) => flip(join(state, 'session.wal'))],
    [
      'a floor of a newer writer',
      'newer_writer',
      /wal-feature-floor: this one does not read scope\/v1/,
      (state) => writeFileSync(join(state, 'wal-feature-floor'), '{"features":["scope/v1"],"version":"feature-floor/v1"}\n'),
    ],
  ])('%s', async (_name, reason, told, harm) => {
    const state = await ended();
    harm(state);
    const before = bytesOf(state);
    const refusal = { reason, operation: null, on: null, drift: [] };
    const looked = (await inspect(state)).role;
    expect(looked).toMatchObject({ code: 0, answer: { status: 'refused', refusal: null, session_refusal: refusal } });
    expect(looked.answer?.detail).toMatch(told);
    expect(looked.answer?.detail).toContain(state);
    expect(looked.answer).not.toHaveProperty('session');
    const acted = await byRecord({ state, url: provider.url }, 'send', { run_id: 'run-2', text: 'nothing' });
    expect(acted).toMatchObject({ code: 0, answer: { status: 'refused', session_refusal: refusal } });
    expect(bytesOf(state)).toEqual(before);
  });

  test('a torn tail is none: it is told, and cut off by the next owner', async () => {
    const state = await ended();
    const log = join(state, 'session.wal');
    truncateSync(log, readFileSync(log).length - 20);
    appendFileSync(log, Buffer.alloc(7));
    const looked = await inspect(state);
    expect(looked.role.answer?.log?.torn_bytes).toBeGreaterThan(7);
    expect(looked.session.next_operation).toBe('finalize');
    expect((await byRecord({ state, url: '' })).answer).toMatchObject({ status: 'completed' });
    expect((await inspect(state)).role.answer?.log?.torn_bytes).toBe(0);
  });
});

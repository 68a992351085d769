/**
 * The role programs of sessions as real processes: parked at a named place, killed there, continued by others over the same files.
 *
 * Fault model: process crash by SIGKILL. Requests are counted by the server that they reached, not by the log.
 */
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkpoints } from '../../contract/data.js';
import type { StrictProvider } from '../../sessions/testing/strict-provider.js';
import { emptyFolder, release, type Role } from '../../testing/roles.js';
import type { During, Scenario, ScriptStep } from './scenario.js';
import { byRecord, demandLawful, inspect, killedAt, plain, runRole, startProvider } from './testing/roles.js';
import { charge, commandTool, scenarioOf, tool } from './testing/scenarios.js';

let provider: StrictProvider;

beforeEach(async () => {
  provider = await startProvider();
});

afterEach(async () => {
  demandLawful(provider, { once: true });
  await provider.close();
});

const approval: ScriptStep[] = [
  charge,
  { do: 'approve', tool_call_id: 'call-1', decision: 'approved', by: 'someone' },
  { do: 'resume' },
];
const asking = scenarioOf([tool('charge', { approval: 'required' })], approval);
const meanwhile = (...during: During[]): Scenario => scenarioOf([tool('charge')], [charge], {}, during);
const queued: During = { after: 'run_started#1', do: 'queue', submission_id: 'q-1', text: 'nothing', delivery: 'plain' };

/** Which scenario appends a type that the plain one does not; and how the session ends where it is not `completed`. */
const special: Record<string, { scenario?: Scenario; ends?: string }> = {
  model_attempt_started: { scenario: scenarioOf([tool('charge')], [charge], { model_leg: 'intent' }), ends: 'interrupted' },
  approval_requested: { scenario: asking, ends: 'paused' },
  run_paused: { scenario: asking, ends: 'paused' },
  approval_resolved: { scenario: asking },
  tool_no_dispatch: { scenario: scenarioOf([]) },
  tool_dispatch_intent: { ends: 'interrupted' },
  steered: { scenario: meanwhile({ after: 'tool_result#1', do: 'steer', text: 'Faster.', send_id: 'steer-1' }) },
  queued: { scenario: meanwhile(queued) },
  retracted: { scenario: meanwhile(queued, { after: 'queued#1', do: 'retract', submission_id: 'q-1' }) },
  run_cancel_requested: { scenario: meanwhile({ after: 'tool_result#1', do: 'cancel', at: 'now' }), ends: 'cancelled' },
};

describe('the producer parks and dies at every type that it appends, and another process goes on', () => {
  const onlyOfResume = ['resume_started'];
  const producible = checkpoints['sessions/v1'].committed.filter((name) => !onlyOfResume.includes(name));
  test.each(producible)('%s', async (name) => {
    const { scenario = plain, ends = 'completed' } = special[name] ?? {};
    const state = await killedAt(`${name}#1`, provider.url, scenario);
    const killed = await inspect(state);
    expect(killed.types.at(-1)).toBe(name);
    expect(killed.role.answer).toMatchObject({ status: 'completed', settings: { sync: 'fdatasync' }, log: { torn_bytes: 0 } });
    const requests = provider.received.length;

    const resumed = await runRole({ role: 'resume', state, url: provider.url, scenario });
    const { session, types } = await inspect(state);
    if (ends === 'paused') {
      // Asked, and not yet paused on record; or paused: nobody else can answer.
      expect(resumed.answer).toMatchObject({
        status: 'refused',
        session_refusal: { reason: 'approval_needed', operation: 'approve' },
      });
      expect([types, provider.received.length]).toEqual([killed.types, requests]);
      return;
    }
    const nothingLeft = name === 'run_finished';
    expect(resumed).toMatchObject({ code: 0, answer: { status: nothingLeft ? 'refused' : 'completed', refusal: null } });
    expect(types.includes('resume_started')).toBe(!nothingLeft);
    expect(session).toMatchObject({ next_operation: 'none', queue: [] });
    expect(session.runs[0]).toMatchObject({ run_id: 'run-1', stage: 'finished', reason: ends });
    expect(session.runs.length).toBe(name === 'queued' ? 2 : 1);
  });
});

test('grouped: what one barrier holds is there as a whole', async () => {
  const grouped: Scenario = { ...plain, commit: 'grouped' };
  const state = await killedAt('tool_batch_started#1', provider.url, grouped);
  expect((await inspect(state)).types.slice(-2)).toEqual(['tool_batch_started', 'tool_dispatch_intent']);
  const second = await killedAt('commit#2', provider.url, grouped);
  expect((await inspect(second)).types.slice(-3)).toEqual(['step_started', 'model_attempt_finished', 'model_step_finished']);
});

test('resume parks between reading and acting, without the lease, and at its own first record', async () => {
  const state = await killedAt('model_step_finished#1', provider.url);
  const late = await runRole({
    role: 'resume',
    state,
    url: provider.url,
    checkpoint: 'projection.read#1',
    parked: async (child) => {
      // Somebody else begins, and is killed; and a third one ends it.
      const killed = await runRole({ role: 'resume', state, url: provider.url, checkpoint: 'resume_started#1' });
      expect(killed.signal).toBe('SIGKILL');
      expect((await inspect(state)).types.slice(-2)).toEqual(['lineage', 'resume_started']);
      expect((await byRecord({ state, url: provider.url })).answer).toMatchObject({ status: 'completed' });
      release(child);
    },
  });
  expect(late).toMatchObject({
    code: 0,
    line: { checkpoint: 'projection.read' },
    answer: { status: 'refused', session_refusal: { reason: 'nothing_open', operation: 'none', on: null, drift: [] } },
  });
  expect((await inspect(state)).session.runs[0]?.reason).toBe('completed');
});

test('while the owner lives, nobody looks and nobody acts; when it goes on, it completes', async () => {
  const state = emptyFolder();
  const others: Role[] = [];
  const produced = await runRole({
    role: 'produce',
    state,
    url: provider.url,
    checkpoint: 'tool_result#1',
    parked: async (child) => {
      for (const role of ['inspect', 'restart', 'resume', 'produce'] as const)
        others.push(await runRole({ role, state, url: provider.url }));
      release(child);
    },
  });
  for (const other of others)
    expect(other).toMatchObject({ code: 64, answer: { status: 'refused', refusal: { error: 'OwnerAlive' } } });
  for (const other of others) expect(other.answer).not.toHaveProperty('session_refusal');
  expect(others).toHaveLength(4);
  expect(produced).toMatchObject({ code: 0, answer: { status: 'completed', detail: 'run-1 ended: completed.' } });
});

test('when the harness is gone the parked role ends at once, with 86', async () => {
  const state = emptyFolder();
  const options = { role: 'produce', state, url: provider.url, checkpoint: 'tool_batch_started#1' } as const;
  const role = await runRole({ ...options, parked: (child) => void (child.stdio[4] as NodeJS.WritableStream).end() });
  expect(role).toMatchObject({ code: 86, answer: null });
  expect((await inspect(state)).types.at(-1)).toBe('tool_batch_started');
});

describe('refused input: exit code 64 before anything starts', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an unknown checkpoint', { KILLPOINT_CHECKPOINT: 'lineage#1' }, 'lineage is not one of this subject'],
    ['no provider', { KILLPOINT_PROVIDER_URL: '' }, 'KILLPOINT_PROVIDER_URL is not set'],
    ['no scenario', { KILLPOINT_SCENARIO: '' }, 'KILLPOINT_SCENARIO is not set'],
  ])('%s', async (_name, variables, told) => {
    const state = emptyFolder();
    const role = await runRole({ role: 'produce', state, url: provider.url, variables });
    expect(role).toMatchObject({ code: 64, answer: null });
    expect(role.stderr).toContain(told);
    expect(readdirSync(state)).toEqual([]);
  });

  test('what is done to calls, an input that is none, and a send or a step without a provider', async () => {
    const state = await killedAt('model_step_finished#1', provider.url);
    const before = await inspect(state);
    for (const [operation, input, told, url] of [
      ['start_call', {}, '"start_call"; a session has recover, send, approve, cancel', provider.url],
      ['recover', {}, 'recover takes none', provider.url],
      ['recover', null, 'run_tools sends a request, and no provider is named', ''],
      ['send', null, 'send needs what a person says', provider.url],
      [
        'approve',
        { tool_call_id: 'call-1', decision: 'perhaps', by: '' },
        '/decision is none of approved, denied; /by is empty',
        '',
      ],
      ['send', { run_id: 'run-2', text: 'nothing' }, 'send sends a request, and no provider is named', ''],
      ['', null, 'run_tools sends a request, and no provider is named', ''],
    ] as const)
      expect(await byRecord({ state, url }, operation, input)).toMatchObject({
        code: 64,
        answer: null,
        stderr: expect.stringContaining(told),
      });
    const dry = await byRecord({ state, url: provider.url, variables: { KILLPOINT_DRY_RUN: '1' } });
    expect(dry).toMatchObject({ code: 64, stderr: expect.stringContaining('no dry run') });
    expect((await inspect(state)).types).toEqual(before.types);
    expect(await runRole({ role: 'resume', state: emptyFolder(), url: provider.url })).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('There is no session'),
    });
  });
});

test('a tool that is a program of the subject has its effect once, and says what the provider said', async () => {
  const state = emptyFolder();
  const scenario = scenarioOf([commandTool('charge')]);
  const produced = await runRole({ role: 'produce', state, url: provider.url, scenario, variables: { PATH: '/nowhere' } });
  expect(produced.answer).toMatchObject({ status: 'completed', egress: { refused: [] } });
  expect(provider.received.map(({ path, key }) => [path, key])).toContainEqual(['/effects/charge', 's-1/run-1/batch-3/call-1']);
  const { role } = await inspect(state);
  const frames = role.answer?.log?.frames as { type: string; payload: object }[];
  const result = frames.find(({ type }) => type === 'tool_result');
  expect(result?.payload).toMatchObject({ outcome: 'completed', output: 'charge done', is_error: false });
});

/**
 * `resume` with an operation, as a real process: what it is told, how it refuses, where it parks, and what its answer says it carried out.
 *
 * Fault model: process crash by SIGKILL. Whether an operation is right is shown in `runtime/calls/recovery` and by the plans; here, that the role
 * passes on what was asked and what came of it.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answers, startProvider, type TestProvider } from '../../testing/provider.js';
import { emptyFolder, release, review, runRole, withCall, type Role } from '../../testing/roles.js';
import type { Scenario } from './scenario.js';

let provider: TestProvider;

beforeEach(async () => {
  provider = await startProvider(answers);
});

afterEach(async () => {
  await provider.close();
});

const inspect = (folder: string): Promise<Role> => runRole({ role: 'inspect', state: folder, url: '' });
const events = async (folder: string) => (await inspect(folder)).answer?.events?.map(({ type }) => type) ?? [];

async function killedAt(checkpoint: string, scenario: Scenario = review): Promise<string> {
  const state = emptyFolder();
  const { signal } = await runRole({ role: 'produce', state, url: provider.url, scenario, checkpoint });
  expect(signal).toBe('SIGKILL');
  return state;
}

interface Asked {
  input?: object;
  on?: string;
  dryRun?: boolean;
  checkpoint?: string;
  parked?: (child: ChildProcess) => void | Promise<void>;
  /** Nobody named a provider, and there are no settings of today. */
  bare?: boolean;
}

function operate(state: string, operation: string, { input, on = '', dryRun, bare, ...parking }: Asked = {}): Promise<Role> {
  const path = join(emptyFolder(), 'input.json');
  if (input !== undefined) writeFileSync(path, JSON.stringify(input));
  const variables = {
    KILLPOINT_OPERATION: operation,
    KILLPOINT_ON: on,
    KILLPOINT_INPUT: input === undefined ? '' : path,
    KILLPOINT_DRY_RUN: dryRun ? '1' : '',
    ...(bare && { KILLPOINT_SCENARIO: '', KILLPOINT_PROVIDER_URL: '' }),
  };
  return runRole({ role: 'resume', state, url: provider.url, variables, ...parking });
}

describe('carried out', () => {
  test('what the task names, and recorded with who did it; done twice it is refused', async () => {
    const state = await killedAt('attempt.interpreted#1');
    const first = await operate(state, 'redecide', { bare: true });
    expect(first).toMatchObject({ code: 0, answer: { status: 'completed', operations: ['redecide'] } });
    const { answer } = await inspect(state);
    expect(answer?.events?.at(-1)).toMatchObject({ payload: { recovery: { operation: 'redecide', pid: first.answer?.pid } } });
    expect(await operate(state, 'redecide', { bare: true })).toMatchObject({
      code: 0,
      answer: {
        status: 'refused',
        operations: [],
        refusal: { error: 'RecoveryRefused', operation: 'finalize', hazard: 'unneeded', call_id: 'call-6' },
      },
    });
    expect((await inspect(state)).answer?.events).toEqual(answer?.events);
    expect(provider.seen).toHaveLength(1);
  });

  test('recover: one after the other, parked before each, and told in order', async () => {
    const state = await killedAt('attempt.interpreted#1');
    const killed = await operate(state, 'recover', { checkpoint: 'projection.read#2' });
    expect(killed).toMatchObject({ signal: 'SIGKILL', line: { checkpoint: 'projection.read', occurrence: 2 } });
    expect((await events(state)).at(-1)).toBe('attempt.retry_decided');
    const ended = await operate(state, 'recover');
    expect(ended).toMatchObject({ code: 0, answer: { status: 'completed', operations: ['finalize'], refusal: null } });
    expect((await events(state)).at(-1)).toBe('call.completed');
    expect(await operate(state, 'recover')).toMatchObject({
      code: 0,
      answer: { status: 'completed', operations: [], refusal: null },
    });
  });

  test('what a person states is what is recorded', async () => {
    const state = await killedAt('attempt.started#1');
    const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'Fine.' } }] });
    const said = { by: 'operator', finding: 'served', note: 'from its log' };
    const input = { ...said, response: { status: 200, content_type: 'application/json', body } };
    expect((await operate(state, 'reconcile_effect', { input, bare: true })).answer).toMatchObject({
      status: 'completed',
      operations: ['reconcile_effect'],
    });
    expect((await operate(state, 'recover', { bare: true })).answer?.operations).toEqual(['reinterpret', 'redecide', 'finalize']);
    const judged = { by: 'operator', note: '', judgement: 'accepted' };
    expect((await operate(state, 'check_and_accept', { input: judged, on: 'call-6' })).answer?.status).toBe('completed');
    const { answer } = await inspect(state);
    expect(answer?.projections?.[0]?.task.stage).toBe('accepted');
    expect(provider.seen).toEqual([]);
  });

  test('an unknown effect is a failure that was carried out', async () => {
    const state = await killedAt('call.manifest#1');
    const dropping = await startProvider((socket) => void socket.destroy());
    const { answer } = await runRole({
      role: 'resume',
      state,
      url: dropping.url,
      variables: { KILLPOINT_OPERATION: 'start_call' },
    });
    expect(answer).toMatchObject({ status: 'failed', operations: ['start_call'], refusal: null });
    await dropping.close();
  });
});

describe('refused, with nothing appended and nothing sent', () => {
  let state: string;
  beforeAll(async () => {
    provider = await startProvider(answers);
    state = await killedAt('call.manifest#1');
    await provider.close();
  });
  test.each<[string, Asked, number, object | string]>([
    ['finalize', {}, 0, { error: 'RecoveryRefused', operation: 'start_call', hazard: 'unneeded', call_id: 'call-6' }],
    ['recompile', {}, 0, { error: 'RecoveryRefused', operation: 'start_call', hazard: 'unneeded' }],
    ['start_call', { bare: true }, 0, { error: 'RecoveryRefused', operation: 'start_call', hazard: null }],
    ['recover', { bare: true }, 0, { error: 'RecoveryRefused', operation: 'start_call', hazard: null }],
    ['recompile', { on: 'call-6' }, 64, 'call-6 is no compilation'],
    ['finalize', { on: 'call-99' }, 64, 'There is no call-99'],
    ['accept_duplicate', { input: { by: '' } }, 64, '/by is empty'],
  ])('%s %j', async (operation, asked, code, told) => {
    const role = await operate(state, operation, asked);
    expect(role.code).toBe(code);
    if (typeof told === 'string') expect([role.answer, role.stderr]).toEqual([null, expect.stringContaining(told)]);
    else expect(role.answer).toMatchObject({ status: 'refused', operations: [], refusal: told });
    expect(provider.seen).toEqual([]);
  });

  test('drift names what differs', async () => {
    const scenario = withCall({ model: 'synthetic-2' });
    const variables = { KILLPOINT_OPERATION: 'start_call' };
    expect((await runRole({ role: 'resume', state, url: provider.url, scenario, variables })).answer).toMatchObject({
      refusal: { error: 'RecoveryRefused', hazard: null, drift: ['request_body'] },
    });
  });

  test('after all of them the record is as it was', async () => {
    expect(await events(state)).toHaveLength(7);
  });

  test('where another process acted between reading and acting, and while it acts', async () => {
    const contested = await killedAt('attempt.interpreted#1');
    const [second, owned]: [Role[], Role[]] = [[], []];
    const whileItActs = async (child: ChildProcess): Promise<void> => {
      owned.push(await operate(contested, 'finalize'));
      release(child);
    };
    const late = await operate(contested, 'redecide', {
      checkpoint: 'projection.read#1',
      parked: async (child) => {
        second.push(await operate(contested, 'redecide', { checkpoint: 'commit#1', parked: whileItActs }));
        release(child);
      },
    });
    expect(second).toMatchObject([{ code: 0, answer: { status: 'completed' } }]);
    expect(owned).toMatchObject([{ code: 64, answer: { status: 'refused', refusal: { error: 'OwnerAlive' }, operations: [] } }]);
    expect(late).toMatchObject({
      code: 0,
      answer: { status: 'refused', operations: [], refusal: { error: 'Overtaken', operation: null, hazard: null, drift: [] } },
    });
    expect((await events(contested)).filter((type) => type === 'attempt.retry_decided')).toHaveLength(1);
  });
});

test('a dry run says what would be appended and sent, and does neither', async () => {
  const state = await killedAt('call.manifest#1');
  const { answer } = await operate(state, 'start_call', { dryRun: true, bare: true });
  expect(answer).toMatchObject({
    status: 'completed',
    operations: [],
    would: { sends: [{ method: 'POST', idempotency_key: 'key-16' }] },
  });
  expect(answer?.would?.appends.slice(0, 2)).toEqual(['call.resumed', 'call.requested']);
  expect(await events(state)).toHaveLength(7);
  expect(provider.seen).toEqual([]);
});

test('role.ready comes before the state is opened', async () => {
  const absent = join(emptyFolder(), 'absent');
  const role = await operate(absent, 'recover', { checkpoint: 'role.ready#1', parked: release });
  expect(role).toMatchObject({
    code: 64,
    line: { checkpoint: 'role.ready' },
    stderr: expect.stringContaining('There is no ledger'),
  });
});

test('a fan-out is compiled as a whole, and called over the first that compiled; done again nothing is repeated', async () => {
  const { items } = review.context;
  const fan_out = [
    { items, required_ids: ['never-offered'] },
    { items, required_ids: ['A'] },
    { items, required_ids: [] },
  ];
  const scenario: Scenario = { ...review, context: { ...review.context, fan_out } };
  const state = emptyFolder();
  for (const replayed of [false, true])
    expect((await runRole({ role: 'produce', state, url: provider.url, scenario })).answer).toMatchObject({ replayed });
  const projection = (await inspect(state)).answer?.projections?.[0];
  expect(projection?.compilations.map(({ stage, fan_out: member }) => [stage, member?.index, member?.of])).toEqual([
    ['failed', 1, 3],
    ['compiled', 2, 3],
    ['compiled', 3, 3],
  ]);
  expect(projection?.calls.map(({ compilation_id }) => compilation_id)).toEqual([projection?.compilations[1]?.compilation_id]);
  expect(provider.seen).toHaveLength(1);
});

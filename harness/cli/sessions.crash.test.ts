/**
 * A person at a session: for every stage that a run can be in the printed command carries it out and prints the next; and what is refused, in
 * which words and by which exit code. Real state folders, the real roles.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionState } from '../contract/types.js';
import { inventoryOf } from '../io/inventory.js';
import { commandsForSession } from '../report/session-commands.js';
import { Person, run } from '../testing/person.js';
import { charge, endlessMail, livingTools, sessionScenario } from '../testing/sessions.js';
import { sessionOf, stateFolderAt } from './state-folder.js';

const person = new Person();
let providerUrl = '';
let heard: string[] = [];
beforeAll(async () => {
  void person.installation;
  ({ url: providerUrl, heard } = await person.listening(model));
});
afterAll(() => person.remove());

/** A model that asks for one charge, unless it is told of nothing, and then says that it is done; and the charge. */
const model: RequestListener = (request, response) => {
  void text(request).then((body) => {
    if (request.url !== '/v1/chat/completions') return response.end('charged');
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
    const last = messages.at(-1);
    const call = { id: 'call-1', type: 'function', function: { name: 'charge', arguments: '{}' } };
    const asks = last?.role === 'user' && !last.content.endsWith('nothing');
    const message = asks ? { content: null, tool_calls: [call] } : { content: 'Done.' };
    return response.end(JSON.stringify({ choices: [{ finish_reason: asks ? 'tool_calls' : 'stop', message }] }));
  });
};

const sessionAt = async (state: string): Promise<SessionState> =>
  (await sessionOf(stateFolderAt(state, [], person.installation))).session;

async function killedAt(place: string, scenario: object = sessionScenario([charge])): Promise<string> {
  const { state, kill } = await person.parked('sessions', scenario, place, providerUrl);
  await kill();
  return state;
}

const during = (...list: object[]): object => ({ ...sessionScenario([charge]), during: list });
const queued = { after: 'run_started#1', do: 'queue', submission_id: 'q-1', text: 'nothing', delivery: 'plain' };
const asking = sessionScenario([{ ...charge, approval: 'required' }]);
const brought: Record<string, string> = { RUN_ID: 'run-2', TEXT: 'nothing' };

describe('for every stage there is a way on', () => {
  type Stage = SessionState['runs'][number]['stage'];
  /** How a log comes to be at the stage, what is asked for, and where each command leads: its exit code, how the last run ends, what is next. */
  const stages: [Stage, string, object | undefined, SessionState['next_operation'], [number, string | null, string][]][] = [
    ['step_due', 'run_started#1', undefined, 'run_step', [[0, 'completed', 'none']]],
    ['tools_due', 'model_step_finished#1', undefined, 'run_tools', [[0, 'completed', 'none']]],
    ['natural_end', 'model_step_finished#2', undefined, 'finalize', [[0, 'completed', 'none']]],
    ['interrupted', 'tool_dispatch_intent#1', undefined, 'close_out', [[2, 'interrupted', 'none']]],
    [
      'model_unknown',
      'model_attempt_started#1',
      sessionScenario([charge], { model_leg: 'intent' }),
      'close_out',
      [[2, 'interrupted', 'none']],
    ],
    ['stopped', 'model_step_finished#1', sessionScenario([charge], { max_steps: 1 }), 'close_out', [[0, 'max_steps', 'none']]],
    [
      'cancelling',
      'run_cancel_requested#1',
      during({ after: 'model_step_finished#1', do: 'cancel', at: 'now' }),
      'close_out',
      [[0, 'cancelled', 'none']],
    ],
    [
      'paused',
      'run_paused#1',
      asking,
      'approve',
      [
        [0, null, 'run_tools'],
        [0, null, 'run_tools'],
      ],
    ],
    ['finished', 'run_finished#1', during(queued), 'drain_queue', [[0, 'completed', 'none']]],
  ];

  it.each(stages)('%s', async (stage, place, scenario, operation, leads) => {
    const killed = await killedAt(place, scenario);
    const before = await sessionAt(killed);
    expect(before.runs[0]?.stage).toBe(stage);
    expect(before.next_operation).toBe(operation);
    const commands = commandsForSession(before);
    expect(commands).toHaveLength(leads.length);
    for (const [index, { name, args }] of commands.entries()) {
      const state = `${killed}-${index}`;
      cpSync(killed, state, { recursive: true });
      const words = args.map((word) => (word === '$PROVIDER_URL' ? providerUrl : (brought[word.slice(1)] ?? word)));
      const requests = heard.length;
      const said = await person.killpoint(name, state, ...words, '--json');
      const after = await sessionAt(state);
      const document = JSON.parse(said.stdout) as { status: string; effect_unknown: boolean; next: { operation: string } };
      const [code, reason, next] = leads[index]!;
      expect([said.code, after.runs.at(-1)?.reason, after.next_operation]).toEqual([code, reason, next]);
      expect(document).toMatchObject({ status: 'completed', effect_unknown: code === 2, next: { operation: next } });
      // Nothing is sent that was not announced by the need of a provider.
      if (!args.includes('--provider')) expect(heard).toHaveLength(requests);
    }
  });

  it('interrupted, and something waits: the owner goes on with a message, or lets what waits run', async () => {
    const closed = await killedAt('tool_dispatch_intent#1', during(queued));
    expect((await person.killpoint('resume', closed)).code).toBe(2);
    const commands = commandsForSession(await sessionAt(closed));
    expect(commands.map(({ name }) => name)).toEqual(['send', 'recover']);
    const other = `${closed}-other`;
    cpSync(closed, other, { recursive: true });
    const drained = await person.killpoint('recover', other, '--provider', providerUrl);
    expect(drained.stdout).toMatch(/^q-1 ended: completed\.\nsession s-1: next none\nNothing is left to carry out\.\n$/);
    const sent = await person.killpoint('send', closed, '--run-id', 'run-2', '--text', 'nothing', '--provider', providerUrl);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(/^run-2 ended: completed\.\nsession s-1: next none\nNothing is left to carry out\.\n$/);
    expect((await sessionAt(closed)).runs.map(({ run_id }) => run_id)).toEqual(['run-1', 'run-2', 'q-1']);
  });

  it('the printed lines, in a shell, lead from the question to the end', async () => {
    const state = await killedAt('run_paused#1', asking);
    const lines = (said: string): string[] => said.split('\n').filter((line) => line.startsWith('  node '));
    const looked = await run(process.execPath, [person.main, 'state', state]);
    expect(looked.stdout).toMatch(/call-1 \(charge\): awaiting_approval, key s-1\/run-1\/batch-3\/call-1/);
    const [allow = '', deny = ''] = lines(looked.stdout);
    expect([allow, deny]).toEqual([
      expect.stringMatching(/ approve \S+ call-1$/),
      expect.stringMatching(/ approve \S+ call-1 --deny$/),
    ]);
    const answered = await run('sh', ['-c', `${allow} --by 'somebody else'`]);
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    const [resume = ''] = lines(answered.stdout);
    expect(resume).toMatch(/ resume \S+ --provider "\$PROVIDER_URL"$/);
    const done = await run('sh', ['-c', resume], { PROVIDER_URL: providerUrl });
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/Nothing is left to carry out\.\n$/);
    expect((await run('sh', ['-c', allow])).code).toBe(64);
    const told = await run(process.execPath, [person.main, 'state', state, '--json', '--frames']);
    const { log, session } = JSON.parse(told.stdout) as {
      log: { frames: { payload: { by?: string } }[] };
      session: SessionState;
    };
    expect(log.frames.flatMap(({ payload }) => payload.by ?? [])).toEqual(['somebody else']);
    expect(session.runs[0]?.reason).toBe('completed');
  });

  it('interrupted while the tool is at work: exit 2, and what is known', async () => {
    const state = await killedAt('model_step_finished#1');
    const holding = await person.listening(() => undefined);
    const args = [person.main, 'resume', state, '--provider', holding.url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const words = text(child.stderr);
    await once(holding.server, 'request');
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(2);
    expect(await words).toMatch(/was interrupted.* The effect is unknown[^]*session s-1: next close_out on run-1/);
  });
});

it('interrupted while a program is at work: nobody of it is left', async () => {
  const state = await killedAt('model_step_finished#1', sessionScenario([{ ...endlessMail, name: 'charge' }]));
  const holding = await person.listening(() => undefined);
  const args = [person.main, 'resume', state, '--provider', holding.url];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  await once(holding.server, 'request');
  expect(livingTools('s-1').length).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([2, null]);
  expect(livingTools('s-1')).toEqual([]);
});

describe('what is refused', () => {
  let session = '';
  let calls = '';
  beforeAll(async () => {
    session = await killedAt('model_step_finished#1');
    calls = person.stateOf('effect-unknown');
  });

  it.each<[string, RegExp, () => string[]]>([
    ['a command for calls', /holds a session, and "retry" is a command for calls/, () => ['retry', session]],
    ['another one', /holds a session, and "accept" is a command for calls/, () => ['accept', session]],
    [
      'a message to calls',
      /holds calls, and "send" is a command for a session/,
      () => ['send', calls, '--run-id', 'r', '--text', 't'],
    ],
    ['an answer to calls', /holds calls, and "approve" is a command/, () => ['approve', calls, 'call-6']],
    ['a cancel of calls', /holds calls, and "cancel" is a command/, () => ['cancel', calls]],
    ['a dry run', /"resume" has no --dry-run on a session/, () => ['resume', session, '--dry-run']],
    ['an id', /one run that can be taken up: leave call-1 out/, () => ['resume', session, 'call-1']],
    ['a question about a key', /--lookup and --fence ask about a call/, () => ['recover', session, '--lookup']],
    ['a step without a provider', /run_tools sends a request, and no provider is named/, () => ['resume', session]],
    ['a provider from a variable that is not set', /no http or https URL/, () => ['resume', session, '--provider', '']],
    ['a text from one', /--text is empty/, () => ['send', session, '--run-id', 'r', '--text', '']],
    ['a name from one', /--by is empty/, () => ['approve', session, 'call-1', '--by', '']],
    ['a message without an id', /required option '--run-id/, () => ['send', session, '--text', 't']],
    [
      'an id that is none',
      /\/run_id is not an id/,
      () => ['send', session, '--run-id', 'a b', '--text', 't', '--provider', providerUrl],
    ],
  ])('%s, in one sentence', async (_name, sentence, words) => {
    const before = [session, calls].map((state) => inventoryOf(state, ['lease.sqlite', 'ledger.sqlite-shm']));
    await expect(person.killpoint(...words())).rejects.toThrow(sentence);
    expect([session, calls].map((state) => inventoryOf(state, ['lease.sqlite', 'ledger.sqlite-shm']))).toEqual(before);
  });

  it('with the way on: what the folder asks for', async () => {
    await expect(person.killpoint('retry', session)).rejects.toMatchObject({
      exitCode: 64,
      items: [expect.stringMatching(new RegExp(` state ${session}$`))],
    });
    await expect(person.killpoint('resume', session)).rejects.toMatchObject({
      exitCode: 64,
      items: expect.arrayContaining([expect.stringMatching(/ resume .* --provider "\$PROVIDER_URL"$/)]) as string[],
    });
  });

  it('another configuration, with the hint; a person first; and where another process owns it', async () => {
    const other = join(person.folder, 'other.json');
    writeFileSync(other, JSON.stringify(sessionScenario([charge], { model: 'synthetic-2' })));
    const drifted = await person.killpoint('resume', session, '--provider', providerUrl, '--scenario', other, '--json');
    expect(drifted.code).toBe(64);
    expect(JSON.parse(drifted.stdout)).toMatchObject({
      error: { code: 'operation-refused' },
      session_refusal: { reason: 'config_conflict', drift: ['model'] },
      hint: 'Without --scenario the recorded configuration is used.',
    });
    const { state, kill } = await person.parked('sessions', asking, 'run_paused#1', providerUrl);
    const owned = await person.killpoint('cancel', state, '--json').finally(() => void kill());
    expect([owned.code, (JSON.parse(owned.stdout) as { next: null }).next]).toEqual([64, null]);
    expect(owned.stdout).toMatch(/Another process owns/);
    const paused = await killedAt('run_paused#1', asking);
    const asked = await person.killpoint('resume', paused, '--provider', providerUrl);
    expect(asked).toMatchObject({ code: 64, stdout: '' });
    expect(asked.stderr).toMatch(/A person must answer about s-1\/run-1\/batch-3\/call-1 first[^]*approve/);
  });

  it.each<[string, RegExp, (state: string) => void]>([
    [
      'damaged',
      /session\.wal is damaged at byte 171: /,
      (state) => {
        const bytes = readFileSync(join(state, 'session.wal'));
        bytes[300] = (bytes[300] ?? 0) ^ 1;
        writeFileSync(join(state, 'session.wal'), bytes);
      },
    ],
    [
      'newer',
      /A newer version wrote \S+ this one does not read scope\/v1/,
      (state) => writeFileSync(join(state, 'wal-feature-floor'), '{"features":["scope/v1"],"version":"feature-floor/v1"}\n'),
    ],
  ])('a log that is %s: that, where, and nothing is changed', async (_name, told, harm) => {
    const state = await person.produced('sessions', sessionScenario([charge]), providerUrl);
    harm(state);
    const before = inventoryOf(state, ['lease.sqlite']);
    const looked = await run(process.execPath, [person.main, 'state', state]);
    expect(looked).toMatchObject({ code: 64, stdout: '' });
    expect(looked.stderr).toMatch(told);
    const acted = await person.killpoint('send', state, '--run-id', 'run-2', '--text', 'nothing', '--provider', providerUrl);
    expect(acted).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(told) as string });
    expect(inventoryOf(state, ['lease.sqlite'])).toEqual(before);
  });
});

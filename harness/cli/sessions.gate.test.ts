/**
 * A person at a session: for every stage that a run can be in the printed command carries it out and prints the next. Real state folders, the
 * real roles.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionState } from '../contract/types.js';
import { commandsForSession } from '../report/session-commands.js';
import { Person, run } from '../testing/person.js';
import { charge, chargingModel, endlessMail, livingTools, sessionScenario } from '../testing/sessions.js';
import { sessionOf, stateFolderAt } from './state-folder.js';

const person = new Person();
let providerUrl = '';
let heard: string[] = [];
beforeAll(async () => {
  void person.installation;
  ({ url: providerUrl, heard } = await person.listening(chargingModel));
});
afterAll(() => person.remove());

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
    const commands = commandsForSession(before, {});
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
    const commands = commandsForSession(await sessionAt(closed), {});
    expect(commands.map(({ name }) => name)).toEqual(['send', 'recover']);
    const other = `${closed}-other`;
    cpSync(closed, other, { recursive: true });
    const drained = await person.killpoint('recover', other, '--provider', providerUrl);
    expect(drained.stdout).toMatch(
      /^q-1 ended: completed\.\n {2}Done\.\nsession s-1: next none\nNothing is left to carry out\.\n$/,
    );
    const sent = await person.killpoint('send', closed, '--run-id', 'run-2', '--text', 'nothing', '--provider', providerUrl);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(
      /^run-2 ended: completed\.\n {2}Done\.\nsession s-1: next none\nNothing is left to carry out\.\n$/,
    );
    expect((await sessionAt(closed)).runs.map(({ run_id }) => run_id)).toEqual(['run-1', 'run-2', 'q-1']);
  });

  it('the printed lines, in a shell, lead from the question to the end', async () => {
    const state = await killedAt('run_paused#1', asking);
    const lines = (said: string): string[] => said.split('\n').filter((line) => line.startsWith('  node '));
    const looked = await run(process.execPath, [person.main, 'state', state]);
    expect(looked.stdout).toMatch(/call-1 \(charge\): awaiting_approval, key s-1\/run-1\/batch-3\/call-1\n {6}arguments \{ \}\n/);
    expect(looked.stdout).toContain('  # let call-1 be dispatched: charge, arguments { }\n');
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
    const { log, session, ...more } = JSON.parse(told.stdout) as {
      arguments: Record<string, string>;
      log: { frames: { payload: { by?: string } }[] };
      session: SessionState;
    };
    expect(log.frames.flatMap(({ payload }) => payload.by ?? [])).toEqual(['somebody else']);
    expect(session.runs[0]?.reason).toBe('completed');
    expect(more.arguments).toEqual({ 's-1/run-1/batch-3/call-1': '{ }' });
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

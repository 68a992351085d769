import { describe, expect, it } from 'vitest';
import type { SessionState } from '../contract/types.js';
import { commandsForSession, sessionVariables } from './session-commands.js';
import { sessionText } from './session-state.js';
import { sessionNextLines, wayOnOfSession } from './way-on.js';

type Run = SessionState['runs'][number];

const run = (more: Partial<Run> = {}): Run => ({
  run_id: 'run-1',
  episode: 1,
  stage: 'finished',
  next_operation: 'none',
  reason: 'completed',
  cancel: null,
  model_leg: 'rerun',
  steps: 2,
  calls: [],
  detail: 'The run has its end.',
  ...more,
});
const call = (id: string, state: Run['calls'][number]['state']) => ({
  key: `s-1/run-1/batch-3/${id}`,
  tool_call_id: id,
  name: 'charge',
  state,
});
const session = (more: Partial<SessionState> = {}): SessionState => ({
  version: 'session-state/v1',
  session_id: 's-1',
  identity: '0'.repeat(32),
  next_operation: 'none',
  on: null,
  queue: [],
  runs: [run()],
  ...more,
});
const waits = [{ submission_id: 'q-1', delivery: 'interrupt' as const }];

describe('the commands for what a session asks for', () => {
  it.each<[SessionState['next_operation'], string[], boolean]>([
    ['close_out', ['resume'], false],
    ['finalize', ['resume'], false],
    ['run_tools', ['resume'], true],
    ['run_step', ['resume'], true],
    ['drain_queue', ['resume'], true],
    ['approve', ['approve', 'approve', 'approve', 'approve'], false],
    ['none', [], false],
  ])('%s', (next_operation, names, sends) => {
    const calls = [call('a', 'awaiting_approval'), call('b', 'approved'), call('c', 'awaiting_approval')];
    const commands = commandsForSession(session({ next_operation, runs: [run({ calls })] }), {});
    expect(commands.map(({ name }) => name)).toEqual(names);
    for (const { args, when } of commands) {
      expect(args.includes('--provider')).toBe(sends);
      expect(when === '').toBe(names.length === 1);
      for (const word of args.filter((arg) => arg.startsWith('$')))
        expect(Object.keys(sessionVariables)).toContain(word.slice(1));
    }
  });

  it.each<[Run['reason'], string, Run['calls'], SessionState['queue'], string[]]>([
    ['completed', 'everything known', [call('a', 'completed')], [], []],
    ['completed', 'a call in doubt that it went on with', [call('a', 'indeterminate')], [], []],
    ['cancelled', 'everything known', [call('a', 'completed')], [], []],
    ['cancelled', 'a call in doubt', [call('a', 'unknown')], [], ['send']],
    ['max_steps', 'a call in doubt', [call('a', 'indeterminate')], [], ['send']],
    ['interrupted', 'everything known', [], [], ['send']],
    ['error', 'what waits', [], waits, ['send', 'recover']],
  ])('none, after an end as %s with %s', (reason, _with, calls, queue, names) => {
    expect(commandsForSession(session({ runs: [run({ reason, calls })], queue }), {}).map(({ name }) => name)).toEqual(names);
  });

  it('are lines to paste, with what their variables mean', () => {
    const place = { own: 'killpoint', state: '/tmp/a b', subjects: [], copy: null };
    const calls = [call('a', 'awaiting_approval')];
    const given = { 's-1/run-1/batch-3/a': '{"amount":\n5}' };
    const asking = session({ next_operation: 'approve', on: 's-1/run-1/batch-3/a', runs: [run({ calls })] });
    expect(sessionNextLines(wayOnOfSession(asking, given, place), place)).toEqual([
      'session s-1: next approve on s-1/run-1/batch-3/a',
      'To carry it out:',
      String.raw`  # let a be dispatched: charge, arguments {"amount":\n5}`,
      "  killpoint approve '/tmp/a b' a",
      '  # never dispatch a',
      "  killpoint approve '/tmp/a b' a --deny",
    ]);
    const long = { 's-1/run-1/batch-3/a': 'x'.repeat(301) };
    expect(wayOnOfSession(asking, long, place).commands[0]?.when).toMatch(
      /x… \(1 more characters\); state --json tells them whole$/,
    );
    expect(wayOnOfSession(asking, null, place).commands[0]?.when).toMatch(/arguments not told: the log is too large/);
    const inDoubt = session({ runs: [run({ reason: 'cancelled', calls: [call('a', 'unknown')] })] });
    expect(sessionNextLines(wayOnOfSession(inDoubt, {}, place), place).slice(0, 3)).toEqual([
      'session s-1: next none',
      'Nothing is left to carry out. To go on, if you want to:',
      '  # go on with a message',
    ]);
    const due = session({ next_operation: 'run_step', on: 'run-1' });
    const evidence = { ...place, copy: './killpoint-state' };
    expect(sessionNextLines(wayOnOfSession(due, given, evidence), evidence)).toEqual([
      'session s-1: next run_step on run-1',
      'This is evidence. To act, copy it first:',
      "  mkdir ./killpoint-state && cp -R '/tmp/a b'/. ./killpoint-state",
      'To carry it out:',
      '  killpoint resume ./killpoint-state --provider "$PROVIDER_URL"',
      "PROVIDER_URL: your provider's URL",
    ]);
  });
});

describe('a session for people', () => {
  it('has its runs, each call with its key, what waits, and what was torn', () => {
    const runs = [
      run({ reason: 'interrupted', steps: 1, calls: [call('a', 'unknown'), call('b', 'completed')] }),
      run({
        run_id: 'run-2',
        stage: 'cancelling',
        reason: null,
        next_operation: 'close_out',
        cancel: 'now',
        model_leg: 'intent',
      }),
    ];
    const state = session({ next_operation: 'close_out', on: 'run-2', runs, queue: waits });
    const asked = [{ id: 'a', name: 'charge', arguments: '{"to":"\u001B[2K"}' }];
    const payload = { run_id: 'run-1', step_id: 'step-3', assistant: { text: null, tool_calls: asked } };
    expect(sessionText(state, { frames: [{}, { type: 'model_step_finished', payload }], torn_bytes: 7 }).split('\n')).toEqual([
      'session s-1: next close_out on run-2 (2 frames)',
      '  The last 7 bytes are no whole frame: a last write that was not finished, or damage to it, which cannot be told apart.',
      '  The next owner drops them; copy the folder first if anybody was told of what they held.',
      '  run run-1: finished (interrupted), next none, 1 model step, rerun. The run has its end.',
      '    a (charge): unknown (IT MAY HAVE HAPPENED), key s-1/run-1/batch-3/a',
      String.raw`      arguments {"to":"\u{1b}[2K"}`,
      '    b (charge): completed, key s-1/run-1/batch-3/b',
      '      arguments not found in the log',
      '  run run-2: cancelling, next close_out, 2 model steps, intent, cancel at now. The run has its end.',
      '  queue: q-1 (interrupt)',
      '',
    ]);
  });

  it('says so where nothing is recorded, and does without frames that are too many to be told', () => {
    expect(sessionText(session({ runs: [] }), null)).toBe('session s-1: next none\n  No run is recorded.\n');
  });
});

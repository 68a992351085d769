import { describe, expect, it } from 'vitest';
import { began, ofRun, queues, recordsOf, retracts, tools, type Written } from '../../testing/session-records.js';
import { scenarioDepartures, type Told } from './scenario.js';

const a = ofRun('run-a');
const session = {
  ...{
    session_id: 's-1',
    model: 'synthetic-1',
    system: 'You help.',
    tools: Object.values(tools),
    batch: 'sequential',
    max_steps: 4,
  },
  ...{ model_leg: 'rerun', model_attempts: 1, model_timeout_ms: 1000, times: false, freeze: false, ceiling_bytes: null },
};
const send = { do: 'send', run_id: 'run-a', text: 'Hello.' };
type Asking = Omit<Told, 'completed'>;
const produces: Asking = { role: 'produce', operation: null, input: null };
const resumes = (operation: string | null = null, input: unknown = null): Asking => ({ role: 'resume', operation, input });

interface Asked {
  readonly scenario?: object;
  readonly inherited?: number;
  readonly told?: Asking | readonly Asking[];
  readonly completed?: boolean;
}

function departures(all: Written[], { scenario = {}, inherited = 0, told = produces, completed = false }: Asked = {}) {
  const whole = { session, script: [send], during: [], ...scenario };
  const tellers = [told].flat().map((one) => ({ ...one, completed }));
  return scenarioDepartures(whole, { records: recordsOf(...all), inherited, told: tellers }).map(({ seq }) => seq);
}

describe('a configuration', () => {
  it.each<[string, Parameters<typeof began>[0], object]>([
    ['of another model', { config: { model: 'x' } }, {}],
    ['of other tools', { config: { tools: [] } }, {}],
    ['of another limit', { config: { max_steps: 5 } }, {}],
    ['of another leg', { config: { model_leg: 'intent' } }, {}],
    ['of another path', { config: { provider: { path: '/x' } } }, {}],
    ['of another version', { config: { render: { name: 'chat-messages', version: 1, bundle: null } } }, {}],
    ['that is not frozen', {}, { freeze: true }],
    ['that is frozen', { config: { render: { name: 'chat-messages', version: 2, bundle: '{}' } } }, {}],
    ['of another version than said', {}, { render_version: 1 }],
  ])('%s departs', (_what, begun, more) => {
    expect(departures([began(begun)], { scenario: { session: { ...session, ...more } } })).toEqual([2]);
  });

  it('that is frozen as it renders does not', () => {
    const bundle = '{"model":"synthetic-1","parallel_tool_calls":false,"system":"You help.","tools":[]}';
    const begun = began({ config: { tools: [], render: { name: 'chat-messages', version: 2, bundle } } });
    expect(departures([begun], { scenario: { session: { ...session, tools: [], freeze: true } } })).toEqual([]);
  });

  it('of which the scenario says nothing does not', () => {
    const begun = began({ config: { max_steps: 9, model: 'x' } });
    const { max_steps: _steps, model: _model, ...less } = session;
    expect(departures([begun], { scenario: { session: less } })).toEqual([]);
  });

  it('of whoever resumes is that of the scenario or of the record', () => {
    const [first, other] = [{ config: { max_steps: 9 } }, { config: { max_steps: 5 } }];
    const told = resumes('send', { run_id: 'run-b', text: 'Next.' });
    const next = (more: object) =>
      departures([began(first), a.ends(), began({ run: 'run-b', text: 'Next.', ...more })], { inherited: 3, told });
    expect([next({}), next(first), next(other)]).toEqual([[], [], [4]]);
  });

  it('of a session with another id departs', () => {
    expect(departures([], { scenario: { session: { ...session, session_id: 's-2' } } })).toEqual([1]);
  });
});

describe('what a producer records', () => {
  const script = [
    { do: 'queue', submission_id: 'q', text: 'Later.', delivery: 'plain' },
    { do: 'retract', submission_id: 'q' },
    { do: 'queue', submission_id: 'r', text: 'Now.', delivery: 'interrupt' },
    send,
    { do: 'approve', tool_call_id: 'c', decision: 'denied', by: 'operator' },
    { do: 'cancel', at: 'now' },
    { do: 'resume' },
  ];
  const during = [
    { do: 'steer', after: 'step_started#1', text: 'More.', send_id: 'm-1' },
    { do: 'cancel', after: 'step_started#2', at: 'step_boundary' },
  ];
  const scenario = { script, during };
  const before = [queues('q'), retracts('q'), queues('r', 'Now.', 'interrupt'), began()];
  const whole = [
    ...before,
    a.step(6),
    a.steers('More.', 'm-1'),
    a.asks(6, ['c', 'refund']),
    a.wants(6, 'c'),
    a.decides(6, 'c', 'denied'),
  ];

  it('is all of its script, in order', () => {
    expect(departures([...whole, a.cancels('now')], { scenario, completed: true })).toEqual([]);
  });

  it('may end anywhere where it was killed', () => {
    for (let length = 0; length <= whole.length; length += 1)
      expect(departures(whole.slice(0, length), { scenario })).toEqual([]);
  });

  it.each<[string, Written[], number[]]>([
    ['another text', [queues('q', 'Other.')], [2]],
    ['another delivery', [queues('q', 'Later.', 'interrupt')], [2]],
    ['a plain delivery in the place of an interrupt', [queues('r', 'Now.')], [2]],
    ['a run with another text', [began({ text: 'Other.' })], [2]],
    ['a run with another id', [began({ run: 'run-x' })], [2]],
    ['the script in another order', [retracts('q'), queues('q')], [3]],
    ['an action twice', [...before, a.cancels('now'), a.cancels('now')], [7]],
    ['another decision', [...whole.slice(0, -1), a.decides(6, 'c', 'approved')], [10]],
    ['a steer before its place', [...before, a.steers('More.', 'm-1')], [6]],
    ['a steer with another id', [...whole.slice(0, 5), a.steers('More.', 'm-2')], [7]],
    ['a steer without an id', [...whole.slice(0, 5), a.steers('More.')], [7]],
    ['a cancel before its place', [...whole.slice(0, 5), a.cancels('step_boundary')], [7]],
  ])('departs with %s', (_what, all, wanted) => expect(departures(all, { scenario })).toEqual(wanted));

  it('departs where what was asked for is missing at a completed end', () => {
    expect(departures(whole, { scenario, completed: true })).toEqual([null]);
    expect(departures(whole.slice(0, 5), { scenario, completed: true })).toEqual([null, null, null]);
    expect(departures(before.slice(0, 3), { scenario, completed: true })).toEqual([null, null, null]);
  });

  it('does what is due while a run goes on once its place has come', () => {
    const again = [...whole, a.step(11)];
    expect(departures(again, { scenario, completed: true })).toEqual([null, null]);
    expect(departures([...again, a.cancels()], { scenario, completed: true })).toEqual([null]);
  });

  it('is done meanwhile right after the record that it follows', () => {
    const asked = { script: [send], during: [{ do: 'steer', after: 'run_started#1', text: 'More.', send_id: 'm-1' }] };
    expect(departures([began(), a.steers('More.', 'm-1'), a.step(4)], { scenario: asked })).toEqual([]);
    expect(departures([began(), a.step(3), a.steers('More.', 'm-1')], { scenario: asked })).toEqual([4]);
  });

  it('cancels with an interrupting message what goes on', () => {
    const asked = { script: [send, script[2]], during: [] };
    expect(departures([began(), queues('r', 'Now.', 'interrupt'), a.cancels()], { scenario: asked })).toEqual([]);
    expect(departures([began(), queues('r', 'Now.', 'interrupt'), a.cancels('now')], { scenario: asked })).toEqual([4]);
    expect(departures([began(), queues('r', 'Now.', 'interrupt'), a.step(4), a.cancels()], { scenario: asked })).toEqual([5]);
  });

  it('drains a message as it was queued', () => {
    const asked = { script: [{ do: 'queue', submission_id: 'q', text: 'Later.', delivery: 'plain' }] };
    const drained = (more: object) =>
      departures([queues('q'), began({ run: 'q', text: 'Later.', submission: 'q', ...more })], { scenario: asked });
    expect([drained({}), drained({ text: 'Other.' }), drained({ run: 'x' }), drained({ submission: 'x' })]).toEqual([
      [],
      [3],
      [3],
      [3],
    ]);
  });
});

describe('what others record', () => {
  const before = [began(), a.step(3), a.asks(3, ['c', 'refund']), a.wants(3, 'c')];
  const approve = { tool_call_id: 'c', decision: 'approved', by: 'operator' };

  it.each<[string, Asking, Written[], number[]]>([
    ['a resume that is told nothing has no input', resumes(), [a.cancels()], [6]],
    ['an approval as it was given', resumes('approve', approve), [a.decides(3, 'c', 'approved')], []],
    ['an approval by another person', resumes('approve', { ...approve, by: 'somebody' }), [a.decides(3, 'c', 'approved')], [6]],
    ['a cancel as it was given', resumes('cancel', { at: 'now' }), [a.cancels('now')], []],
    ['another cancel', resumes('cancel', { at: 'now' }), [a.cancels()], [6]],
    [
      'a send as it was given',
      resumes('send', { run_id: 'run-b', text: 'Next.' }),
      [a.ends('interrupted'), began({ run: 'run-b', text: 'Next.' })],
      [],
    ],
    ['what only the producer was to do', resumes(), [began({ run: 'run-a' })], [6]],
    ['a restart that does its script', { role: 'restart', operation: null, input: null }, [began()], []],
  ])('%s', (_what, told, added, wanted) => expect(departures([...before, ...added], { inherited: 5, told })).toEqual(wanted));

  it('what was inherited is not judged', () => {
    expect(departures([began({ text: 'Other.' })], { inherited: 2, told: resumes() })).toEqual([]);
  });

  it('an operation that is not on record at a completed end', () => {
    const told = resumes('approve', approve);
    expect(departures(before, { inherited: 5, told, completed: true })).toEqual([null]);
    expect(departures([...before, a.decides(3, 'c', 'approved')], { inherited: 5, told, completed: true })).toEqual([]);
  });

  it('a restart that completes, whatever it left out of its script', () => {
    const restarts: Asking = { role: 'restart', operation: null, input: null };
    expect(departures([], { told: restarts, completed: true })).toEqual([]);
    expect(departures([], { told: [restarts, produces], completed: true })).toEqual([]);
  });

  it('nothing that only a producer does while its run goes on', () => {
    const during = [{ do: 'steer', after: 'step_started#1', text: 'More.', send_id: 'm-1' }];
    const goesOn = [began(), a.step(3)];
    expect(departures(goesOn, { scenario: { during }, inherited: 2, told: resumes(), completed: true })).toEqual([]);
    expect(departures([...goesOn, a.steers('More.', 'm-1')], { scenario: { during }, inherited: 2, told: resumes() })).toEqual([
      4,
    ]);
  });

  it('a cancel that stands already, for as much or for more', () => {
    const told = resumes('cancel', { at: 'step_boundary' });
    for (const at of ['now', 'step_boundary'] as const)
      expect(departures([...before, a.cancels(at)], { inherited: 6, told, completed: true })).toEqual([]);
    const more = resumes('cancel', { at: 'now' });
    expect(departures([...before, a.cancels()], { inherited: 6, told: more, completed: true })).toEqual([null]);
  });

  it('a message that waits already, but no other one under its id', () => {
    const told = resumes('send', { run_id: 'q', text: 'Later.' });
    const waits = [queues('q'), began(), a.ends('interrupted')];
    expect(departures(waits, { inherited: 4, told, completed: true })).toEqual([]);
    expect(departures([queues('q', 'Other.'), ...waits.slice(1)], { inherited: 4, told, completed: true })).toEqual([null]);
  });

  it('of several that were told the same, one at a time', () => {
    const told = [resumes('approve', approve), resumes('approve', approve)];
    const all = [...before, a.decides(3, 'c', 'approved')];
    expect(departures(all, { inherited: 5, told, completed: true })).toEqual([]);
  });

  it('of several that were told different things, in whatever order they acted', () => {
    const told = [resumes('cancel', { at: 'now' }), resumes('approve', approve)];
    const answered = a.decides(3, 'c', 'approved');
    expect(departures([...before, answered, a.cancels('now')], { inherited: 5, told, completed: true })).toEqual([]);
    expect(departures([...before, a.cancels('now'), answered], { inherited: 5, told, completed: true })).toEqual([]);
    expect(departures([...before, answered], { inherited: 5, told, completed: true })).toEqual([null]);
  });

  it('is due of those who say that they are done', () => {
    const failed = { ...resumes('cancel', { at: 'now' }), completed: false };
    const done = { ...resumes('approve', approve), completed: true };
    const found = (...told: Told[]) =>
      scenarioDepartures({ session }, { records: recordsOf(...before), inherited: 5, told }).map(({ detail }) => detail);
    expect(found(failed, done)).toEqual(['What the scenario asks for is not on record: approve.']);
    expect(found(failed)).toEqual([]);
  });
});

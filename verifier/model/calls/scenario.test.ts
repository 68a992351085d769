/** What a producer that completed must have on record, and what none records twice; that each event is the one asked for is shown by its mutants. */
import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { leftUndone, scenarioDepartures, type Told } from './scenario.js';

const event = (type: string, payload: object = {}): Event =>
  ({ seq: 1, type, task_id: 'task', call_id: null, attempt_id: null, compilation_id: null, payload }) as unknown as Event;
const task = ['task.created', 'objective.recorded', 'claim.recorded', 'context.compilation_requested'].map((type) => event(type));
const scenario = {
  task: { title: 'Review', objective: 'A review.', claim: { claim_id: 'claim-1' } },
  context: { items: [] },
  call: { idempotency_key: 'key' },
  accept: 'accepted',
  dial: null,
};
const succeeded = [event('call.requested'), event('call.completed', { outcome: 'succeeded' })];

describe('a producer that completed', () => {
  it('left nothing undone that its scenario asks for', () => {
    expect(leftUndone(scenario, [...task, ...succeeded, event('task.accepted')])).toEqual([]);
    expect(leftUndone(scenario, [...task, ...succeeded])).toEqual(['task.accepted or task.rejected']);
    expect(leftUndone(scenario, [...task, event('call.requested')])).toEqual(['call.completed']);
    expect(leftUndone(scenario, task)).toEqual(['call.requested', 'call.completed']);
    expect(leftUndone(scenario, task.slice(0, 1))).toHaveLength(5);
  });

  it('judges no call that failed, and calls nobody where it reaches elsewhere', () => {
    expect(leftUndone(scenario, [...task, event('call.requested'), event('call.completed', { outcome: 'failed' })])).toEqual([]);
    expect(leftUndone({ ...scenario, dial: 'example.org' }, task)).toEqual([]);
    expect(leftUndone({ ...scenario, call: null }, task)).toEqual([]);
    expect(leftUndone({}, [])).toEqual([]);
  });
});

describe('a response that a recovery reads again', () => {
  const read = (version: number, recovery: object = { recovery: { operation: 'reinterpret' } }): Event => ({
    ...event('attempt.interpreted', { interpreter: { name: 'chat-completions', version }, ...recovery }),
    ...{ seq: 2, call_id: 'call-1' },
  });
  const manifest = { ...event('call.manifest', { interpreter: { name: 'chat-completions', version: 1 } }), call_id: 'call-1' };
  const departing = (given: object | null, interpreted: Event): number[] =>
    scenarioDepartures(
      {},
      {
        events: [manifest, interpreted],
        inherited: 1,
        bytesOf: () => undefined,
        told: () => ({ role: 'resume', operation: given === null ? 'recover' : 'reinterpret', input: given }),
      },
    ).map(({ seq }) => seq);

  it('is read in the version of the manifest, or in the one that was given', () => {
    expect(departing(null, read(1))).toEqual([]);
    expect(departing(null, read(2))).toEqual([2]);
    expect(departing({}, read(2))).toEqual([2]);
    expect(departing({ interpreter_version: 2 }, read(2))).toEqual([]);
    expect(departing({ interpreter_version: 2 }, read(1))).toEqual([2]);
  });

  it('is another matter than one that was read on the straight path', () => expect(departing(null, read(2, {}))).toEqual([]));
});

describe('what a scenario asks for once', () => {
  const by = (role: Told['role'], events: readonly Event[]): number[] =>
    scenarioDepartures(
      {},
      { events, inherited: 0, bytesOf: () => undefined, told: () => ({ role, operation: null, input: null }) },
    ).map(({ seq }) => seq);
  const compiled = (seq: number, payload: object = {}): Event => ({ ...event('context.compilation_requested', payload), seq });

  it('is recorded once by a producer, though its disk failed on it', () => {
    expect(by('produce', [compiled(1), compiled(2), { ...event('task.created'), seq: 3 }])).toEqual([2]);
    expect(
      by(
        'produce',
        [1, 2, 3].map((seq) => ({ ...event('claim.recorded'), seq })),
      ),
    ).toEqual([2, 3]);
  });

  it('is each member of a fan-out once, and never what replaces another', () => {
    const members = [1, 2].map((index) => compiled(index, { fan_out: { index, of: 2 } }));
    expect(by('produce', [...members, compiled(3, { replaces: 'compilation-1' })])).toEqual([]);
    expect(by('produce', [...members, compiled(3, { fan_out: { index: 2, of: 2 } })])).toEqual([3]);
  });

  it('is recorded again by a restart', () => {
    expect(by('restart', [compiled(1), compiled(2)])).toEqual([]);
  });
});

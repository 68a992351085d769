/** What a producer that completed must have on record; that each event is the one asked for is shown by its mutants. */
import { describe, expect, it } from 'vitest';
import type { Event } from '../../contract/types.js';
import { leftUndone } from './scenario.js';

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

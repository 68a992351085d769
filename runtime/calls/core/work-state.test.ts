/** The projection at every place where a ledger can end, over prefixes of real event sequences. */
import { describe, expect, test } from 'vitest';
import { validateWorkState } from '../../contract/validators.js';
import { answered, broken, newFolder, notSent, open, prepare, scripted, status } from '../testing/folder.js';
import type { RuntimeOptions } from '../api/options.js';
import type { LedgerEvent } from './events.js';
import { History } from './history.js';
import { projectWorkState } from './work-state.js';

const policy = { max_attempts: 2, retry_statuses: [503], retry_not_sent: true, retry_broken_if_key_honoured: true };

async function eventsOf(
  deliveries: Parameters<typeof scripted>,
  options: Partial<RuntimeOptions> = {},
): Promise<readonly LedgerEvent[]> {
  const { transport } = scripted(...deliveries);
  const runtime = open(newFolder(), { transport, retry: policy, ...options });
  const wanted = prepare(runtime);
  await runtime.call(wanted).catch(() => undefined);
  if (deliveries.length === 3) await runtime.call(wanted);
  const events = [...runtime.events()];
  runtime.close();
  return events;
}

function stateAfter(events: readonly LedgerEvent[], count: number) {
  const state = projectWorkState(History.of(events.slice(0, count)), 'task-1');
  if (state === null) throw new Error('no such task');
  expect(validateWorkState(state), JSON.stringify(validateWorkState.errors)).toBe(true);
  return state;
}

const summary = (events: readonly LedgerEvent[], count: number) => {
  const { task, calls } = stateAfter(events, count);
  const call = calls.at(-1);
  return [count, call?.stage ?? null, task.next_operation, call?.provider_effect ?? null, call?.duplicate_risk ?? null];
};

const everyPrefix = (events: readonly LedgerEvent[], from: number) =>
  Array.from({ length: events.length - from + 1 }, (_unused, index) => summary(events, from + index));

test('every prefix of a call that succeeds', async () => {
  expect(everyPrefix(await eventsOf([answered]), 1)).toEqual([
    [1, null, 'none', null, null],
    [2, null, 'none', null, null],
    [3, null, 'none', null, null],
    [4, null, 'recompile', null, null],
    [5, null, 'none', null, null],
    [6, 'requested', 'start_call', 'absent', false],
    [7, 'manifest_recorded', 'start_call', 'absent', false],
    [8, 'effect_unknown', 'reconcile_effect', 'unknown', true],
    [9, 'observed', 'reinterpret', 'happened', false],
    [10, 'interpreted', 'redecide', 'happened', false],
    [11, 'undecided_end', 'finalize', 'happened', false],
    [12, 'undecided_end', 'finalize', 'happened', false],
    [13, 'undecided_end', 'finalize', 'happened', false],
    [14, 'completed', 'check_and_accept', 'happened', false],
  ]);
});

test('every prefix of a retried error', async () => {
  expect(everyPrefix(await eventsOf([status(503), answered]), 11).slice(0, 4)).toEqual([
    [11, 'retry_due', 'start_next_attempt', 'happened', false],
    [12, 'retry_due', 'start_next_attempt', 'happened', false],
    [13, 'effect_unknown', 'reconcile_effect', 'unknown', true],
    [14, 'observed', 'reinterpret', 'happened', false],
  ]);
});

test('every prefix of an attempt that was not sent', async () => {
  expect(everyPrefix(await eventsOf([notSent, answered]), 9).slice(0, 4)).toEqual([
    [9, 'not_sent', 'start_next_attempt', 'absent', false],
    [10, 'retry_due', 'start_next_attempt', 'absent', false],
    [11, 'retry_due', 'start_next_attempt', 'absent', false],
    [12, 'effect_unknown', 'reconcile_effect', 'unknown', true],
  ]);
});

describe('settling under an honoured key', () => {
  const provider = { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', honoursKey: true };

  test('a later complete of the same call settles the broken attempt', async () => {
    const events = await eventsOf([broken, answered], { provider });
    expect(everyPrefix(events, 9).slice(0, 4)).toEqual([
      [9, 'effect_unknown', 'reconcile_effect', 'unknown', true],
      [10, 'effect_unknown', 'reconcile_effect', 'unknown', true],
      [11, 'effect_unknown', 'reconcile_effect', 'unknown', true],
      [12, 'observed', 'reinterpret', 'happened', false],
    ]);
  });

  test('a later complete of another call under the key does, and only where the manifest declares it', async () => {
    const stages = async (honoursKey: boolean) => {
      const retry = { ...policy, max_attempts: 1 };
      const events = await eventsOf([broken, answered, answered], { provider: { ...provider, honoursKey }, retry });
      const { calls, task } = stateAfter(events, events.length);
      return [calls[0]?.stage, calls[0]?.provider_effect, calls[1]?.stage, task.next_operation];
    };
    expect(await stages(true)).toEqual(['undecided_end', 'happened', 'completed', 'finalize']);
    expect(await stages(false)).toEqual(['effect_unknown', 'unknown', 'completed', 'reconcile_effect']);
  });
});

test('the seven answers name what failed, what succeeded and what repeats an effect', async () => {
  const failed = await eventsOf([status(500)]);
  expect(stateAfter(failed, failed.length).answers).toEqual({
    attempted: ['compilation-4', 'call-6', 'attempt-8'],
    inputs: [{ compilation_id: 'compilation-4', offered_ids: ['A', 'B', 'D'] }],
    required: [{ compilation_id: 'compilation-4', required_ids: ['A', 'B'] }],
    failed: [
      { id: 'call-6', error: 'provider_error: 500' },
      { id: 'attempt-8', error: 'provider_error' },
    ],
    succeeded: ['compilation-4'],
    unresolved: [],
    safe_next: { operation: 'none', on: null, repeats_effect: false },
  });
  const unknown = await eventsOf([broken]);
  expect(stateAfter(unknown, unknown.length).answers).toMatchObject({
    failed: [{ id: 'attempt-8', error: 'broken' }],
    unresolved: [{ id: 'call-6', next_operation: 'reconcile_effect', provider_effect: 'unknown' }],
    safe_next: { operation: 'reconcile_effect', on: 'call-6', repeats_effect: true },
  });
});

test('projecting is pure: the same events give the same state, and they stay as they were', async () => {
  const events = await eventsOf([answered]);
  const before = JSON.stringify(events);
  expect(stateAfter(events, events.length)).toEqual(stateAfter(events, events.length));
  expect(JSON.stringify(events)).toBe(before);
});

test('a failed compilation is unresolved only until a later one is requested', () => {
  const runtime = open(newFolder());
  runtime.createTask({ taskId: 'task-1', title: 'T' });
  expect(() => runtime.compile('task-1', { items: [], requiredIds: ['x'] })).toThrow();
  expect(runtime.workState('task-1').answers.unresolved).toEqual([
    { id: 'compilation-2', next_operation: 'fix_inputs', provider_effect: 'absent' },
  ]);
  runtime.compile('task-1', { items: [], requiredIds: [] });
  expect(runtime.workState('task-1').answers).toMatchObject({ unresolved: [], failed: [{ id: 'compilation-2' }] });
  runtime.close();
});

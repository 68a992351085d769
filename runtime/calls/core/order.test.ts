/** Events in an order that no runtime has written are damage, found as they are read: nothing may be decided from them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { broken, newFolder, open, prepare, scripted, status, answered } from '../testing/folder.js';
import type { LedgerEvent } from './events.js';
import { shapeProblem, type Draft } from './events.js';
import { History } from './history.js';

let events: readonly LedgerEvent[];
/** A task with a fan-out, a call that was retried and succeeded, and one whose effect is unknown. */
beforeAll(async () => {
  const { transport } = scripted(status(503), answered, broken);
  const runtime = open(newFolder(), { transport, retry: { max_attempts: 2, retry_statuses: [503] } });
  const wanted = prepare(runtime);
  runtime.compileFanOut('task-1', [
    { items: [], requiredIds: [] },
    { items: [], requiredIds: ['x'] },
  ]);
  await runtime.call(wanted);
  await runtime.call({ ...wanted, idempotencyKey: 'key-2' }).catch(() => undefined);
  await runtime.reconcile('call-24', { statement: { by: 'operator', finding: 'unknown', note: '' } });
  runtime.acceptDuplicate('call-24', { by: 'operator', note: '' });
  events = [...runtime.events()];
  runtime.close();
});

const at = (type: LedgerEvent['type'], nth = 0): number =>
  events.flatMap((event, index) => (event.type === type ? [index] : []))[nth] as number;
const numbered = (list: readonly LedgerEvent[]): LedgerEvent[] =>
  list.map((event, index) => ({ ...event, seq: index + 1 }) as LedgerEvent);
const damage = expect.objectContaining({ code: 'ledger-damaged' });

test('as they were written they are read', () => {
  expect(() => History.of(events)).not.toThrow();
});

test('every event but what only a person or a claim says is missed where it is left out, or is the last word', () => {
  const free = new Set([
    'objective.recorded',
    'claim.recorded',
    'attempt.interpreted',
    'attempt.retry_decided',
    'attempt.completed',
  ]);
  const unmissed = events.filter((_event, index) => {
    try {
      History.of(numbered(events.toSpliced(index, 1)));
      return true;
    } catch (error) {
      expect(error).toEqual(damage);
      return false;
    }
  });
  for (const { type } of unmissed)
    expect([
      ...free,
      'context.compiled',
      'context.compilation_failed',
      'attempt.observed',
      'result.recorded',
      'call.completed',
      'effect.reconciled',
      'duplicate.accepted',
    ]).toContain(type);
});

test.each([
  [{ outcome: 'failed', error: 'settled by call-9', result_id: null }, true],
  [{ outcome: 'failed', error: 'provider_error: 500', result_id: null }, false],
  [{ outcome: 'succeeded', error: null, result_id: 'result-9' }, false],
] as const)('after a failed preparation a call can only be settled by another: %o', (payload, stands) => {
  const before = events.slice(0, at('call.manifest'));
  const { task_id, call_id, compilation_id } = events[at('call.manifest')] as LedgerEvent;
  const place = { task_id, call_id, compilation_id, attempt_id: null, digest: '', recorded_at: '' };
  const failed = { ...place, type: 'call.preparation_failed', payload: { error: 'RequestTooLarge', message: 'Too large.' } };
  const read = () => History.of(numbered([...before, failed, { ...place, type: 'call.completed', payload }] as LedgerEvent[]));
  if (stands) expect(read).not.toThrow();
  else expect(read).toThrow(damage);
});

describe('an event that is said twice', () => {
  test.each<[LedgerEvent['type']]>([
    ['task.created'],
    ['context.compilation_requested'],
    ['context.compiled'],
    ['context.compilation_failed'],
    ['call.requested'],
    ['call.manifest'],
    ['attempt.started'],
    ['attempt.observed'],
    ['call.completed'],
  ])('%s', (type) => {
    const index = at(type);
    expect(() => History.of(numbered(events.toSpliced(index + 1, 0, events[index] as LedgerEvent)))).toThrow(damage);
  });
});

describe('an event of another', () => {
  const changed = (index: number, change: object): LedgerEvent[] =>
    events.map((event, place) => (place === index ? ({ ...event, ...change } as LedgerEvent) : event));
  const payload = (index: number, change: object): LedgerEvent[] =>
    changed(index, { payload: { ...(events[index]?.payload as object), ...change } });

  test.each<[string, () => LedgerEvent[]]>([
    ['a call that is not there', () => changed(at('call.manifest'), { call_id: 'call-99' })],
    ['a task that is not there', () => changed(at('claim.recorded'), { task_id: 'task-9' })],
    ['an attempt of another call', () => changed(at('attempt.observed', 2), { attempt_id: 'attempt-12' })],
    [
      'a reconciliation that names an attempt of another call',
      () => payload(at('effect.reconciled'), { attempt_ids: ['attempt-12', 'attempt-26'] }),
    ],
    ['a reconciliation that does not name its own', () => payload(at('effect.reconciled'), { attempt_ids: ['attempt-12'] })],
    [
      'a decision that names an attempt of another call',
      () => payload(at('duplicate.accepted'), { attempt_ids: ['attempt-12'] }),
    ],
    [
      'a fan-out with a wrong number',
      () => payload(at('context.compilation_requested', 2), { fan_out: { id: 'fan-out-6', index: 3, of: 3 } }),
    ],
    [
      'a fan-out beyond its end',
      () => payload(at('context.compilation_requested', 2), { fan_out: { id: 'fan-out-6', index: 2, of: 1 } }),
    ],
    [
      'a fan-out of another name',
      () => payload(at('context.compilation_requested', 2), { fan_out: { id: 'fan-out-5', index: 2, of: 2 } }),
    ],
  ])('%s', (_name, made) => {
    expect(() => History.of(made())).toThrow(damage);
  });
});

test('nothing follows the end of a task', () => {
  const { seq, digest, recorded_at, task_id } = events.at(-1) as LedgerEvent;
  const none = { call_id: null, attempt_id: null, compilation_id: null };
  const ended = {
    ...none,
    type: 'task.rejected',
    seq,
    digest,
    recorded_at,
    task_id,
    payload: { result_id: null, by: 'x', note: '' },
  };
  const at = events.length - 3;
  expect(() => History.of(numbered(events.toSpliced(at, 0, ended as unknown as LedgerEvent)))).toThrow(damage);
});

describe('a payload whose members contradict each other', () => {
  test.each<[LedgerEvent['type'], object]>([
    ['attempt.observed', { response_sha256: null }],
    ['attempt.observed', { delivery: 'broken' }],
    ['attempt.interpreted', { result: 'answer', text_sha256: null }],
    ['call.completed', { result_id: null }],
    ['effect.reconciled', { finding: 'unknown', response: { content_type: null, response_sha256: '0'.repeat(64), status: 200 } }],
  ])('%s: %j', (type, change) => {
    const event = events[at(type)] as LedgerEvent;
    expect(shapeProblem(event as unknown as Draft)).toBeNull();
    const changed = { ...event, payload: { ...event.payload, ...change } } as unknown as Draft;
    expect(shapeProblem(changed)).not.toBeNull();
  });
});

/** Links that make no sense are damage, found as they are read. */
import { describe, expect, test } from 'vitest';
import type { LedgerEvent } from './events.js';
import { History } from './history.js';

type Brief = Partial<Omit<LedgerEvent, 'payload'>> & { type: LedgerEvent['type']; payload?: object };

function historyOf(...briefs: Brief[]): History {
  const place = { task_id: 'task-1', call_id: null, attempt_id: null, compilation_id: null, digest: '', recorded_at: '' };
  return History.of(
    briefs.map((brief, index) => ({ ...place, seq: index + 1, payload: {}, ...brief }) as unknown as LedgerEvent),
  );
}

const task: Brief = { type: 'task.created', payload: { title: 'T' } };
const call = (id: string, payload: object = {}, more: Partial<Brief> = {}): Brief => {
  return { type: 'call.requested', call_id: id, payload: { idempotency_key: id, ...payload }, ...more };
};
const ready = (id: string): Brief => ({ type: 'call.manifest', call_id: id });
const resumed = (from: string, to: string): Brief => {
  return { type: 'call.resumed', call_id: from, payload: { old_call_id: from, new_call_id: to } };
};
const compilation = (id: string, replaces?: string): Brief => {
  return { type: 'context.compilation_requested', compilation_id: id, payload: { offered: [], ...(replaces && { replaces }) } };
};
const started = (id: string, cites?: number, call_id = 'call-2'): Brief => {
  return { type: 'attempt.started', call_id, attempt_id: id, payload: { number: 1, ...(cites && { cites }) } };
};
const reconciled: Brief = {
  type: 'effect.reconciled',
  call_id: 'call-2',
  attempt_id: 'attempt-4',
  payload: { attempt_ids: ['attempt-4'], finding: 'unknown', response: null },
};
const accepted: Brief = { type: 'duplicate.accepted', call_id: 'call-2', payload: { attempt_ids: ['attempt-4'] } };

describe('refused as damage', () => {
  test.each<[string, Brief[], string]>([
    [
      'a resume whose new call is not the next row',
      [task, call('call-2'), resumed('call-2', 'call-5'), call('call-4')],
      'call-5',
    ],
    ['a resume that nothing but another event follows', [task, call('call-2'), resumed('call-2', 'call-4'), task], 'call-4'],
    ['a resume of a call that is not there', [task, resumed('call-9', 'call-3')], 'call-9'],
    [
      'a resume of a call of another task',
      [task, call('call-2'), { ...task, task_id: 'task-2' }, { ...resumed('call-2', 'call-5'), task_id: 'task-2' }],
      'call-2',
    ],
    ['a resume that leads back', [task, call('call-2'), resumed('call-2', 'call-2')], 'call-2'],
    [
      'a resume of what was resumed',
      [task, call('call-2'), resumed('call-2', 'call-4'), call('call-4'), resumed('call-2', 'call-6')],
      'call-4',
    ],
    [
      'a row of one call that resumes another',
      [task, call('call-2'), call('call-3'), { ...resumed('call-2', 'call-5'), call_id: 'call-3' }],
      'call-2',
    ],
    ['a call that replaces a later one', [task, call('call-2', { replaces: 'call-3' }), call('call-3')], 'call-3'],
    ['a call that replaces itself', [task, call('call-2', { replaces: 'call-2' })], 'call-2'],
    [
      'two calls in one place',
      [task, call('call-2'), call('call-3', { replaces: 'call-2' }), call('call-4', { replaces: 'call-2' })],
      'call-3',
    ],
    ['a compilation that replaces itself', [task, compilation('compilation-2', 'compilation-2')], 'compilation-2'],
    ['two compilations in one place', [task, compilation('c-2'), compilation('c-3', 'c-2'), compilation('c-4', 'c-2')], 'c-3'],
    [
      'an attempt that cites nothing of its call',
      [task, call('call-2'), ready('call-2'), started('attempt-4'), started('attempt-5', 2)],
      'event 2',
    ],
    [
      'an attempt that cites what comes later',
      [task, call('call-2'), ready('call-2'), started('attempt-4', 5), reconciled],
      'event 5',
    ],
    [
      'an attempt that cites a decision of another call',
      [
        task,
        call('call-2'),
        ready('call-2'),
        started('attempt-4'),
        accepted,
        call('call-6'),
        ready('call-6'),
        started('attempt-8', 5, 'call-6'),
      ],
      'event 5',
    ],
    [
      'a decision that is spent twice',
      [task, call('call-2'), ready('call-2'), started('attempt-4'), accepted, started('attempt-6', 5), started('attempt-7', 5)],
      'attempt-6',
    ],
  ])('%s', (_name, briefs, named) => {
    expect(() => historyOf(...briefs)).toThrow(
      expect.objectContaining({ code: 'ledger-damaged', message: expect.stringContaining(named) }),
    );
  });
});

test('what makes sense is read', () => {
  const history = historyOf(
    task,
    call('call-2'),
    ready('call-2'),
    started('attempt-4'),
    reconciled,
    started('attempt-6', 5),
    started('attempt-7', 5),
    accepted,
    started('attempt-9', 8),
    resumed('call-2', 'call-11'),
    call('call-11'),
    call('call-12', { replaces: 'call-11' }),
  );
  expect([...history.calls.values()].map(({ supersededBy }) => supersededBy)).toEqual(['call-11', 'call-12', null]);
  expect(history.calls.get('call-2')?.decisions).toMatchObject([{ seq: 8, spentBy: 'attempt-9' }]);
});

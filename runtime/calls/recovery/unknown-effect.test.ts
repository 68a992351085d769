/** What may follow an unknown effect: an accepted duplicate is spent once, and a call with an unsettled attempt is never completed. */
import type { Runtime } from '../api/runtime.js';
import type { Delivery } from '../wire/transport.js';
import { describe, expect, test } from 'vitest';
import { answered, broken, newFolder, notSent, open, prepare, scripted, status, types } from '../testing/folder.js';
import { diedAfter, goOn, settings } from '../testing/stages.js';

const statement = { by: 'operator', note: '', finding: 'unknown' as const };
const decision = { by: 'operator', note: 'The customer waits.' };
const kept = (code: number, text: string) => ({ status: code, contentType: null, bytes: Buffer.from(text) });
const stage = (runtime: Runtime, index = 0) => runtime.workState('task-1').calls[index]?.stage;

describe('an accepted duplicate', () => {
  test('is spent by one attempt, which cites it, and cannot be spent again', async () => {
    const { folder } = await diedAfter('attempt.started');
    const { runtime, sent } = goOn(folder, [broken, answered]);
    const refused = (operation: string) => expect.objectContaining({ hazard: 'unneeded', operation });
    expect(() => runtime.acceptDuplicate('call-6', decision)).toThrow(refused('reconcile_effect'));
    await runtime.reconcile('call-6', { statement });
    await expect(runtime.startNextAttempt('call-6')).rejects.toMatchObject({ hazard: 'unsafe', operation: 'decide' });
    expect(runtime.acceptDuplicate('call-6', decision)).toEqual({ seq: 10 });
    expect(() => runtime.acceptDuplicate('call-6', decision)).toThrow(refused('start_next_attempt'));
    await expect(runtime.startNextAttempt('call-6')).rejects.toMatchObject({ code: 'effect-unknown', attemptId: 'attempt-11' });
    expect(runtime.workState('task-1').calls[0]).toMatchObject({ stage: 'effect_unknown', accepted_duplicates: 1 });
    await expect(runtime.startNextAttempt('call-6')).rejects.toMatchObject({ hazard: 'unsafe', operation: 'reconcile_effect' });
    expect(sent).toHaveLength(1);
    await runtime.reconcile('call-6', { statement });
    expect(runtime.events().at(-1)?.payload).toMatchObject({ attempt_ids: ['attempt-11'] });
    runtime.acceptDuplicate('call-6', decision);
    await runtime.startNextAttempt('call-6');
    expect(
      runtime
        .events()
        .filter(({ payload }) => 'cites' in payload)
        .map(({ payload }) => payload),
    ).toMatchObject([
      { cites: 10, number: 2 },
      { cites: 14, number: 3 },
    ]);
    expect(runtime.workState('task-1').calls[0]).toMatchObject({
      stage: 'completed',
      provider_effect: 'happened',
      accepted_duplicates: 2,
    });
    runtime.close();
  });

  test('leaves the effect unknown where its attempt proves that it sent nothing', async () => {
    const { folder } = await diedAfter('attempt.started', answered, { retry: {} });
    const { runtime } = goOn(folder, [notSent], { retry: {} });
    await runtime.reconcile('call-6', { statement });
    runtime.acceptDuplicate('call-6', decision);
    expect(await runtime.startNextAttempt('call-6')).toMatchObject({ outcome: 'failed', error: 'not_sent', attempts: 2 });
    expect(runtime.workState('task-1').calls[0]).toMatchObject({
      stage: 'completed',
      provider_effect: 'unknown',
      duplicate_risk: true,
    });
    runtime.close();
  });
});

test.each([
  ['attempt.observed', 'call-6 did not come to its end (what follows from', 'which asks for reinterpret.'],
  ['attempt.interpreted', 'call-6 did not come to its end (what follows from', 'which asks for redecide.'],
  ['attempt.started', 'The effect of call-6 is unknown (what came back', 'reconcile it with the provider first.'],
])('closed right after %s, a call tells what its record knows', async (last, told, whatToDo) => {
  const runtime: Runtime = open(newFolder(), {
    commit: 'each',
    onCommitted: (events) => {
      if (events[0]?.type === last) runtime.close();
    },
  });
  const error = await runtime.call(prepare(runtime)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'effect-unknown', cause: { code: 'closed' } });
  expect(String(error)).toContain(told);
  expect(String(error)).toContain(whatToDo);
});

describe('a call with an unsettled attempt', () => {
  const retry = { max_attempts: 2, retry_statuses: [503], retry_not_sent: true, retry_broken_if_key_honoured: true };
  const honoured = { retry, provider: { ...settings({}).provider!, honoursKey: true } };

  test.each<[string, Delivery, string]>([
    ['a 409, which says that the first request is still open', status(409), 'effect_unknown'],
    ['a proof that the second request was not sent', notSent, 'effect_unknown'],
    ['an error of the second request, which settles the first', status(500), 'completed'],
    ['an answer to the second request', answered, 'completed'],
  ])('is never completed: %s', async (_name, delivery, expected) => {
    const { transport } = scripted(broken, delivery);
    const runtime = open(newFolder(), { ...honoured, transport });
    const ended: unknown = await runtime.call(prepare(runtime)).catch((error: unknown) => error);
    expect(stage(runtime)).toBe(expected);
    if (expected === 'effect_unknown') expect(ended).toMatchObject({ code: 'effect-unknown', attemptId: 'attempt-8' });
    expect(types(runtime).includes('call.completed')).toBe(expected === 'completed');
    runtime.close();
  });

  test('adopts for the first attempt what was found of it after the second got a 409', async () => {
    const { transport } = scripted(broken, status(409));
    const runtime = open(newFolder(), { ...honoured, transport });
    await runtime.call(prepare(runtime)).catch(() => undefined);
    const found = { ...statement, finding: 'served' as const, response: kept(500, 'no') };
    await runtime.reconcile('call-6', { statement: found });
    expect(runtime.events().at(-1)?.attempt_id).toBe('attempt-8');
    expect(await runtime.recover()).toMatchObject({
      operations: ['reinterpret', 'redecide', 'finalize'],
      next: 'none',
      outcome: { outcome: 'failed', error: 'provider_error: 500' },
    });
    expect(
      runtime
        .events()
        .filter(({ attempt_id }) => attempt_id === 'attempt-8')
        .map(({ type }) => type),
    ).toEqual([
      'attempt.started',
      'attempt.observed',
      'attempt.retry_decided',
      'effect.reconciled',
      'attempt.interpreted',
      'attempt.retry_decided',
      'attempt.completed',
    ]);
    runtime.close();
  });

  test('is finalized by name where the response of another call under the honoured key settled it', async () => {
    const { transport } = scripted(broken, answered);
    const runtime = open(newFolder(), { ...honoured, retry: {}, transport });
    const wanted = prepare(runtime);
    await runtime.call(wanted).catch(() => undefined);
    await runtime.call(wanted);
    expect(runtime.finalize('call-6')).toMatchObject({ outcome: 'failed', error: 'settled by call-10' });
    expect(runtime.workState('task-1').task).toMatchObject({ next_operation: 'check_and_accept', on: 'call-10' });
    runtime.close();
  });
});

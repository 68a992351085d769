/** The projection that a caller decided from: never acted on where the log has grown since, and never kept where it is not the caller's. */
import { describe, expect, test } from 'vitest';
import type { Runtime } from '../api/runtime.js';
import { answered, broken, items, newFolder, notSent, open, prepare } from '../testing/folder.js';
import { diedAfter, goOn, settings } from '../testing/stages.js';

const statement = { by: 'operator', note: '', finding: 'unknown' as const };
const decision = { by: 'operator', note: 'The customer waits.' };

describe('a projection of before, in the runtime that went on itself', () => {
  const steps: [string, (runtime: Runtime, options: Parameters<Runtime['finalize']>[1]) => unknown][] = [
    ['reinterpret', (runtime, options) => runtime.reinterpret('call-6', options)],
    ['redecide', (runtime, options) => runtime.redecide('call-6', options)],
    ['finalize', (runtime, options) => runtime.finalize('call-6', options)],
    ['accept', (runtime, options) => runtime.accept('task-1', { by: 'reviewer' }, options)],
  ];

  test('is overtaken by whatever was done since', async () => {
    const { folder } = await diedAfter('attempt.observed');
    const { runtime, appendedTypes } = goOn(folder);
    for (const [name, act] of steps) {
      const workState = runtime.workState('task-1');
      await act(runtime, { workState });
      const before = appendedTypes();
      const again = async (): Promise<unknown> => act(runtime, { workState });
      await expect(again(), name).rejects.toMatchObject({ code: 'overtaken' });
      expect(() => runtime.dryRun('finalize', 'call-6', { workState })).toThrow(expect.objectContaining({ code: 'overtaken' }));
      expect(appendedTypes()).toEqual(before);
    }
    runtime.close();
  });

  test('does not lead to a second attempt, where an accepted duplicate was spent since', async () => {
    const { folder } = await diedAfter('attempt.started');
    const { runtime, sent } = goOn(folder, [answered]);
    await runtime.reconcile('call-6', { statement });
    runtime.acceptDuplicate('call-6', decision);
    const workState = runtime.workState('task-1');
    await runtime.startNextAttempt('call-6', { workState });
    await expect(runtime.startNextAttempt('call-6', { workState })).rejects.toMatchObject({ code: 'overtaken' });
    await expect(runtime.resumeCall('call-6', { workState })).rejects.toMatchObject({ code: 'overtaken' });
    expect(() => runtime.checkResume('call-6', { workState })).toThrow(expect.objectContaining({ code: 'overtaken' }));
    expect(sent).toHaveLength(1);
    runtime.close();
  });
});

describe('a runtime that has been open for long', () => {
  /** Opened where a call was requested; another process then lost its effect. */
  const openForLong = async () => {
    const { folder } = await diedAfter('call.manifest');
    const { runtime, sent, appendedTypes } = goOn(folder);
    const other = goOn(folder, [broken]);
    await other.runtime.resumeCall('call-6').catch(() => undefined);
    other.runtime.close();
    return { runtime, sent, appendedTypes };
  };

  test('knows what another process introduced, and asks for it what the record asks for', async () => {
    const { runtime, sent } = await openForLong();
    expect(runtime.dryRun('reconcile_effect', 'call-9', { statement }).appends).toEqual(['effect.reconciled']);
    await expect(runtime.startNextAttempt('call-9')).rejects.toMatchObject({ hazard: 'unsafe', operation: 'reconcile_effect' });
    expect(await runtime.reconcile('call-9', { statement })).toEqual({ finding: 'unknown', reason: 'stated' });
    expect(sent).toEqual([]);
    runtime.close();
  });

  test('does not say that nothing is left where another process left something', async () => {
    const folder = newFolder();
    const first = open(folder);
    first.createTask({ taskId: 'task-1', title: 'T' });
    first.close();
    const runtime = open(folder, { create: false });
    expect(await runtime.recover('task-1')).toMatchObject({ next: 'none' });
    const other = open(folder, {
      create: false,
      commit: 'each',
      onCommitted: () => {
        throw new Error('died');
      },
    });
    expect(() => other.compile('task-1', { items, requiredIds: [] })).toThrow('died');
    other.close();
    expect(await runtime.recover('task-1')).toMatchObject({ operations: ['recompile'] });
    runtime.close();
  });
});

describe('recover', () => {
  test('without an id begins with a task that needs no person', async () => {
    const folder = newFolder();
    const runtime = open(folder, settings({}));
    await runtime.call(prepare(runtime));
    runtime.createTask({ taskId: 'task-2', title: 'U' });
    expect(() => runtime.compile('task-2', { items: [], requiredIds: ['x'] })).toThrow();
    runtime.createTask({ taskId: 'task-3', title: 'V' });
    runtime.close();
    const dying = open(folder, {
      ...settings({}),
      create: false,
      onCommitted: () => {
        throw new Error('died');
      },
    });
    expect(() => dying.compile('task-3', { items, requiredIds: [] })).toThrow('died');
    dying.close();
    const { runtime: next } = goOn(folder);
    expect(next.dryRun('recover', null).appends).toEqual(['context.compiled']);
    expect(await next.recover()).toMatchObject({ operations: ['recompile'], next: 'none' });
    await expect(next.recover()).rejects.toMatchObject({ operation: 'fix_inputs' });
    next.reject('task-2', { by: 'reviewer' });
    expect(await next.recover()).toMatchObject({ operations: [], next: 'check_and_accept', on: 'call-6' });
    next.close();
  });

  test('ends with what it did where a later step is refused, a resume too', async () => {
    const { folder } = await diedAfter('attempt.completed', notSent);
    const first = goOn(folder, [notSent], { retry: {} });
    await first.runtime.call({ ...wantedOf(first.runtime), idempotencyKey: 'key-2' }).catch(() => undefined);
    first.runtime.close();
    const dying = goOn(folder, [answered], {
      onCommitted: (events) => {
        if (events.some(({ type }) => type === 'call.requested')) throw new Error('died');
      },
    });
    await dying.runtime.call({ ...wantedOf(dying.runtime), idempotencyKey: 'key-3' }).catch(() => undefined);
    dying.runtime.close();
    const { runtime } = goOn(folder, [answered], { retry: { retry_statuses: [500] } });
    expect(await runtime.recover('task-1')).toMatchObject({ operations: ['start_next_attempt'], next: 'start_call' });
    runtime.close();
  });
});

function wantedOf(runtime: Runtime) {
  const compilationId = runtime.workState('task-1').compilations[0]?.compilation_id ?? '';
  return { taskId: 'task-1', compilationId, instruction: 'Review the paragraph.' };
}

/** Where an operation does not act: on what was superseded, from a projection that is old, in a task that ended; and where a recovery ends. */
import { describe, expect, test } from 'vitest';
import { answered, broken, newFolder, open, status } from '../testing/folder.js';
import { diedAfter, goOn } from '../testing/stages.js';

describe('chains', () => {
  test('a superseded call or compilation is refused by the end of its chain', async () => {
    const { folder } = await diedAfter('call.manifest');
    const first = goOn(folder, [answered], {
      onCommitted: (events) => {
        if (events.some(({ type }) => type === 'call.manifest')) throw new Error('died');
      },
    });
    await expect(first.runtime.resumeCall('call-6')).rejects.toThrow('died');
    first.runtime.close();
    const { runtime } = goOn(folder);
    await runtime.resumeCall('call-9');
    expect(runtime.workState('task-1').calls.map(({ superseded_by }) => superseded_by)).toEqual(['call-9', 'call-12', null]);
    expect(() => runtime.finalize('call-6')).toThrow(expect.objectContaining({ message: expect.stringContaining('call-12') }));
    await expect(runtime.resumeCall('call-6')).rejects.toMatchObject({ message: expect.stringContaining('call-12') });
    runtime.close();
  });

  test('fixed inputs may fail again, and each failure has its successor', () => {
    const runtime = open(newFolder());
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    const failing = { items: [], requiredIds: ['x'] };
    expect(() => runtime.compile('task-1', failing)).toThrow();
    expect(() => runtime.fixCompilation('compilation-2', failing)).toThrow(
      expect.objectContaining({ code: 'compilation-failed', compilationId: 'compilation-4' }),
    );
    expect(() => runtime.fixCompilation('compilation-2', failing)).toThrow(
      expect.objectContaining({ code: 'recovery-refused', message: expect.stringContaining('compilation-4') }),
    );
    expect(runtime.fixCompilation('compilation-4', { items: [], requiredIds: [] })).toMatchObject({
      compilationId: 'compilation-6',
    });
    expect(runtime.workState('task-1').compilations.map((one) => [one.stage, one.superseded_by])).toEqual([
      ['superseded', 'compilation-4'],
      ['superseded', 'compilation-6'],
      ['compiled', undefined],
    ]);
    runtime.close();
  });
});

describe('a projection', () => {
  test('is not acted on where the log has grown since, by whichever operation', async () => {
    const { folder } = await diedAfter('attempt.retry_decided');
    const slow = goOn(folder);
    const workState = slow.runtime.workState('task-1');
    const quick = goOn(folder);
    quick.runtime.recordClaim('task-1', { claimId: 'claim-2', statement: 's', basis: 'b' });
    quick.runtime.close();
    expect(() => slow.runtime.finalize('call-6', { workState })).toThrow(expect.objectContaining({ code: 'overtaken' }));
    expect(slow.appendedTypes().slice(1)).toEqual([]);
    slow.runtime.close();
  });

  test('an ended task is added to by no operation', async () => {
    const { folder } = await diedAfter('attempt.retry_decided');
    const { runtime, appendedTypes } = goOn(folder);
    runtime.reject('task-1', { by: 'reviewer' });
    expect(() => runtime.finalize('call-6')).toThrow(expect.objectContaining({ operation: 'none', hazard: 'unneeded' }));
    expect(() => runtime.accept('task-1', { by: 'x' }, {})).toThrow(
      expect.objectContaining({ code: 'recovery-refused', operation: 'none' }),
    );
    expect(appendedTypes()).toEqual(['task.rejected']);
    runtime.close();
  });
});

describe('recover', () => {
  test('tells each step before it, and ends where a person is needed', async () => {
    const { folder } = await diedAfter('attempt.observed');
    const { runtime } = goOn(folder);
    const told: unknown[] = [];
    const recovered = await runtime.recover('task-1', {
      onStep: (operation, on) => void told.push([operation, on, runtime.events().length]),
    });
    expect(told).toEqual([
      ['reinterpret', 'call-6', 9],
      ['redecide', 'call-6', 10],
      ['finalize', 'call-6', 11],
    ]);
    expect(recovered).toMatchObject({
      operations: ['reinterpret', 'redecide', 'finalize'],
      next: 'check_and_accept',
      on: 'call-6',
    });
    const read: unknown[] = [];
    expect(await runtime.recover('task-1', { onRead: (next, on) => void read.push([next, on]) })).toEqual({
      operations: [],
      next: 'check_and_accept',
      on: 'call-6',
      outcome: null,
    });
    expect(read).toEqual([['check_and_accept', 'call-6']]);
    runtime.close();
  });

  test('goes on after a failure that is on record', async () => {
    const runtime = open(newFolder(), {
      commit: 'each',
      onCommitted: (events) => {
        if (events[0]?.type === 'context.compilation_requested') throw new Error('died');
      },
    });
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => runtime.compile('task-1', { items: [], requiredIds: ['x'] })).toThrow('died');
    expect(await runtime.recover()).toEqual({
      operations: ['recompile'],
      next: 'fix_inputs',
      on: 'compilation-2',
      outcome: null,
    });
    runtime.close();
  });

  test('an effect that stays unknown ends it', async () => {
    const { folder } = await diedAfter('attempt.retry_decided', status(503));
    const { runtime, sent } = goOn(folder, [broken]);
    await expect(runtime.recover()).rejects.toMatchObject({ code: 'effect-unknown' });
    expect(sent).toHaveLength(1);
    runtime.close();
  });
});

/** A call that was left before anything was under way, while another was answered under its key: it is closed, and nothing is sent for it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../api/runtime.js';
import { broken, types } from '../testing/folder.js';
import { startKeyedProvider, type KeyedProvider } from '../testing/keyed-provider.js';
import { goOn, openAt, stagesLeft } from '../testing/stages.js';

let provider: KeyedProvider;
beforeEach(async () => {
  provider = await startKeyedProvider();
});
afterEach(() => provider.close());

const again = {
  taskId: 'task-1',
  compilationId: 'compilation-4',
  idempotencyKey: 'key-16',
  instruction: 'Review the paragraph.',
};

/** The operation that the row names, by its own method. */
const projected: Record<string, (runtime: Runtime) => Promise<unknown>> = {
  fix_inputs: (runtime) => runtime.fixCall('call-6', { instruction: 'Review it.' }),
  start_call: (runtime) => runtime.resumeCall('call-6'),
  start_next_attempt: (runtime) => runtime.startNextAttempt('call-6'),
};

describe.each(stagesLeft.filter(({ row }) => ['C', 'D', 'E', 'G', 'J', 'Q'].includes(row)))(
  '$row',
  ({ row, operation, reach }) => {
    test('is refused what it asks for, and finalized by a recovery', async () => {
      const { folder, on } = await reach(provider);
      const runtime = openAt(folder, provider);
      const { callId: other } = await runtime.call(again);
      const known = { events: types(runtime).length, requests: provider.seen.length };
      await expect(projected[operation]?.(runtime)).rejects.toMatchObject({
        hazard: 'unneeded',
        operation,
        message: `${on} shares its key with ${other}, which was already answered; finalize ${on}, which sends nothing.`,
      });
      expect(runtime.workState('task-1').task).toMatchObject({ next_operation: operation, on });
      const plan = { appends: ['call.completed'], sends: [] };
      expect([runtime.dryRun('finalize', on), runtime.dryRun('recover', 'task-1')]).toEqual([plan, plan]);
      expect(await runtime.recover()).toMatchObject({
        operations: ['finalize'],
        next: 'check_and_accept',
        on: other,
        outcome: { callId: on, outcome: 'failed', error: `settled by ${other}` },
      });
      expect(runtime.events().slice(known.events)).toMatchObject([
        {
          type: 'call.completed',
          call_id: on,
          payload: { outcome: 'failed', error: `settled by ${other}`, result_id: null, recovery: { operation: 'finalize' } },
        },
      ]);
      expect(() => runtime.finalize(on)).toThrow(expect.objectContaining({ hazard: 'unneeded', operation: 'none' }));
      // Row C was to be sent in other words; the key still means what was answered.
      expect(await runtime.call(again)).toMatchObject({ callId: other, replayed: true, outcome: 'succeeded' });
      expect(provider.seen).toHaveLength(known.requests);
      runtime.close();
      const reopened = openAt(folder, provider);
      expect(reopened.workState('task-1').calls.find(({ call_id }) => call_id === on)?.stage, row).toBe('completed');
      expect(reopened.dryRun('recover', 'task-1')).toEqual({ appends: [], sends: [] });
      reopened.close();
    });
  },
);

test('where the other call is in doubt, that one comes first', async () => {
  const { folder, on } = await stagesLeft.find(({ row }) => row === 'E')!.reach(provider);
  const { runtime } = goOn(folder, [broken]);
  await expect(runtime.call(again)).rejects.toMatchObject({ code: 'effect-unknown' });
  await expect(runtime.resumeCall(on)).rejects.toMatchObject({
    hazard: 'unsafe',
    message: expect.stringContaining('reconcile that one first'),
  });
  expect(() => runtime.finalize(on)).toThrow(expect.objectContaining({ hazard: 'unneeded', operation: 'start_call' }));
  runtime.close();
});

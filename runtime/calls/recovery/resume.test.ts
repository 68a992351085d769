/** A resume of a call that was never sent: where it acts, and where it refuses. What it would send is in `resume-drift.test.ts`. */
import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answered, broken, newFolder, types } from '../testing/folder.js';
import { endedAfter, refusalOf, reopened } from '../testing/resumed.js';

describe('acting', () => {
  test.each(['each', 'grouped'] as const)(
    'after the manifest: 7 events become 17, one request, the recorded body (%s)',
    async (commit) => {
      const folder = await endedAfter('call.manifest');
      const groups: string[][] = [];
      const { runtime, sent } = reopened(folder, {
        commit,
        onCommitted: (events) => void groups.push(events.map(({ type }) => type)),
      });
      const workState = runtime.workState('task-1');
      await expect(runtime.resumeCall('call-6', { workState })).resolves.toMatchObject({
        callId: 'call-9',
        outcome: 'succeeded',
      });
      expect(types(runtime)).toHaveLength(17);
      expect(types(runtime).slice(7)).toEqual([
        'call.resumed',
        'call.requested',
        'call.manifest',
        'attempt.started',
        'attempt.observed',
        'attempt.interpreted',
        'attempt.retry_decided',
        'attempt.completed',
        'result.recorded',
        'call.completed',
      ]);
      expect(groups[0]).toEqual(['call.resumed', 'call.requested']);
      expect(sent).toHaveLength(1);
      const after = runtime.workState('task-1');
      expect(after.calls.map((call) => [call.stage, call.superseded_by, call.manifest?.request_body_sha256])).toEqual([
        ['superseded', 'call-9', after.calls[0]?.manifest?.request_body_sha256],
        ['completed', null, after.calls[0]?.manifest?.request_body_sha256],
      ]);
      expect(after.task.next_operation).toBe('check_and_accept');
      runtime.close();
    },
  );

  test('after the request alone there are no hashes to verify, and the spec is', async () => {
    const { runtime } = reopened(await endedAfter('call.requested'));
    await runtime.resumeCall('call-6');
    const resumed = runtime.events().find((event) => event.type === 'call.resumed');
    expect(resumed?.payload).toMatchObject({
      verified: null,
      spec_verified: true,
      recovery: { operation: 'start_call', pid: process.pid },
    });
    expect(types(runtime)).toHaveLength(16);
    runtime.close();
  });

  test('a dry run says what would happen and does nothing', async () => {
    const { runtime, sent } = reopened(await endedAfter('call.manifest'));
    runtime.checkResume('call-6');
    expect(types(runtime)).toHaveLength(7);
    expect(sent).toHaveLength(0);
    runtime.close();
  });
});

describe('refusing', () => {
  test.each([
    ['attempt.started', 'reconcile_effect', 'unsafe'],
    ['attempt.observed', 'reinterpret', 'unneeded'],
    ['attempt.interpreted', 'redecide', 'unneeded'],
    ['attempt.retry_decided', 'finalize', 'unneeded'],
    ['call.completed', 'none', 'unneeded'],
  ])('after %s: %s, %s', async (type, operation, hazard) => {
    const { runtime, sent } = reopened(await endedAfter(type));
    expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation, hazard, drift: [] });
    expect(sent).toHaveLength(0);
    runtime.close();
  });

  test('an operation that is not the projected one', async () => {
    const { runtime } = reopened(await endedAfter('call.manifest'));
    expect(await refusalOf(runtime, 'call-6', { operation: 'finalize' })).toMatchObject({
      operation: 'start_call',
      hazard: 'unneeded',
    });
    runtime.close();
  });

  test('a call whose key was served by another call, or may have been', async () => {
    for (const [delivery, hazard] of [
      [answered, 'unneeded'],
      [broken, 'unsafe'],
    ] as const) {
      const { runtime } = reopened(await endedAfter('call.manifest'), { transport: () => Promise.resolve(delivery) });
      const [call] = runtime.workState('task-1').calls;
      const wanted = {
        taskId: 'task-1',
        compilationId: 'compilation-4',
        idempotencyKey: 'key-16',
        instruction: 'Review the paragraph.',
      };
      await runtime.call(wanted).catch(() => undefined);
      expect(call?.stage).toBe('manifest_recorded');
      expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation: 'start_call', hazard });
      runtime.close();
    }
  });

  test('a superseded call', async () => {
    const { runtime } = reopened(await endedAfter('call.manifest'));
    await runtime.resumeCall('call-6');
    expect(await refusalOf(runtime, 'call-6')).toMatchObject({ operation: 'none', hazard: 'unneeded' });
    runtime.close();
  });

  test('a ledger that grew after its projection was read: overtaken, nothing appended', async () => {
    const folder = await endedAfter('call.manifest');
    const slow = reopened(folder);
    const workState = slow.runtime.workState('task-1');
    const quick = reopened(folder);
    await quick.runtime.resumeCall('call-6');
    quick.runtime.close();
    await expect(slow.runtime.resumeCall('call-6', { workState })).rejects.toMatchObject({ code: 'overtaken' });
    expect(slow.sent).toHaveLength(0);
    slow.runtime.close();
    const now = reopened(folder).runtime;
    expect(types(now)).toHaveLength(17);
    now.close();
  });

  test('a ledger that another runtime owns', async () => {
    const folder = await endedAfter('call.manifest');
    const owner = reopened(folder).runtime;
    owner.recordClaim('task-1', { claimId: 'c', statement: 's', basis: 'b' });
    const other = reopened(folder);
    await expect(other.runtime.resumeCall('call-6')).rejects.toMatchObject({ code: 'owner-alive' });
    expect(other.sent).toHaveLength(0);
    other.runtime.close();
    owner.close();
  });
});

test('an artifact that was altered is never sent', async () => {
  const folder = await endedAfter('call.manifest');
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(`${copy}/ledger.sqlite`);
  const guard = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'artifacts_no_update'").pluck().get() as string;
  const rest = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'artifacts_no_delete'").pluck().get() as string;
  // Both guards are made again, so that the schema keeps its order.
  database.exec('DROP TRIGGER artifacts_no_update; DROP TRIGGER artifacts_no_delete');
  database.exec("UPDATE artifacts SET bytes = CAST('altered' AS BLOB) WHERE media_type LIKE 'text/plain%'");
  database.exec(guard);
  database.exec(rest);
  database.close();
  const { runtime, sent } = reopened(copy);
  await expect(runtime.resumeCall('call-6')).rejects.toMatchObject({ code: 'ledger-damaged' });
  expect(sent).toHaveLength(0);
  runtime.close();
});

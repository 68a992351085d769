/** What each operation appends, to the letter of "What a recovery appends", and what it must never do. */
import { describe, expect, test } from 'vitest';
import { checkpoints } from '../../contract/data.js';
import { RecoveryRefused } from '../core/refusals.js';
import { runtimeVersion } from '../core/version.js';
import { answered, broken, notSent, status } from '../testing/folder.js';
import { diedAfter, goOn, settings } from '../testing/stages.js';
import type { Runtime } from '../api/runtime.js';
import type { Delivery } from '../wire/transport.js';
import { readFileSync } from 'node:fs';

const closed = [
  'attempt.observed',
  'attempt.interpreted',
  'attempt.retry_decided',
  'attempt.completed',
  'result.recorded',
  'call.completed',
];

test('the version that a recovery records is that of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(runtimeVersion).toBe(version);
});

describe.each(['each', 'grouped'] as const)('appends (%s)', (commit) => {
  test.each<[string, () => Promise<{ folder: string }>, (runtime: Runtime) => unknown, string[]]>([
    [
      'finalize after the decision',
      () => diedAfter('attempt.retry_decided'),
      (runtime) => runtime.finalize('call-6'),
      ['attempt.completed', 'result.recorded', 'call.completed'],
    ],
    [
      'finalize after the attempt',
      () => diedAfter('attempt.completed'),
      (runtime) => runtime.finalize('call-6'),
      ['result.recorded', 'call.completed'],
    ],
    [
      'finalize after the result',
      () => diedAfter('result.recorded'),
      (runtime) => runtime.finalize('call-6'),
      ['call.completed'],
    ],
    [
      'finalize after an error',
      () => diedAfter('attempt.retry_decided', status(500)),
      (runtime) => runtime.finalize('call-6'),
      ['attempt.completed', 'call.completed'],
    ],
    ['reinterpret', () => diedAfter('attempt.observed'), (runtime) => runtime.reinterpret('call-6'), ['attempt.interpreted']],
    ['redecide', () => diedAfter('attempt.interpreted'), (runtime) => runtime.redecide('call-6'), ['attempt.retry_decided']],
    [
      'the next attempt after an error',
      () => diedAfter('attempt.retry_decided', status(503)),
      (runtime) => runtime.startNextAttempt('call-6'),
      ['attempt.completed', 'attempt.started', ...closed],
    ],
    [
      'the next attempt after the end of one',
      () => diedAfter('attempt.completed', status(503)),
      (runtime) => runtime.startNextAttempt('call-6'),
      ['attempt.started', ...closed],
    ],
    [
      'the next attempt after nothing was sent',
      () => diedAfter('attempt.observed', notSent),
      (runtime) => runtime.startNextAttempt('call-6'),
      ['attempt.retry_decided', 'attempt.completed', 'attempt.started', ...closed],
    ],
    [
      'recompile',
      () => diedAfter('context.compilation_requested'),
      (runtime) => runtime.recompile('compilation-4'),
      ['context.compiled'],
    ],
    [
      'a call with fixed inputs',
      () => diedAfter('call.preparation_failed', answered, { maxRequestBytes: 9 }),
      (runtime) => runtime.fixCall('call-6', {}),
      ['call.requested', 'call.manifest', 'attempt.started', ...closed],
    ],
  ])('%s', async (_name, leave, operate, expected) => {
    const { folder } = await leave();
    const { runtime, groups, appendedTypes } = goOn(folder, [answered], { commit });
    await operate(runtime);
    expect(appendedTypes()).toEqual(expected);
    const { grouped, together } = checkpoints['calls/v1'];
    const lawful = [...grouped, ...together].map((group) => group.join());
    for (const group of groups) expect(group.length === 1 || (commit === 'grouped' && lawful.includes(group.join()))).toBe(true);
    runtime.close();
  });
});

describe('the stamp', () => {
  test('is on what a recovery appends by itself, and on nothing of the straight path after it', async () => {
    const { folder } = await diedAfter('attempt.observed', notSent);
    const { runtime, appended } = goOn(folder);
    await runtime.startNextAttempt('call-6');
    const stamped = appended().filter(({ payload }) => 'recovery' in payload);
    expect(stamped.map(({ type }) => type)).toEqual(['attempt.retry_decided', 'attempt.completed', 'attempt.started']);
    for (const { payload } of stamped)
      expect(payload).toMatchObject({ recovery: { operation: 'start_next_attempt', pid: process.pid, version: runtimeVersion } });
    runtime.close();
  });
});

describe('reinterpret', () => {
  const parts = {
    choices: [
      {
        finish_reason: 'stop',
        message: {
          content: [
            { type: 'text', text: 'It is' },
            { type: 'text', text: ' fine.' },
          ],
        },
      },
    ],
  };
  const inParts: Delivery = { delivery: 'complete', status: 200, contentType: null, bytes: Buffer.from(JSON.stringify(parts)) };

  test('by another version reads again what one could not, keeps both readings, and the last counts', async () => {
    const { folder } = await diedAfter('attempt.interpreted', inParts);
    const { runtime, sent, appendedTypes } = goOn(folder);
    expect(runtime.workState('task-1').calls[0]?.attempts[0]?.result).toBe('uninterpretable');
    const again = (interpreterVersion?: number) => () =>
      runtime.reinterpret('call-6', interpreterVersion === undefined ? {} : { interpreterVersion });
    expect(again()).toThrow(expect.objectContaining({ hazard: 'unneeded', operation: 'redecide' }));
    expect(again(9)).toThrow(expect.objectContaining({ code: 'input-invalid' }));
    expect(again(2)()).toEqual({ result: 'answer', text: 'It is fine.', detail: null });
    expect(again(2)).toThrow(RecoveryRefused);
    expect(await runtime.recover()).toMatchObject({
      operations: ['redecide', 'finalize'],
      next: 'check_and_accept',
      outcome: { outcome: 'succeeded', text: 'It is fine.' },
    });
    expect(appendedTypes()[0]).toBe('attempt.interpreted');
    expect(sent).toEqual([]);
    runtime.close();
  });

  test('gives the same verdict as before over bytes that are no answer, without a request', async () => {
    const { folder } = await diedAfter('attempt.observed', {
      ...inParts,
      bytes: Buffer.from('{"error":{"message":"overloaded"}}'),
    } as Delivery);
    const { runtime, sent } = goOn(folder);
    expect(runtime.reinterpret('call-6')).toEqual({ result: 'provider_error', text: null, detail: 'overloaded' });
    expect(await runtime.recover()).toMatchObject({
      next: 'none',
      outcome: { outcome: 'failed', error: 'provider_error: overloaded' },
    });
    expect(sent).toEqual([]);
    runtime.close();
  });
});

describe('the next attempt', () => {
  test('is not started where the recorded policy says stop, whatever that of today says', async () => {
    const { folder } = await diedAfter('attempt.observed', notSent, { retry: { max_attempts: 1, retry_not_sent: true } });
    const { runtime, sent, appendedTypes } = goOn(folder);
    expect(await runtime.startNextAttempt('call-6')).toEqual({ stopped: 'attempts_exhausted' });
    expect(appendedTypes()).toEqual(['attempt.retry_decided']);
    expect(await runtime.recover()).toMatchObject({
      operations: ['finalize'],
      outcome: { outcome: 'failed', error: 'not_sent' },
    });
    expect(sent).toEqual([]);
    runtime.close();
  });

  test('sends the recorded bytes, and refuses settings that would send others', async () => {
    const { folder } = await diedAfter('attempt.retry_decided', status(503));
    const other = goOn(folder, [answered], settings({ model: 'synthetic-2' }));
    await expect(other.runtime.startNextAttempt('call-6')).rejects.toMatchObject({
      code: 'recovery-refused',
      on: 'call-6',
      operation: 'start_next_attempt',
      hazard: null,
      drift: ['request_body'],
    });
    expect([other.appendedTypes(), other.sent]).toEqual([[], []]);
    expect(await other.runtime.startNextAttempt('call-6', { settings: 'recorded' })).toMatchObject({ outcome: 'succeeded' });
    expect(other.sent[0]?.body.toString()).toContain('"model":"synthetic-1"');
    other.runtime.close();
  });

  test('is not started while another call under the key was answered, or may have been', async () => {
    for (const [delivery, hazard] of [
      [answered, 'unneeded'],
      [broken, 'unsafe'],
    ] as const) {
      const { folder } = await diedAfter('attempt.retry_decided', status(503));
      const { runtime, sent } = goOn(folder, [delivery]);
      const wanted = {
        taskId: 'task-1',
        compilationId: 'compilation-4',
        idempotencyKey: 'key-16',
        instruction: 'Review the paragraph.',
      };
      await runtime.call(wanted).catch(() => undefined);
      await expect(runtime.startNextAttempt('call-6')).rejects.toMatchObject({ operation: 'start_next_attempt', hazard });
      expect(sent).toHaveLength(1);
      runtime.close();
    }
  });
});

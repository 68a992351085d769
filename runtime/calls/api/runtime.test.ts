import { describe, expect, test } from 'vitest';
import { answered, broken, items, newFolder, notSent, open, prepare, scripted, status, types } from '../testing/folder.js';
import type { RuntimeOptions } from './options.js';

const withCode = (code: string) => expect.objectContaining({ code });
const retry = { max_attempts: 2, retry_statuses: [503], retry_not_sent: true };
const provider = { url: 'http://127.0.0.1:9/p', model: 'synthetic-1', system: 'You review.' };

const intent = ['call.requested', 'call.manifest', 'attempt.started'];
const success = [
  'attempt.observed',
  'attempt.interpreted',
  'attempt.retry_decided',
  'attempt.completed',
  'result.recorded',
  'call.completed',
];
const errorOutcome = ['attempt.observed', 'attempt.interpreted', 'attempt.retry_decided', 'attempt.completed'];

/** One call with the given deliveries: the events after the compilation, and how it ended. */
async function afterCall(deliveries: Parameters<typeof scripted>, options: Partial<RuntimeOptions> = {}) {
  const { sent, transport } = scripted(...deliveries);
  const groups: string[][] = [];
  const runtime = open(newFolder(), {
    transport,
    onCommitted: (events) => void groups.push(events.map(({ type }) => type)),
    ...options,
  });
  const wanted = prepare(runtime);
  const ended = await runtime.call(wanted).catch((error: unknown) => error);
  return { runtime, wanted, sent, ended, groups, events: types(runtime).slice(5) };
}

describe('the order of events', () => {
  test.each<[string, Parameters<typeof scripted>, string[]]>([
    ['success', [answered], [...intent, ...success]],
    ['an error that is retried', [status(503), answered], [...intent, ...errorOutcome, 'attempt.started', ...success]],
    ['an error that is not', [status(500)], [...intent, ...errorOutcome, 'call.completed']],
    [
      'an error until the attempts are used up',
      [status(503)],
      [...intent, ...errorOutcome, 'attempt.started', ...errorOutcome, 'call.completed'],
    ],
    [
      'not sent, then answered',
      [notSent, answered],
      [...intent, 'attempt.observed', 'attempt.retry_decided', 'attempt.completed', 'attempt.started', ...success],
    ],
    ['broken', [broken], [...intent, 'attempt.observed']],
  ])('%s', async (_name, deliveries, expected) => {
    const each = await afterCall(deliveries, { retry, commit: 'each' });
    const grouped = await afterCall(deliveries, { retry, commit: 'grouped' });
    expect(each.events).toEqual(expected);
    expect(grouped.events).toEqual(expected);
    const told = (run: typeof each) => run.runtime.events().map(({ digest: _d, recorded_at: _at, ...event }) => event);
    expect(told(grouped)).toEqual(told(each));
    expect(grouped.runtime.workState('task-1')).toEqual(each.runtime.workState('task-1'));
    expect(each.groups.every((group) => group.length === 1)).toBe(true);
  });

  test('grouped: a completed call is two commits, each one group of the intent and of the outcome', async () => {
    const { groups } = await afterCall([answered]);
    expect(groups.slice(4)).toEqual([intent, success]);
    expect(groups[3]).toEqual(['context.compilation_requested', 'context.compiled']);
  });

  test('grouped: a retry joins the outcome of the old attempt with the start of the next', async () => {
    const { groups } = await afterCall([status(503), answered], { retry });
    expect(groups.slice(4)).toEqual([intent, [...errorOutcome, 'attempt.started'], success]);
  });
});

describe('output commit', () => {
  test('when the request leaves, its intent is committed and heard of', async () => {
    for (const commit of ['each', 'grouped'] as const) {
      const heard: string[] = [];
      let before: string[] = [];
      const transport = () => ((before = [...heard]), Promise.resolve(answered));
      const runtime = open(newFolder(), {
        commit,
        transport,
        onCommitted: (events) => void heard.push(...events.map(({ type }) => type)),
      });
      await runtime.call(prepare(runtime));
      expect(before).toHaveLength(8);
      expect(before.at(-1)).toBe('attempt.started');
      runtime.close();
    }
  });

  test('the response bytes are stored with the observation', async () => {
    const { runtime } = await afterCall([status(500)]);
    const observed = runtime.events().find((event) => event.type === 'attempt.observed');
    if (observed?.type !== 'attempt.observed') throw new Error('nothing was observed');
    expect(runtime.artifact(observed.payload.response_sha256 ?? '')?.toString()).toBe('no');
  });
});

describe('broken deliveries', () => {
  test('reject as an unknown effect, send nothing again and leave the call open', async () => {
    const { ended, sent, runtime } = await afterCall([broken, answered], {
      retry: { ...retry, retry_broken_if_key_honoured: true },
    });
    expect(ended).toMatchObject({ code: 'effect-unknown', callId: 'call-6', attemptId: 'attempt-8' });
    expect(sent).toHaveLength(1);
    expect(runtime.workState('task-1').task).toMatchObject({ next_operation: 'reconcile_effect', on: 'call-6' });
  });

  test('are retried where the provider honours the key and the policy says so', async () => {
    const options = { retry: { ...retry, retry_broken_if_key_honoured: true }, provider: { ...provider, honoursKey: true } };
    const { events, ended, sent } = await afterCall([broken, answered], options);
    expect(events).toEqual([...intent, 'attempt.observed', 'attempt.retry_decided', 'attempt.started', ...success]);
    expect(ended).toMatchObject({ outcome: 'succeeded', attempts: 2 });
    expect(new Set(sent.map((request) => request.idempotencyKey))).toEqual(new Set(['key-16']));
  });

  test('keep the call open when the retry was proved unsent', async () => {
    const options = { retry: { ...retry, retry_broken_if_key_honoured: true }, provider: { ...provider, honoursKey: true } };
    const { events, ended } = await afterCall([broken, notSent], options);
    expect(ended).toMatchObject({ code: 'effect-unknown' });
    expect(events).not.toContain('call.completed');
  });

  test('a transport that throws has proved nothing', async () => {
    const { ended, events } = await afterCall([], { transport: () => Promise.reject(new Error('boom')) });
    expect(ended).toMatchObject({ code: 'effect-unknown' });
    expect(events.at(-1)).toBe('attempt.observed');
  });
});

describe('keys', () => {
  test('a completed call is answered from the ledger: no request, no event', async () => {
    const { runtime, wanted, sent, ended } = await afterCall([answered]);
    const again = await runtime.call(wanted);
    expect(again).toEqual({ ...(ended as object), replayed: true });
    expect(again.text).toBe('It is fine.');
    expect(sent).toHaveLength(1);
    expect(types(runtime)).toHaveLength(14);
  });

  test('two calls at once under one key are one request', async () => {
    const { sent, transport } = scripted(answered);
    const runtime = open(newFolder(), { transport });
    const wanted = prepare(runtime);
    const [first, second] = await Promise.all([runtime.call(wanted), runtime.call(wanted)]);
    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(sent).toHaveLength(1);
  });

  test('the same key with another body is refused, and nothing is appended', async () => {
    for (const deliveries of [[answered], [broken]] as const) {
      const { runtime, wanted, sent } = await afterCall([...deliveries]);
      const before = types(runtime).length;
      await expect(runtime.call({ ...wanted, instruction: 'Something else.' })).rejects.toThrow(withCode('key-conflict'));
      expect(types(runtime)).toHaveLength(before);
      expect(sent).toHaveLength(1);
    }
  });

  test('an unfinished call is not replayed: asking again sends again, and the record shows both', async () => {
    const { runtime, wanted, sent } = await afterCall([broken, answered]);
    await expect(runtime.call(wanted)).resolves.toMatchObject({ replayed: false });
    expect(sent.map((request) => request.body.toString())).toEqual([sent[0]?.body.toString(), sent[0]?.body.toString()]);
    expect(runtime.workState('task-1').calls.map((call) => call.stage)).toEqual(['effect_unknown', 'completed']);
  });

  test('a key that no header can carry is refused before anything is recorded', async () => {
    const { runtime, wanted } = await afterCall([answered]);
    for (const idempotencyKey of ['', ' k', 'k\n', 'é', 'k'.repeat(256)])
      await expect(runtime.call({ ...wanted, idempotencyKey })).rejects.toThrow(withCode('input-invalid'));
    expect(types(runtime)).toHaveLength(14);
  });
});

describe('recorded failures', () => {
  test('a compilation that misses required items, with its inventory and the missing ids', () => {
    const runtime = open(newFolder());
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => runtime.compile('task-1', { items, requiredIds: ['A', 'B', 'never-offered'] })).toThrow(
      expect.objectContaining({ code: 'compilation-failed', reason: 'RequiredContextMissing', missingIds: ['never-offered'] }),
    );
    const [compilation] = runtime.workState('task-1').compilations;
    expect(compilation).toMatchObject({
      stage: 'failed',
      next_operation: 'fix_inputs',
      missing_ids: ['never-offered'],
      error: 'RequiredContextMissing',
    });
    expect(compilation?.offered.map(({ id, required, size }) => [id, required, size.tokens])).toEqual([
      ['A', true, 12],
      ['B', true, 0],
      ['D', false, 0],
    ]);
  });

  test('a request that is too large, and a compilation that cannot be used', async () => {
    const { events, ended, sent } = await afterCall([answered], { maxRequestBytes: 64 });
    expect(events).toEqual(['call.requested', 'call.preparation_failed']);
    expect(ended).toMatchObject({ code: 'preparation-failed', reason: 'RequestTooLarge', callId: 'call-6' });
    expect(sent).toHaveLength(0);
    const runtime = open(newFolder());
    runtime.createTask({ taskId: 'task-1', title: 'T' });
    expect(() => runtime.compile('task-1', { items, requiredIds: ['x'] })).toThrow();
    const wanted = { taskId: 'task-1', compilationId: 'compilation-2', idempotencyKey: 'k', instruction: 'I' };
    await expect(runtime.call(wanted)).rejects.toMatchObject({ reason: 'CompilationNotUsable' });
    expect(runtime.workState('task-1').task).toMatchObject({ next_operation: 'fix_inputs', on: 'call-4' });
  });
});

describe('judging a task', () => {
  test('accepts the last result and then takes nothing more, but still answers a completed key', async () => {
    const { runtime, wanted } = await afterCall([answered]);
    expect(runtime.workState('task-1').task).toMatchObject({ next_operation: 'check_and_accept', on: 'call-6' });
    runtime.accept('task-1', { by: 'a person' });
    expect(runtime.events().at(-1)).toMatchObject({ type: 'task.accepted', payload: { result_id: 'result-13' } });
    expect(runtime.workState('task-1').task).toMatchObject({ stage: 'accepted', next_operation: 'none' });
    expect(() => runtime.reject('task-1', { by: 'another' })).toThrow(withCode('task-ended'));
    await expect(runtime.call({ ...wanted, idempotencyKey: 'new' })).rejects.toThrow(withCode('task-ended'));
    await expect(runtime.call(wanted)).resolves.toMatchObject({ replayed: true });
  });

  test('without a result there is nothing to accept, but it can be rejected', () => {
    const runtime = open(newFolder());
    prepare(runtime);
    expect(() => runtime.accept('task-1', { by: 'p' })).toThrow(withCode('result-unknown'));
    runtime.reject('task-1', { by: 'p', note: 'not worth it' });
    expect(runtime.tasks()).toEqual([{ taskId: 'task-1', title: 'Review', stage: 'rejected', nextOperation: 'none' }]);
  });
});

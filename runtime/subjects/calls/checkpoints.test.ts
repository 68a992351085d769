/** Every type that the runtime can commit is a listed place, in the contract and in the subject; a new type fails here first. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkpoints } from '../../contract/data.js';
import { eventTypes } from '../../calls/core/events.js';
import { answered, broken, newFolder, open, prepare, scripted, status } from '../../calls/testing/folder.js';
import { asScenario } from './scenario.js';
import { review } from '../../testing/roles.js';

const { committed, read, any } = checkpoints['calls/v1'];
const sorted = (names: readonly string[]): string[] => [...names].toSorted();
const here = new URL('.', import.meta.url);

test('the types of the code, the schemas, the checkpoints and the subject are the same', () => {
  const schemas = readdirSync(new URL('../../../evidence/schema/events', here)).map((file) => file.replace('.schema.json', ''));
  const subject = JSON.parse(readFileSync(new URL('subject.json', here), 'utf8')) as { checkpoints: string[] };
  expect(sorted(eventTypes)).toEqual(sorted(committed));
  expect(sorted(schemas)).toEqual(sorted(committed));
  expect(sorted(subject.checkpoints)).toEqual(sorted([...committed, ...read, ...any]));
});

test('driven through everything it can do, the runtime commits every listed type and no other', async () => {
  const seen = new Set<string>();
  const folder = newFolder();
  const retry = { max_attempts: 2, retry_statuses: [503], retry_not_sent: true };
  const options = { retry, onCommitted: (events: readonly { type: string }[]) => events.forEach(({ type }) => seen.add(type)) };
  const runtime = open(folder, { ...options, transport: scripted(status(503), answered).transport });
  const wanted = prepare(runtime);
  await runtime.call(wanted);
  runtime.accept(wanted.taskId, { by: 'test' });
  runtime.createTask({ taskId: 'task-2', title: 'T' });
  expect(() => runtime.compile('task-2', { items: [], requiredIds: ['x'] })).toThrow();
  const { compilationId } = runtime.compile('task-2', { items: [], requiredIds: [] });
  runtime.close();

  const small = open(folder, { ...options, maxRequestBytes: 1 });
  const second = { taskId: 'task-2', compilationId, idempotencyKey: 'k2', instruction: 'I' };
  await expect(small.call(second)).rejects.toMatchObject({ code: 'preparation-failed' });
  small.close();
  const stopping = open(folder, {
    ...options,
    commit: 'each',
    onCommitted: ([event]) => {
      if (event?.type === 'call.manifest') throw new Error('stop');
    },
  });
  await expect(stopping.call({ ...second, idempotencyKey: 'k3' })).rejects.toThrow('stop');
  stopping.close();
  const resuming = open(folder, options);
  const open3 = resuming.workState('task-2').calls.find((call) => call.idempotency_key === 'k3');
  await resuming.resumeCall(open3?.call_id ?? '');
  resuming.reject('task-2', { by: 'test' });
  resuming.close();

  const third = open(folder, { ...options, transport: scripted(broken).transport });
  third.createTask({ taskId: 'task-3', title: 'T' });
  const { compilationId: empty } = third.compile('task-3', { items: [], requiredIds: [] });
  const unknown = { taskId: 'task-3', compilationId: empty, idempotencyKey: 'k4', instruction: 'I' };
  await expect(third.call(unknown)).rejects.toMatchObject({ code: 'effect-unknown' });
  const { call_id: callId = '' } = third.workState('task-3').calls[0] ?? {};
  await third.reconcile(callId, { statement: { by: 'test', finding: 'unknown', note: '' } });
  third.acceptDuplicate(callId, { by: 'test', note: '' });
  third.close();
  expect(sorted([...seen])).toEqual(sorted(committed));
});

test('a scenario’s mistakes are all told at once, with their pointers', () => {
  expect(asScenario(review)).toBe(review);
  const { dial: _dial, ...withoutDial } = review;
  const wrong = { ...withoutDial, commit: 'sometimes', context: { ...review.context, items: [{ id: 1 }], surprise: true } };
  for (const told of [
    '/commit is none of each, grouped',
    '/dial is missing',
    '/context/items/0/id is not an id',
    '/context/surprise is not known',
  ])
    expect(() => asScenario(wrong)).toThrow(told);
});

import { existsSync, cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answered, newFolder, open, prepare, scripted, types } from '../testing/folder.js';
import { startProvider } from '../../testing/provider.js';
import { httpTransport } from '../wire/chat-completions.js';
import type { Delivery } from '../wire/transport.js';

const withCode = (code: string) => expect.objectContaining({ code });

/** A transport that answers when it is told to. */
function waiting() {
  let answer = (_delivery: Delivery): void => undefined;
  const sent = { count: 0 };
  const transport = () => {
    sent.count += 1;
    return new Promise<Delivery>((resolve) => (answer = resolve));
  };
  return { sent, transport, answer: (delivery: Delivery) => answer(delivery) };
}

describe('a closed runtime', () => {
  test('does nothing more, and leaves the folder to the next one', async () => {
    const directory = newFolder();
    const runtime = open(directory);
    const wanted = prepare(runtime);
    runtime.close();
    expect(() => runtime.createTask({ taskId: 'late', title: 'Late' })).toThrow(withCode('closed'));
    expect(() => runtime.accept('task-1', { by: 'x' })).toThrow(withCode('closed'));
    expect(() => runtime.artifact('0')).toThrow(withCode('closed'));
    await expect(runtime.call(wanted)).rejects.toEqual(withCode('closed'));
    const next = open(directory);
    next.createTask({ taskId: 'next', title: 'Next' });
    next.close();
  });

  test.each(['each', 'grouped'] as const)('leaves the effect of a call under way unknown (%s)', async (commit) => {
    const directory = newFolder();
    const { transport, answer } = waiting();
    const runtime = open(directory, { transport, commit });
    const called = runtime.call(prepare(runtime));
    runtime.close();
    answer(answered);
    await expect(called).rejects.toMatchObject({ code: 'effect-unknown', callId: 'call-6', cause: { code: 'closed' } });
    const next = open(directory);
    expect(next.workState('task-1').calls[0]?.stage).toBe('effect_unknown');
    next.createTask({ taskId: 'next', title: 'Next' });
    next.close();
  });

  test('does not keep the process: the request under way is ended', async () => {
    const provider = await startProvider(() => undefined);
    const { url } = provider;
    const runtime = open(newFolder(), { transport: httpTransport, provider: { url, model: 'synthetic-1' } });
    const called = runtime.call(prepare(runtime));
    while (provider.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    runtime.close();
    await expect(called).rejects.toEqual(withCode('effect-unknown'));
    await provider.close();
  });
});

describe('a call under way', () => {
  test('keeps its task from being ended', async () => {
    const { transport, answer } = waiting();
    const runtime = open(newFolder(), { transport });
    const called = runtime.call(prepare(runtime));
    expect(() => runtime.reject('task-1', { by: 'x' })).toThrow(withCode('call-under-way'));
    answer(answered);
    await called;
    runtime.accept('task-1', { by: 'x' });
    expect(types(runtime).slice(-2)).toEqual(['call.completed', 'task.accepted']);
  });

  test('has no second one under its key beside it, resumed or new', async () => {
    const directory = newFolder();
    const dying = open(directory, {
      commit: 'each',
      onCommitted: ([event]) => {
        if (event?.type === 'call.manifest') throw new Error('dies');
      },
    });
    const wanted = prepare(dying);
    await expect(dying.call(wanted)).rejects.toThrow('dies');
    dying.close();
    const { sent, transport, answer } = waiting();
    const runtime = open(directory, { transport });
    const both = [runtime.resumeCall('call-6'), runtime.call(wanted)];
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(sent.count).toBe(1);
    answer(answered);
    expect((await Promise.all(both)).map(({ replayed }) => replayed)).toEqual([false, true]);
    expect(sent.count).toBe(1);
  });
});

test('what cannot be recorded of a response leaves its effect unknown, and is not an error that reads "try again"', async () => {
  const directory = newFolder();
  const { transport, answer } = waiting();
  const runtime = open(directory, { transport });
  const called = runtime.call(prepare(runtime));
  rmSync(join(directory, 'lease.sqlite'));
  const usurper = open(directory);
  usurper.createTask({ taskId: 'other', title: 'Other' });
  answer(answered);
  await expect(called).rejects.toMatchObject({ code: 'effect-unknown', cause: { code: 'overtaken' } });
});

describe('a late owner', () => {
  test.each<[string, (directory: string) => void]>([
    [
      'moved and replaced by a copy',
      (directory) => (renameSync(directory, `${directory}-old`), cpSync(`${directory}-old`, directory, { recursive: true })),
    ],
    ['moved', (directory) => renameSync(directory, `${directory}-old`)],
    ['deleted', (directory) => rmSync(directory, { recursive: true })],
    ['robbed of its log', (directory) => rmSync(join(directory, 'ledger.sqlite-wal'))],
  ])('cannot append, and so cannot send, once its folder was %s', async (_name, defeat) => {
    const directory = newFolder();
    const { sent, transport } = scripted(answered);
    const runtime = open(directory, { transport });
    const wanted = prepare(runtime);
    defeat(directory);
    await expect(runtime.call(wanted)).rejects.toEqual(withCode('overtaken'));
    expect(sent).toEqual([]);
    expect(existsSync(join(directory, 'lease.sqlite-journal'))).toBe(false);
  });
});

describe('a listener of commits', () => {
  test('may read, but not act: ids are numbered before a commit', async () => {
    const refused: unknown[] = [];
    const runtime = open(newFolder(), {
      commit: 'each',
      onCommitted: ([event]) => {
        if (event?.type !== 'call.requested') return;
        try {
          runtime.createTask({ taskId: 'within', title: 'Within' });
        } catch (error) {
          refused.push(error);
        }
      },
    });
    await runtime.call(prepare(runtime));
    expect(refused).toEqual([withCode('input-invalid')]);
    const started = runtime.events().find(({ type }) => type === 'attempt.started');
    expect(started?.attempt_id).toBe(`attempt-${started?.seq}`);
  });
});

test('a projection of another ledger does not lead to a second request', async () => {
  const folders = [newFolder(), newFolder()] as const;
  const dieAt = async (directory: string, place: string): Promise<void> => {
    const dying = open(directory, {
      commit: 'each',
      onCommitted: ([event]) => {
        if (event?.type === place) throw new Error('dies');
      },
    });
    await expect(dying.call(prepare(dying))).rejects.toThrow('dies');
    dying.close();
  };
  await dieAt(folders[0], 'call.manifest');
  await dieAt(folders[1], 'attempt.started');
  const [other, { sent, transport }] = [open(folders[0]), scripted(answered)];
  const runtime = open(folders[1], { transport });
  const workState = { ...other.workState('task-1'), last_seq: 8 };
  await expect(runtime.resumeCall('call-6', { workState })).rejects.toMatchObject({ code: 'resume-refused', hazard: 'unsafe' });
  expect(sent).toEqual([]);
});

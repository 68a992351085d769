/** Several processes and one session: one acts, the others are told so, whoever is first and however long it takes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSessionReader } from '../api/reader.js';
import { runChild, startChild, type Job, type Running } from '../testing/child.js';
import { bytesOf, config, copyState, httpTool, newFolder, payloads, signal } from '../testing/session.js';
import { startStrictProvider, type StrictProvider } from '../testing/strict-provider.js';

const tools = [httpTool('charge', { timeoutMs: 60_000 }), httpTool('pay', { approval: 'required' })];
const gate: { hold?: (key: string) => Promise<string> } = {};
const provider: { now?: StrictProvider } = {};

beforeAll(async () => {
  provider.now = await startStrictProvider({
    model: (conversation, turn) => {
      const wanted = conversation.find(({ role }) => role === 'user')?.content ?? '';
      return turn === 0 ? { calls: [{ id: 'c0', name: wanted }] } : { text: 'Done.' };
    },
    effect: async (name, _body, key) => (await gate.hold?.(key)) ?? name,
  });
});
afterAll(async () => {
  await provider.now?.close();
});

let sessions = 0;
function produce(text: string, killAtCommit?: number): Job {
  return {
    folder: newFolder(),
    options: { create: true, sessionId: `s-${(sessions += 1)}`, providerUrl: provider.now!.url, config: { ...config, tools } },
    acts: [{ send: { runId: 'run-a', text } }],
    ...(killAtCommit !== undefined && { killAtCommit }),
  };
}

const other = (folder: string, acts: Job['acts']): Job => ({ folder, options: { providerUrl: provider.now!.url }, acts });
const toolRequests = (from: number) => provider.now!.received.slice(from).filter(({ path }) => path.startsWith('/effects/'));

/** Starts them, and lets them go together once all stand at the door. */
async function race(jobs: Job[]): Promise<Running[]> {
  const running = await Promise.all(jobs.map((job) => startChild({ ...job, waitForGo: true })));
  await Promise.all(running.map(({ says }) => says(({ ready }) => ready === true)));
  for (const { child } of running) child.stdin?.write('g');
  return running;
}

test('a tool that takes its time is not run again by a second process, while its owner lives', async () => {
  const arrived = signal();
  const go = signal<string>();
  gate.hold = () => {
    arrived.settle();
    return go.promise;
  };
  const from = provider.now!.received.length;
  const owner = await startChild(produce('charge'));
  await arrived.promise;
  const { folder } = JSON.parse(owner.child.spawnargs.at(-1) ?? '') as Job;
  const bytes = bytesOf(folder);
  for (const acts of [
    [{ resume: true as const }],
    [{ send: { runId: 'run-b', text: 'charge' } }],
    [{ cancel: { at: 'now' as const } }],
  ]) {
    const { said } = await runChild(other(folder, acts));
    expect(said).toMatchObject([{ error: 'owner-alive' }]);
  }
  expect(bytesOf(folder)).toEqual(bytes);
  go.settle('charged');
  delete gate.hold;
  expect((await owner.ended).said.at(0)).toMatchObject({ end: { reason: 'completed' } });
  expect(toolRequests(from)).toHaveLength(1);
});

test('a stopped owner is an owner', async () => {
  const arrived = signal();
  const go = signal<string>();
  gate.hold = () => {
    arrived.settle();
    return go.promise;
  };
  const owner = await startChild(produce('charge'));
  await arrived.promise;
  const { folder } = JSON.parse(owner.child.spawnargs.at(-1) ?? '') as Job;
  owner.child.kill('SIGSTOP');
  const { said } = await runChild(other(folder, [{ resume: true }]));
  expect(said).toMatchObject([{ error: 'owner-alive' }]);
  owner.child.kill('SIGCONT');
  go.settle('charged');
  delete gate.hold;
  expect((await owner.ended).said.at(0)).toMatchObject({ end: { reason: 'completed' } });
});

describe('eight that resume at once', () => {
  test.each([1, 2, 3])('act as one: one request, one result, a gapless log (round %i)', async () => {
    const job = produce('charge', 1);
    expect((await runChild(job)).signal).toBe('SIGKILL');
    const from = provider.now!.received.length;
    const go = signal<string>();
    gate.hold = () => go.promise;
    const running = await race(Array.from({ length: 8 }, () => other(job.folder, [{ resume: true }])));
    // The winner waits for its tool until the seven others have ended: none of them can come after it.
    const ends: Running[] = [];
    await new Promise<void>((resolve) => {
      for (const one of running)
        void one.ended.then(() => {
          if (ends.push(one) === 7) resolve();
        });
    });
    go.settle('charged');
    delete gate.hold;
    const all = await Promise.all(running.map(({ ended }) => ended));
    const acted = all.filter(({ said }) => said.some(({ end }) => end !== undefined));
    expect(acted).toHaveLength(1);
    expect(acted[0]?.said.find(({ end }) => end !== undefined)).toMatchObject({ end: { reason: 'completed' } });
    expect(all.flatMap(({ said }) => said).filter(({ error }) => error === 'owner-alive')).toHaveLength(7);
    expect(toolRequests(from)).toHaveLength(1);
    expect(
      openSessionReader(job.folder)
        .frames()
        .map(({ seq }) => seq),
    ).toEqual(
      openSessionReader(job.folder)
        .frames()
        .map((_frame, at) => at + 1),
    );
    expect(payloads(job.folder, 'resume_started')).toHaveLength(1);
  });

  test('with different answers to one question record one answer', async () => {
    const job = produce('pay');
    expect((await runChild(job)).said.at(0)).toMatchObject({ end: { status: 'paused' } });
    const answers = (['approved', 'denied'] as const).map((decision) =>
      other(job.folder, [{ approve: { toolCallId: 'c0', decision, by: decision } }]),
    );
    const running = await race(answers);
    const said = (await Promise.all(running.map(({ ended }) => ended))).map(({ said: all }) =>
      all.filter((one) => one['ready'] !== true),
    );
    const resolved = payloads(job.folder, 'approval_resolved');
    expect(resolved).toHaveLength(1);
    const lost = said.flat().filter(({ error }) => error !== undefined);
    expect(lost).toHaveLength(1);
    expect(['owner-alive', 'session-refused']).toContain(lost[0]?.['error']);
  });
});

describe('an approval and a kill', () => {
  /** Barriers of the process that answers and goes on: the answer, the intents, the result. */
  test.each([
    [1, 'after the answer, before the intent', 1],
    [2, 'after the intent', 0],
    [3, 'after the result', 0],
  ])('at its barrier %i (%s): spent once', async (killAtCommit, _what, sentLater) => {
    const job = produce('pay');
    await runChild(job);
    const from = provider.now!.received.length;
    const answering = {
      ...other(job.folder, [{ approve: { toolCallId: 'c0', decision: 'approved', by: 'Ada' } }, { resume: true }]),
      killAtCommit,
    };
    expect((await runChild(answering)).signal).toBe('SIGKILL');
    const before = toolRequests(from).length;
    const copy = copyState(job.folder);
    for (let round = 0; round < 3; round += 1) {
      await runChild(other(copy, [{ resume: true }]));
    }
    expect(toolRequests(from).length - before).toBe(sentLater);
    expect(payloads(copy, 'approval_requested')).toHaveLength(1);
    expect(payloads(copy, 'approval_resolved')).toHaveLength(1);
    expect(payloads(copy, 'tool_dispatch_intent')).toMatchObject([{ arguments: '{}' }]);
    const outcome = killAtCommit === 2 ? 'unknown' : 'completed';
    expect(payloads(copy, 'tool_result')).toMatchObject([{ outcome }]);
    expect(openSessionReader(copy).state()).toMatchObject({
      next_operation: 'none',
      runs: [{ reason: killAtCommit === 2 ? 'interrupted' : 'completed' }],
    });
  });

  test('before the answer: the question stands, and is not asked again', async () => {
    const job = produce('pay', 3);
    expect((await runChild(job)).signal).toBe('SIGKILL');
    const { said } = await runChild(other(job.folder, [{ resume: true }, { resume: true }]));
    expect(said.slice(0, 2)).toMatchObject([{ end: { status: 'paused' } }, { end: { status: 'paused' } }]);
    expect(payloads(job.folder, 'approval_requested')).toHaveLength(1);
  });
});

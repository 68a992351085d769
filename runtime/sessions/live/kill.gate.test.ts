/**
 * Real SIGKILLs of a process that owns a session: at each of its barriers, while a tool works, and in the recovery from each of them.
 *
 * One provider serves all processes of a case and counts requests by key: what may have left once must not leave again.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSession } from '../api/session.js';
import { openSessionReader } from '../api/reader.js';
import { sessionLogV1 } from '../../contract/data.js';
import { runChild, startChild, type Job } from '../testing/child.js';
import { bytesOf, config, copyState, httpTool, newFolder, payloads, types } from '../testing/session.js';
import { hang, type NoAnswer, startStrictProvider, type Message, type StrictProvider } from '../testing/strict-provider.js';

const tools = [httpTool('charge')];
const calls = [0, 1, 2].map((at) => ({ id: `c${at}`, name: 'charge' }));
/** Where the effects of a key wait, for a test that holds them. */
const held: { arrived?: (key: string) => Promise<string | NoAnswer> | undefined } = {};
const provider: { now?: StrictProvider } = {};

beforeAll(async () => {
  provider.now = await startStrictProvider({
    model: (conversation: Message[], turn) =>
      turn === 0 ? { text: 'Three.', calls } : { text: conversation.at(-1)?.role === 'user' ? 'Yes.' : 'Done.' },
    effect: async (name, _body, key) => (await held.arrived?.(key)) ?? `${name} ${key}`,
  });
});
afterAll(async () => {
  await provider.now?.close();
});

type Batch = 'sequential' | 'parallel';
let sessions = 0;

function produce(batch: Batch, killAtCommit?: number): Job & { sessionId: string } {
  const sessionId = `s-${(sessions += 1)}`;
  return {
    sessionId,
    folder: newFolder(),
    options: { create: true, sessionId, providerUrl: provider.now!.url, config: { ...config, tools, batch } },
    acts: [{ send: { runId: 'run-a', text: 'Three.' } }],
    ...(killAtCommit !== undefined && { killAtCommit }),
  };
}

const resumeJob = (folder: string, killAtCommit?: number): Job => ({
  folder,
  options: { providerUrl: provider.now!.url },
  acts: [{ resume: true }],
  ...(killAtCommit !== undefined && { killAtCommit }),
});

const requestsOf = (sessionId: string) => provider.now!.received.filter(({ key }) => key.startsWith(`${sessionId}/`));
const isLost = (folder: string): boolean => {
  const ended = new Set(payloads(folder, 'tool_result').map(({ tool_call_id: id }) => id));
  return payloads(folder, 'tool_dispatch_intent').some(({ tool_call_id: id }) => !ended.has(id));
};

/** Resumes here, twice, and says something: each key was asked for once, each call has one result, and the provider took every request. */
async function expectWhole(folder: string, sessionId: string, where: string): Promise<void> {
  const lost = isLost(folder);
  const isOver = types(folder).includes('run_finished');
  const session = openSession(folder, { providerUrl: provider.now!.url });
  const before = requestsOf(sessionId).length;
  const end = await session.recover();
  if (!isOver && lost) {
    expect(end, where).toMatchObject({ reason: 'interrupted' });
    expect(requestsOf(sessionId), where).toHaveLength(before);
  }
  const bytes = bytesOf(folder);
  expect(await session.recover(), where).toEqual({ status: 'idle' });
  expect(bytesOf(folder), where).toEqual(bytes);
  expect(await session.send({ runId: 'run-b', text: 'Well?' }), where).toMatchObject({ text: 'Yes.' });
  session.close();
  expectOnce(folder, sessionId, where);
}

function expectOnce(folder: string, sessionId: string, where: string): void {
  const requests = requestsOf(sessionId);
  const keys = requests.filter(({ path }) => path.startsWith('/effects/')).map(({ key }) => key);
  expect(new Set(keys).size, where).toBe(keys.length);
  const results = payloads(folder, 'tool_result').filter(({ run_id: id }) => id === 'run-a');
  expect(results.map(({ tool_call_id: id }) => id).toSorted(), where).toEqual(['c0', 'c1', 'c2']);
  for (const { tool_call_id: id, outcome, output } of results) {
    const key = keys.find((found) => found.endsWith(`/${String(id)}`));
    if (outcome === 'completed') expect(output, where).toBe(`charge ${key}`);
    if (outcome === 'interrupted') expect(key, where).toBeUndefined();
    if (outcome === 'unknown') expect(output, where).toBe(sessionLogV1.texts.unknown);
  }
  const refused = requests.filter(({ status }) => status === 400);
  expect(refused, where).toEqual([]);
}

describe.each(['sequential', 'parallel'] as const)('a process that is killed (%s)', (batch) => {
  test('at any of its barriers is taken up without a second request of any key', async () => {
    let kills = 0;
    for (let signal: unknown = 'SIGKILL'; signal === 'SIGKILL'; kills += 1) {
      const job = produce(batch, kills + 1);
      ({ signal } = await runChild(job));
      await expectWhole(job.folder, job.sessionId, `commit ${kills + 1}`);
    }
    // The last was not killed: there are so many barriers before.
    expect(kills - 1).toBe(9);
  }, 120_000);

  test('while a tool works, or between two results, knows nothing of what was sent', async () => {
    for (const answered of batch === 'parallel' ? [0, 1, 2] : [0, 1]) {
      const job = produce(batch);
      const running = await startChild({ ...job, tellCommits: true });
      const first = new Set<string>();
      // The first so many are answered, the others wait until their process is gone.
      held.arrived = (key) => {
        first.add(key);
        return first.size <= answered ? undefined : running.ended.then(() => hang);
      };
      const wanted = batch === 'parallel' ? 3 : answered + 1;
      let results = 0;
      await running.says(({ committed }) => {
        if ((committed as string[] | undefined)?.includes('tool_result') === true) results += 1;
        return (
          results >= answered &&
          (committed as string[] | undefined)?.includes(answered === 0 ? 'tool_batch_started' : 'tool_result') === true
        );
      });
      while (requestsOf(job.sessionId).filter(({ path }) => path.startsWith('/effects/')).length < wanted)
        await new Promise((resolve) => setImmediate(resolve));
      running.child.kill('SIGKILL');
      expect((await running.ended).signal).toBe('SIGKILL');
      delete held.arrived;
      expect(openSessionReader(job.folder).state()).toMatchObject({
        next_operation: 'close_out',
        runs: [{ stage: 'interrupted', reason: null }],
      });
      await expectWhole(job.folder, job.sessionId, `${answered} answered`);
      const outcomes = payloads(job.folder, 'tool_result').map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(answered);
    }
  });
});

/** Barriers of the run at which the first process dies: before and in its steps, its intents, between results, after the batch. */
const firstKills = [1, 2, 3, 4, 6];

describe('a recovery that is killed', () => {
  test.each(firstKills)('at each of its barriers, from barrier %i on, ends as one that was not', async (at) => {
    let killed = 0;
    const job = produce(at % 2 === 0 ? 'parallel' : 'sequential', at);
    expect((await runChild(job)).signal).toBe('SIGKILL');
    const closes = isLost(job.folder);
    const reference = copyState(job.folder);
    const barriers = await resumedHere(reference);
    for (let n = 1; ; n += 1) {
      const copy = copyState(job.folder);
      // Copies of one state ask under the same keys: they are counted from here.
      const before = requestsOf(job.sessionId).length;
      const { signal } = await runChild(resumeJob(copy, n));
      if (signal === null) break;
      await resumedHere(copy);
      const where = `commit ${at}, recovery ${n}`;
      killed += 1;
      const sent = requestsOf(job.sessionId)
        .slice(before)
        .filter(({ path }) => path.startsWith('/effects/'));
      expect(new Set(sent.map(({ key }) => key)).size, where).toBe(sent.length);
      expect(payloads(copy, 'run_finished'), where).toHaveLength(1);
      const results = payloads(copy, 'tool_result').map(({ tool_call_id: id }) => id);
      expect(new Set(results).size, where).toBe(results.length);
      if (!closes) continue;
      expect(sent, where).toEqual([]);
      expect(openSessionReader(copy).state(), where).toEqual(openSessionReader(reference).state());
    }
    expect(killed).toBe(barriers);
    expect(barriers).toBeGreaterThanOrEqual(2);
  });
});

/** The number of its barriers. */
async function resumedHere(folder: string): Promise<number> {
  let barriers = 0;
  const session = openSession(folder, { providerUrl: provider.now!.url, onCommitted: () => (barriers += 1) });
  await session.recover();
  expect(await session.recover()).toEqual({ status: 'idle' });
  session.close();
  return barriers;
}

/**
 * Runs of every kind, cut at each of their barriers, and taken up: what must hold wherever the cut is.
 *
 * Opening a copy reads it by the rules of order, so an illegal sequence would be found there too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionConfig } from '../api/options.js';
import { openSessionReader } from '../api/reader.js';
import { openSession, type Session } from '../api/session.js';
import { bytesOf, config, copyState, create, frames, httpTool, newFolder, payloads } from '../testing/session.js';
import { cut, startStrictProvider, type Received, type StrictProvider } from '../testing/strict-provider.js';

const safe = { safety: 'idempotent', onUnknown: 'continue' } as const;
const tools = [
  httpTool('charge'),
  httpTool('lost', { effect: 'cut' }),
  httpTool('safe', { effect: 'cut', ...safe }),
  httpTool('pay', { approval: 'required' }),
];

interface Scenario {
  name: string;
  /** What the model asks for in its first answer. */
  calls: string[];
  changes?: Partial<SessionConfig>;
  /** By the type of a record: what is done when the first of it is durable. */
  during?: Record<string, (session: Session) => void>;
}

const scenarios: Scenario[] = [
  { name: 'an unknown in a sequential batch', calls: ['charge', 'lost', 'charge'] },
  { name: 'an unknown in a parallel batch', calls: ['charge', 'lost', 'charge'], changes: { batch: 'parallel' } },
  { name: 'an unknown that goes on', calls: ['safe', 'charge', 'nobody'] },
  { name: 'an unknown that goes on, in parallel', calls: ['safe', 'charge'], changes: { batch: 'parallel' } },
  { name: 'a last step with calls', calls: ['charge', 'nobody'], changes: { maxSteps: 1 } },
  { name: 'a cancel at once', calls: ['charge', 'charge'], during: { tool_result: (session) => session.cancel({ at: 'now' }) } },
  {
    name: 'a cancel at the boundary',
    calls: ['charge', 'charge'],
    during: { tool_dispatch_intent: (session) => session.cancel({ at: 'step_boundary' }) },
  },
  {
    name: 'messages that come during the run',
    calls: ['charge'],
    during: {
      run_started: (session) => session.steer({ text: 'first' }),
      tool_dispatch_intent: (session) => session.queue({ submissionId: 'q-1', text: 'later' }),
      tool_result: (session) => session.steer({ text: 'second' }),
    },
  },
  {
    name: 'a message that interrupts',
    calls: ['charge', 'charge'],
    during: { tool_result: (session) => session.queue({ submissionId: 'q-1', text: 'now', delivery: 'interrupt' }) },
  },
  { name: 'a call that needs an answer', calls: ['charge', 'pay', 'nobody'] },
  { name: 'a leg with intents', calls: ['charge'], changes: { modelLeg: 'intent', times: true } },
];

const provider: { now?: StrictProvider } = {};
let asked: string[] = [];
beforeAll(async () => {
  provider.now = await startStrictProvider({
    model: (_conversation, turn) =>
      turn === 0 ? { text: 'So.', calls: asked.map((name, at) => ({ id: `c${at}`, name })) } : { text: `Turn ${turn}.` },
    effect: (name) => (name === 'cut' ? cut : name),
  });
});
afterAll(async () => provider.now?.close());

async function cuts(scenario: Scenario, commit: 'grouped' | 'each'): Promise<string[]> {
  const folder = newFolder();
  const copies: string[] = [];
  const box: { session?: Session } = {};
  const left = { ...scenario.during };
  box.session = create(folder, provider.now!.url, {
    commit,
    config: { ...config, tools, ...scenario.changes },
    onCommitted: (committed) => {
      copies.push(copyState(folder));
      for (const { type } of committed) {
        const act = left[type];
        delete left[type];
        if (act !== undefined && box.session !== undefined) act(box.session);
      }
    },
  });
  await toTheEnd(box.session, await box.session.send({ runId: 'run-a', text: 'Go.' }));
  box.session.close();
  expect(left).toEqual({});
  return copies;
}

/** Answers what a person must, and goes on. */
async function toTheEnd(session: Session, first: Awaited<ReturnType<Session['resume']>>): Promise<void> {
  for (let end = first; end.status === 'paused'; end = await session.recover()) {
    for (const { toolCallId } of end.approvals) session.approve({ toolCallId, decision: 'approved', by: 'Ada' });
  }
}

function expectLawful(folder: string, sent: Received[], intentsBefore: string[], where: string): void {
  const keys = sent.filter(({ path }) => path.startsWith('/effects/')).map(({ key }) => key);
  expect(new Set(keys).size, where).toBe(keys.length);
  expect(
    keys.filter((key) => intentsBefore.includes(key)),
    where,
  ).toEqual([]);
  const state = openSessionReader(folder).state();
  expect(state.next_operation, where).toBe('none');
  expect(state.queue, where).toEqual([]);
  for (const run of state.runs) {
    expect(run.reason, where).not.toBeNull();
    if (run.cancel !== null) expect(run.reason, where).toBe('cancelled');
    const lost = run.calls.some(({ name, state: called }) => called === 'unknown' && name !== 'safe');
    if (lost && run.cancel === null) expect(run.reason, where).toBe('interrupted');
  }
  const started = payloads(folder, 'run_started').map(({ run_id: id }) => id);
  expect(new Set(started).size, where).toBe(started.length);
}

const intentKeys = (folder: string): string[] =>
  payloads(folder, 'tool_dispatch_intent').map(
    ({ run_id: run, batch_id: batch, tool_call_id: id }) => `s-1/${String(run)}/${String(batch)}/${String(id)}`,
  );

describe.each(scenarios)('$name', (scenario) => {
  test.each(['grouped', 'each'] as const)(
    'is lawful wherever it is cut (%s)',
    async (commit) => {
      asked = scenario.calls;
      for (const [at, folder] of (await cuts(scenario, commit)).entries()) {
        const where = `${at}: ${frames(folder).at(-1)?.type}`;
        const before = intentKeys(folder);
        const from = provider.now!.received.length;
        const session = openSession(folder, { providerUrl: provider.now!.url, commit });
        await toTheEnd(session, await session.recover());
        // Once more for a queue that waited for its owner, and then there is nothing.
        await toTheEnd(session, await session.recover());
        const bytes = bytesOf(folder);
        expect(await session.recover(), where).toEqual({ status: 'idle' });
        expect(bytesOf(folder), where).toEqual(bytes);
        expectLawful(folder, provider.now!.received.slice(from), before, where);
        await toTheEnd(session, await session.send({ runId: 'run-z', text: 'Well?' }));
        session.close();
      }
      expect(provider.now!.refused()).toEqual([]);
    },
    30_000,
  );
});

describe.each(['sequential', 'parallel'] as const)('a close-out (%s)', (batch) => {
  test('that is cut at any record ends in the same records', async () => {
    asked = ['charge', 'nobody', 'charge'];
    const doubtful = (await cuts({ name: '', calls: asked, changes: { batch } }, 'each')).filter(
      (folder) => openSessionReader(folder).state().next_operation === 'close_out',
    );
    expect(doubtful.length).toBeGreaterThan(2);
    for (const folder of doubtful) {
      const copies: string[] = [];
      const reference = copyState(folder);
      const closing = openSession(reference, { commit: 'each', onCommitted: () => copies.push(copyState(reference)) });
      expect(await closing.recover()).toMatchObject({ reason: 'interrupted' });
      closing.close();
      for (const copy of copies) {
        const again = openSession(copy, { commit: 'each' });
        await again.recover();
        again.close();
        expect(recordsOf(copy)).toEqual(recordsOf(reference));
      }
    }
  }, 30_000);
});

function recordsOf(folder: string): unknown[] {
  return frames(folder)
    .filter(({ kind }) => kind === 'record')
    .map(({ type, payload }) => ({ type, payload }));
}

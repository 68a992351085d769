/** A run, copied at each of its barriers, and each copy resumed, twice, and talked to. */
import { expect } from 'vitest';
import type { SessionOptions } from '../api/options.js';
import { openSession } from '../api/session.js';
import { openSessionReader } from '../api/reader.js';
import { sessionLogV1 } from '../../contract/data.js';
import { bytesOf, config, copyState, create, httpTool, newFolder, payloads, types } from './session.js';
import type { Behaviours, Received, StrictProvider } from './strict-provider.js';

export const tools = [httpTool('charge'), httpTool('safe', { safety: 'idempotent', onUnknown: 'continue' })];
export const names = ['charge', 'safe', 'charge'];
export const behaviours: Behaviours = {
  model: (conversation, turn) =>
    turn === 0
      ? { text: 'Three.', calls: names.map((name, at) => ({ id: `c${at}`, name })) }
      : { text: conversation.at(-1)?.role === 'user' ? 'Yes.' : 'Done.' },
};

export interface Cut {
  after: string;
  folder: string;
}

/** A run, and a copy of its state at each barrier. */
export async function cuts({ url }: StrictProvider, options: SessionOptions): Promise<Cut[]> {
  const folder = newFolder();
  const found: Cut[] = [];
  const session = create(folder, url, {
    ...options,
    onCommitted: (committed) => {
      found.push({ after: committed.map(({ type }) => type).join(' '), folder: copyState(folder) });
    },
  });
  await session.send({ runId: 'run-a', text: 'Three, please.' });
  session.close();
  return found;
}

export const inDoubt = (folder: string): string[] => {
  const ended = new Set(payloads(folder, 'tool_result').map(({ tool_call_id: id }) => id));
  return payloads(folder, 'tool_dispatch_intent')
    .map(({ tool_call_id: id }) => String(id))
    .filter((id) => !ended.has(id));
};

/** What a copy says before anybody resumes it. */
function lookedAt(folder: string): { lastSeq: number; stage: string; isStarted: boolean; doubtful: string[]; steps: string[] } {
  const reader = openSessionReader(folder);
  const last = reader.frames().at(-1);
  return {
    lastSeq: last?.seq ?? 0,
    stage: reader.state().runs[0]?.stage ?? '',
    isStarted: reader.frames().findLast(({ kind }) => kind === 'record')?.type === 'step_started',
    doubtful: inDoubt(folder),
    steps: payloads(folder, 'model_step_finished').map(({ step_id: id }) => String(id)),
  };
}

interface Way {
  readonly batch: 'sequential' | 'parallel';
  readonly commit: 'grouped' | 'each';
}

/** Resumed without a second request of any key, says so, and is closed where nobody can know. */
export async function expectResumed({ batch, commit }: Way, provider: StrictProvider): Promise<void> {
  const { url, received, refused } = provider;
  for (const { after: where, folder } of await cuts(provider, { config: { ...config, tools, batch }, commit })) {
    const looked = lookedAt(folder);
    const { doubtful } = looked;
    const before = received.length;
    const session = openSession(folder, { providerUrl: url, commit });
    const end = await session.recover();
    const sent = received.slice(before);
    const isLost = doubtful.some((id) => names[Number(id.slice(1))] === 'charge');
    const isOver = where.endsWith('run_finished');
    expect(end, where).toMatchObject(isOver ? { status: 'idle' } : { reason: isLost ? 'interrupted' : 'completed' });
    expectNothingAgain(folder, doubtful, sent, isLost, where);
    if (!isOver) expectToldOf(folder, looked, sent, where);
    // A second resume finds nothing, and the next message is one that a strict provider takes.
    const bytes = bytesOf(folder);
    expect(await session.recover(), where).toEqual({ status: 'idle' });
    expect(bytesOf(folder), where).toEqual(bytes);
    expect(await session.send({ runId: 'run-b', text: 'Well?' }), where).toMatchObject({ reason: 'completed', text: 'Yes.' });
    session.close();
    expect(refused(), where).toEqual([]);
  }
}

/** What had its intent is not sent again; a doubtful call that may not go on lets nothing be sent at all; each call has one result. */
function expectNothingAgain(folder: string, doubtful: string[], sent: Received[], isLost: boolean, where: string): void {
  expect(
    sent.filter(({ key }) => doubtful.some((id) => key.endsWith(`/${id}`))),
    where,
  ).toEqual([]);
  if (isLost) expect(sent, where).toEqual([]);
  const written = payloads(folder, 'tool_result');
  expect(written, where).toHaveLength(names.length);
  expect(new Set(written.map(({ tool_call_id: id }) => id)).size, where).toBe(names.length);
  const unknown = written.filter(({ outcome }) => outcome === 'unknown');
  expect(unknown.map(({ tool_call_id: id }) => id).toSorted(), where).toEqual(doubtful.toSorted());
  for (const { output } of unknown) expect(output, where).toBe(sessionLogV1.texts.unknown);
}

function expectToldOf(folder: string, looked: ReturnType<typeof lookedAt>, sent: Received[], where: string): void {
  const told = payloads(folder, 'resume_started');
  expect(told, where).toHaveLength(1);
  expect(types(folder).slice(looked.lastSeq, looked.lastSeq + 2), where).toEqual(['lineage', 'resume_started']);
  expect(told[0], where).toMatchObject({ run_id: 'run-a', episode: 1, resumed_from_seq: looked.lastSeq });
  expect(told[0]?.['indeterminate'], where).toEqual(looked.doubtful.map((id) => expect.stringMatching(new RegExp(`/${id}$`))));
  const redone = told[0]?.['redone'] as string[];
  const isOld = ({ key }: Received): boolean => looked.steps.some((id) => key.includes(`/${id.replace('step', 'batch')}/`));
  const keys = sent.filter(isOld).map(({ key }) => key);
  expect(keys.toSorted(), where).toEqual(redone.filter((key) => key.includes('/batch-')).toSorted());
  expect(
    redone.some((id) => id.startsWith('step-')),
    where,
  ).toBe(looked.stage === 'step_due' && looked.isStarted);
}

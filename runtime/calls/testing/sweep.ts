/** A recovery, killed at each of its own commits. */
import { cpSync } from 'node:fs';
import { expect } from 'vitest';
import type { RuntimeOptions } from '../api/options.js';
import type { Runtime } from '../api/runtime.js';
import { canonical } from '../../core/canonical.js';
import type { LedgerEvent } from '../core/events.js';
import { httpTransport } from '../wire/chat-completions.js';
import { items, newFolder, open } from './folder.js';
import { tells, type KeyedProvider } from './keyed-provider.js';
import { settings, stagesLeft, type StageLeft } from './stages.js';

/** The events without what two recoveries may differ in: superseded calls, links, stamps, times, and the numbers of rows. */
function comparable(events: readonly LedgerEvent[]): string {
  const superseded = new Set(events.flatMap((event) => (event.type === 'call.resumed' ? [event.call_id] : [])));
  const kept = events.filter(({ call_id, type }) => type !== 'call.resumed' && !superseded.has(call_id));
  const plain = kept.map(({ digest: _digest, recorded_at: _at, seq: _seq, payload, ...place }) => {
    const { recovery: _recovery, replaces: _replaces, ...rest } = payload as unknown as Record<string, unknown>;
    return { ...place, payload: rest };
  });
  const numbers = new Map<string, string>();
  return canonical(plain).replaceAll(/"(call|attempt|result|compilation)-\d+"/g, (id, kind: string) => {
    if (!numbers.has(id)) numbers.set(id, `"${kind}:${numbers.size}"`);
    return numbers.get(id) ?? id;
  });
}

/** Everything until a person is needed, and then what a person would do, once. */
async function recoverFully(runtime: Runtime): Promise<void> {
  for (;;) {
    const { next_operation: next, on } = runtime.workState('task-1').task;
    if (on === null || next === 'check_and_accept') return;
    if (next !== 'fix_inputs') await runtime.recover('task-1');
    else if (on.startsWith('call')) await runtime.fixCall(on, {});
    else runtime.fixCompilation(on, { items, requiredIds: ['A'] });
  }
}

/** A recovery, killed at its n-th commit where one is named. Counts its commits. */
async function run(
  provider: KeyedProvider,
  folder: string,
  declared: StageLeft['declared'],
  killAt = Infinity,
): Promise<{ commits: string[]; events: readonly LedgerEvent[] }> {
  const commits: string[] = [];
  const options: Partial<RuntimeOptions> = {
    ...settings({ url: provider.url, ...declared, reconcile: 'fence' }),
    create: false,
    transport: httpTransport,
    onCommitted: (events) => {
      commits.push(events.map(({ type }) => type).join());
      if (commits.length === killAt) throw new Error('killed');
    },
  };
  const runtime = open(folder, options);
  try {
    await recoverFully(runtime);
  } catch (error) {
    if (commits.length !== killAt) throw error;
  } finally {
    runtime.close();
  }
  return { commits, events: runtime.events() };
}

/** From where a recovery goes furthest: what it does from the other stages is the end of one of these. */
const furthest = ['requested', 'failed', 'C', 'E', 'L', 'M', 'F', 'Q', 'G', 'H', 'J'];
/** Where each test run sweeps: nothing under way, and a request under way. The others are for the gate. */
const few = ['failed', 'G'];
/** Where it is killed twice: once more at the first commit of the second recovery. */
const twoDeep = ['F', 'G', 'H'];

const starts = stagesLeft.filter(({ row }) => furthest.includes(row));
export const firstStarts = starts.filter(({ row }) => few.includes(row));
export const otherStarts = starts.filter(({ row }) => !few.includes(row));

/** Killed at each commit, it comes to the same end. */
export async function expectSameEnd({ row, reach, declared }: StageLeft, provider: KeyedProvider): Promise<void> {
  const { folder } = await reach(provider);
  provider.now.question = tells.fenced;
  const copyOf = (from: string): string => {
    const copy = newFolder();
    cpSync(from, copy, { recursive: true });
    return copy;
  };
  const whole = await run(provider, copyOf(folder), declared);
  const wanted = comparable(whole.events);
  expect(whole.commits.length).toBeGreaterThan(0);
  for (let first = 1; first <= whole.commits.length; first += 1) {
    const killed = copyOf(folder);
    const left = [{ at: killed, last: [(await run(provider, killed, declared, first)).commits.at(-1)] }];
    if (twoDeep.includes(row)) {
      const again = copyOf(killed);
      left.push({ at: again, last: [...(left[0]?.last ?? []), (await run(provider, again, declared, 1)).commits.at(-1)] });
    }
    for (const { at, last } of left) {
      const { events } = await run(provider, at, declared);
      expect(events.at(-1)?.type).toBe(whole.events.at(-1)?.type);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
      // Only a kill with a request under way leaves something to reconcile, and so other events.
      const wasUnderWay = last.includes('attempt.started');
      expect([last, comparable(events) === wanted]).toEqual([last, !wasUnderWay]);
      if (wasUnderWay) expect(events.some(({ type }) => type === 'effect.reconciled')).toBe(true);
    }
  }
}

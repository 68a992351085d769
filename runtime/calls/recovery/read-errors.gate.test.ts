/**
 * A read error is never taken for absence: each way in which a state folder cannot be read has an error of its own, for every operation,
 * with no request and no byte written.
 *
 * Each operation meets the error on a state that asks for just this operation, as its control shows: nothing but the error keeps it from
 * acting.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { copies, inventory, leaseIn, ledgerIn, looks, playStages, rowOf, told } from '../testing/every-operation.js';
import { newFolder, open } from '../testing/folder.js';
import { startKeyedProvider } from '../testing/keyed-provider.js';
import {
  exhausted,
  limitable,
  locked,
  missing,
  modesCount,
  unreadable,
  unwritable,
  wrongKinds,
  type Row,
} from '../testing/read-errors.js';
import { emptyFolder, runRole } from '../../testing/roles.js';

beforeAll(playStages);

/** The codes that each kind was met with. */
const met = new Map<Row['kind'], Set<string>>();

async function refusesAll({ kind, spoil, code, says, not = [], ledgerRead, ...how }: Row): Promise<void> {
  const provider = await startKeyedProvider();
  const states = copies();
  const undo = await spoil(states.map(({ folder }) => folder));
  const inventories = (): string[][] => states.map(({ folder }) => inventory(folder, ledgerRead === undefined));
  const before = inventories();
  try {
    const each = await told(states, provider.url, how);
    expect(inventories()).toEqual(before);
    expect(provider.seen).toEqual([]);
    expect(Object.keys(each).sort()).toEqual([...Object.keys(rowOf), 'accept'].sort());
    for (const [name, { code: got, message }] of Object.entries(each)) {
      expect({ name, got, message }).toMatchObject({ got: not.includes(name) ? 'done' : code });
      if (not.includes(name)) continue;
      expect(message).toMatch(says);
      met.set(kind, (met.get(kind) ?? new Set()).add(got));
    }
  } finally {
    undo?.();
    await provider.close();
  }
}

test('the control: what can be read is acted on, by requests where the operation sends one', async () => {
  const provider = await startKeyedProvider();
  const states = copies();
  const before = states.map(({ folder }) => inventory(folder, false));
  const each = await told(states, provider.url, {});
  expect(new Set(Object.values(each).map(({ code }) => code)), JSON.stringify(each)).toEqual(new Set(['done']));
  expect(provider.seen).toHaveLength(5);
  const unchanged = states.filter(({ folder }, index) => String(inventory(folder, false)) === String(before[index]));
  expect(unchanged.map(({ name }) => name).sort()).toEqual([...looks].sort());
  await provider.close();
});

/** A locked ledger is waited for by as many processes as there are operations, on whatever cores there are. */
const patience = 180_000;

describe('no operation takes it for nothing there', () => {
  const titled = (rows: readonly Row[]) => rows.map((row): [string, Row] => [`${row.kind}: ${row.what}`, row]);
  test.concurrent.each(titled([...locked, ...missing, ...wrongKinds]))('%s', (_title, row) => refusesAll(row), patience);
  describe.runIf(modesCount)('where modes count', () => {
    test.concurrent.each(titled([...unreadable, ...unwritable]))('%s', (_title, row) => refusesAll(row), patience);
  });
  describe.runIf(limitable)('where a process can be limited', () => {
    test.concurrent.each(titled(exhausted))('%s', (_title, row) => refusesAll(row), patience);
  });
});

test('no two kinds share a code', () => {
  const kinds = [...met.values()];
  expect(kinds).toHaveLength(3 + 2 * Number(modesCount) + Number(limitable));
  const codes = kinds.flatMap((codesOfOne) => [...codesOfOne]);
  expect(new Set(codes).size, String(codes)).toBe(codes.length);
});

describe('a role program refuses it by the same sentence, and ends with 64', () => {
  async function refused(spoil: (state: string) => void, variables: Record<string, string> = {}): Promise<string> {
    const provider = await startKeyedProvider();
    const state = join(emptyFolder(), 'state');
    await runRole({ role: 'produce', state, url: provider.url, checkpoint: 'call.manifest#1' });
    spoil(state);
    const { code, answer, stderr } = await runRole({ role: 'resume', state, url: provider.url, variables });
    expect({ code, answer }).toEqual({ code: 64, answer: null });
    expect(provider.seen).toEqual([]);
    await provider.close();
    return stderr;
  }

  test('a missing ledger', async () => {
    expect(await refused((state) => fs.rmSync(ledgerIn(state)))).toMatch(/its ledger is not/);
  });

  test('a folder in the place of the lease', async () => {
    const folder = (state: string): void => {
      fs.rmSync(leaseIn(state));
      fs.mkdirSync(leaseIn(state));
    };
    expect(await refused(folder)).toMatch(/lease\.sqlite is a folder, not a file/);
  });

  /** Takes every descriptor but so many when the state folder is first looked at. */
  const exhaust = (spare: number): string => `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { readdirSync } = fs;
    fs.readdirSync = (...args) => {
      fs.readdirSync = readdirSync;
      syncBuiltinESMExports();
      const held = [];
      try { for (;;) held.push(fs.openSync('/dev/null')); } catch {}
      for (const descriptor of held.slice(0, ${spare})) fs.closeSync(descriptor);
      return readdirSync(...args);
    };
    syncBuiltinESMExports();`;

  test.each([
    [0, /state cannot be opened: .* too many open files/],
    [2, /ledger\.sqlite cannot be opened: .* too many open files/],
    [3, /lease\.sqlite cannot be opened: .* too many open files/],
  ])('%s more files that can be opened', async (spare, sentence) => {
    const preload = join(emptyFolder(), 'exhaust.mjs');
    fs.writeFileSync(preload, exhaust(spare));
    expect(await refused(() => undefined, { NODE_OPTIONS: `--import=${preload}` })).toMatch(sentence);
  });
});

test('an id that the ledger does not hold is an error of its own', async () => {
  const runtime = open(newFolder());
  runtime.createTask({ taskId: 'task-1', title: 'T' });
  const before = runtime.events().length;
  const decision = { by: 'x', note: '' };
  const onCalls = [
    () => runtime.resumeCall('call-9'),
    () => runtime.fixCall('call-9', {}),
    () => runtime.reconcile('call-9'),
    () => runtime.startNextAttempt('call-9'),
    async () => runtime.acceptDuplicate('call-9', decision),
    async () => runtime.reinterpret('call-9'),
    async () => runtime.redecide('call-9'),
    async () => runtime.finalize('call-9'),
    async () => runtime.dryRun('finalize', 'call-9'),
  ];
  for (const operate of onCalls) await expect(operate()).rejects.toMatchObject({ code: 'call-unknown' });
  const onCompilations = [
    () => runtime.recompile('compilation-9'),
    () => runtime.fixCompilation('compilation-9', { items: [], requiredIds: [] }),
  ];
  for (const operate of onCompilations) expect(operate).toThrow(expect.objectContaining({ code: 'compilation-unknown' }));
  await expect(runtime.recover('task-9')).rejects.toMatchObject({ code: 'task-unknown' });
  expect(() => runtime.accept('task-9', decision, {})).toThrow(expect.objectContaining({ code: 'task-unknown' }));
  expect(runtime.events()).toHaveLength(before);
  runtime.close();
});

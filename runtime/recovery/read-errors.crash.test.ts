/**
 * A read error is never taken for absence: each way in which a state folder cannot be read has an error of its own, for every operation,
 * with no request and no byte written.
 *
 * Each operation meets the error on a state that asks for just this operation, as its control shows: nothing but the error keeps it from
 * acting.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RuntimeOptions } from '../api/options.js';
import { sha256 } from '../core/digest.js';
import type { RuntimeErrorCode } from '../core/errors.js';
import { newFolder, open } from '../testing/folder.js';
import { startKeyedProvider } from '../testing/keyed-provider.js';
import { available } from '../testing/mechanism.js';
import { buildFolder, emptyFolder, runRole } from '../testing/roles.js';
import { diedAfter, stagesLeft, type Left, type StageLeft } from '../testing/stages.js';

/** Carries out each operation that it is given on the folder that it is given; tells the code and the sentence of each error. */
const every = `
const [build, url, spare, given] = process.argv.slice(1);
const { openReader, openRuntime } = await import(build + '/runtime/index.js');
const inputs = { items: [], requiredIds: [] };
const operations = {
  recompile: (r, on) => r.recompile(on),
  fixCompilation: (r, on) => r.fixCompilation(on, inputs),
  fixCall: (r, on) => r.fixCall(on, { instruction: 'Briefly.' }),
  resumeCall: (r, on) => r.resumeCall(on),
  reconcile: (r, on) => r.reconcile(on),
  acceptDuplicate: (r, on) => r.acceptDuplicate(on, { by: 'x', note: 'y' }),
  reinterpret: (r, on) => r.reinterpret(on),
  redecide: (r, on) => r.redecide(on),
  startNextAttempt: (r, on) => r.startNextAttempt(on),
  finalize: (r, on) => r.finalize(on),
  accept: (r) => r.accept('task-1', { by: 'x' }, {}),
  recover: (r) => r.recover('task-1'),
  dryRun: (r, on) => r.dryRun('finalize', on),
  look: (r) => [r.tasks(), r.workState('task-1'), r.events()],
};
const open = ({ folder, declared }) => openRuntime({
  directory: folder,
  commit: 'each',
  provider: { url, model: 'synthetic-1', system: 'You review.', timeoutMs: 5000, ...declared },
  context: { budgetTokens: 64 },
  retry: { max_attempts: 3, retry_statuses: [503], retry_not_sent: true },
});
if (spare !== '') await exhaust(Number(spare));
const told = {};
for (const { name, on, scratch, ...state } of JSON.parse(given)) {
  let opened;
  try {
    opened = name === 'openReader' ? openReader({ directory: state.folder, scratch }) : open(state);
    await (name === 'openReader' ? [opened.workStates(), opened.events()] : operations[name](opened, on));
    told[name] = { code: 'done', message: '' };
  } catch (error) {
    told[name] = { code: error.code ?? 'none', message: String(error.message) };
  } finally {
    opened?.close();
  }
}
console.log(JSON.stringify(told));

/** Leaves so many files that can be opened. */
async function exhaust(left) {
  const { openSync, closeSync } = await import('node:fs');
  const held = [];
  try { for (;;) held.push(openSync('/dev/null')); } catch {}
  for (const descriptor of held.slice(0, left)) closeSync(descriptor);
}
`;

interface Stage extends Left {
  name: string;
  declared: Partial<RuntimeOptions['provider']>;
}

type Told = Record<string, { code: string; message: string }>;

const rowOf: Record<string, StageLeft['row']> = {
  recompile: 'requested',
  fixCompilation: 'failed',
  fixCall: 'C',
  resumeCall: 'D',
  reconcile: 'F',
  acceptDuplicate: 'N',
  reinterpret: 'H',
  redecide: 'I',
  startNextAttempt: 'J',
  finalize: 'K',
  recover: 'E',
  dryRun: 'K',
  look: 'K',
  openReader: 'K',
};
const looks = ['dryRun', 'look', 'openReader'];
/** Reading by an open runtime asks for no lease; a reader asks whether somebody holds it. */
const withoutLease = ['dryRun', 'look'];
const stages: Stage[] = [];

beforeAll(async () => {
  const provider = await startKeyedProvider();
  for (const [name, row] of Object.entries(rowOf)) {
    const stage = stagesLeft.find((left) => left.row === row)!;
    stages.push({ name, declared: stage.declared ?? {}, ...asKilled(await stage.reach(provider)) });
  }
  stages.push({ name: 'accept', declared: {}, ...asKilled(await diedAfter('call.completed')) });
  await provider.close();
});

/** With the log that a process leaves when it is killed; the runtime that played it has closed its own. */
function asKilled({ folder, on }: Left): Left {
  const database = new Database(ledgerIn(folder));
  database.pragma('wal_autocheckpoint = 0');
  database.pragma('user_version = 1');
  const left = newFolder();
  fs.cpSync(folder, left, { recursive: true });
  database.close();
  return { folder: left, on };
}

/** Copies of the states, for one way in which they cannot be read. */
function copies(): Stage[] {
  return stages.map((stage) => {
    const folder = newFolder();
    fs.cpSync(stage.folder, folder, { recursive: true });
    return { ...stage, folder };
  });
}

interface How {
  /** In front of the command. */
  through?: readonly string[];
  /** Files that can still be opened. */
  spare?: number;
  /** Each operation in a process of its own, all at once: each waits. */
  apart?: boolean;
}

async function told(states: readonly Stage[], url: string, how: How): Promise<Told> {
  if (!how.apart) return run(states, url, how);
  const each = await Promise.all(states.map((state) => run([state], url, how)));
  return Object.assign({}, ...each) as Told;
}

async function run(states: readonly Stage[], url: string, { through = [], spare }: How): Promise<Told> {
  const given = states.map((state) => ({ ...state, scratch: newFolder() }));
  const program = ['--input-type=module', '-e', every, buildFolder(), url, String(spare ?? ''), JSON.stringify(given)];
  const [command = '', ...args] = [...through, process.execPath, ...program];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  await once(child, 'close');
  return JSON.parse(said) as Told;
}

/** Names, bytes and times of change of everything in a folder. What may not be read here either is told by its size and times. */
function inventory(folder: string, indexToo: boolean): string[] {
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return ['nothing'];
  if (!found.isDirectory()) return [factsOf(folder)];
  const names = readable(() => fs.readdirSync(folder)) ?? [];
  const told = names.filter((name) => indexToo || !name.endsWith('-shm'));
  return [factsOf(folder), ...told.map((name) => `${name} ${factsOf(join(folder, name))}`)];
}

function factsOf(path: string): string {
  const found = readable(() => fs.lstatSync(path, { bigint: true }));
  if (found === null) return 'not to be looked at';
  const bytes = found.isFile() ? readable(() => sha256(fs.readFileSync(path))) : null;
  return `${found.ino} ${found.size} ${found.mtimeNs} ${bytes}`;
}

function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

const ledgerIn = (folder: string): string => join(folder, 'ledger.sqlite');
const leaseIn = (folder: string): string => join(folder, 'lease.sqlite');

/** Root may read everything, unless it gives that up. */
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const modesCount = available(
  'setpriv',
  spawnSync(withoutPrivileges[0] ?? 'true', [...withoutPrivileges.slice(1), 'true']).status === 0,
);
const limitable = available('prlimit', spawnSync('prlimit', ['--version']).status === 0);

type Undo = () => void;

interface Row extends How {
  kind: 'locked' | 'unreadable' | 'missing' | 'wrong kind' | 'too many open files';
  what: string;
  spoil: (folders: readonly string[]) => Undo | void | Promise<Undo>;
  code: RuntimeErrorCode;
  /** The sentence: what, why, and what to do. */
  says: RegExp;
  /** Who need not read what is spoiled. */
  not?: readonly string[];
  /** The ledger itself is opened and read, so the log's index is made anew. */
  ledgerRead?: true;
}

const each =
  (spoil: (folder: string) => void): Row['spoil'] =>
  (folders) =>
    folders.forEach(spoil);

const missing: Row[] = [
  {
    kind: 'missing',
    what: 'the folder',
    spoil: each((folder) => fs.rmSync(folder, { recursive: true })),
    code: 'state-absent',
    says: /^There is no ledger in \S+\. Check the path, or ask to create one\.$/,
  },
  {
    kind: 'missing',
    what: 'the ledger',
    spoil: each((folder) => fs.rmSync(ledgerIn(folder))),
    code: 'ledger-missing',
    says: /^The folder is there and its ledger is not: \S+ledger\.sqlite\. Restore it; it is not started anew\.$/,
  },
  {
    kind: 'missing',
    what: 'the format record',
    spoil: each((folder) => fs.rmSync(join(folder, 'format.json'))),
    code: 'state-unfinished',
    says: /has a ledger and no format\.json: it was never finished, or that file was lost\. Restore the file, or ask to create/,
  },
];

const wrongKinds: Row[] = [
  ...['format.json', 'ledger.sqlite', 'ledger.sqlite-wal', 'ledger.sqlite-shm', 'lease.sqlite'].map((name): Row => {
    const pipe = (folder: string): void => {
      fs.rmSync(join(folder, name), { force: true });
      execFileSync('mkfifo', [join(folder, name)]);
    };
    return {
      kind: 'wrong kind',
      what: `a pipe in the place of ${name}`,
      spoil: each(pipe),
      code: 'state-wrong-kind',
      says: new RegExp(`${name} is a pipe, not a file\\. It was not opened; put the file itself there, from a copy\\.$`),
    };
  }),
  {
    kind: 'wrong kind',
    what: 'a file in the place of the folder',
    spoil: each((folder) => {
      fs.rmSync(folder, { recursive: true });
      fs.writeFileSync(folder, 'a file');
    }),
    code: 'state-wrong-kind',
    says: /state is not a folder, .* \(ENOTDIR\)\. Nothing was changed; name another path, or put the right file there\.$/,
  },
];

const unreadable: Row[] = [
  ...[
    ['.', 0o000, '\\S+state'],
    ['.', 0o600, 'format\\.json'],
    ['format.json', 0o000, 'format\\.json'],
    ['ledger.sqlite', 0o000, 'ledger\\.sqlite'],
    ['ledger.sqlite-wal', 0o000, 'ledger\\.sqlite-wal'],
    ['ledger.sqlite-shm', 0o000, 'ledger\\.sqlite-shm'],
  ].map(([name, mode, told]): Row => ({
    kind: 'unreadable',
    what: `mode ${mode?.toString(8)} on ${name}`,
    spoil: withMode(String(name), Number(mode)),
    through: withoutPrivileges,
    code: 'state-unreadable',
    says: new RegExp(
      `${told} cannot be read \\(EACCES\\)\\. Nothing was changed; check its permissions and those of the folders above it\\.$`,
    ),
    // It looks at a copy, which makes an index of its own.
    not: name === 'ledger.sqlite-shm' ? ['openReader'] : [],
  })),
  {
    kind: 'unreadable',
    what: 'mode 0 on lease.sqlite',
    spoil: withMode('lease.sqlite', 0),
    through: withoutPrivileges,
    code: 'lease-unreadable',
    says: /^The lease \S+ cannot be read \(EACCES\)\. Nothing was recorded; check its permissions and the folder's\.$/,
    not: withoutLease,
    ledgerRead: true,
  },
];

function withMode(name: string, mode: number): Row['spoil'] {
  return (folders) => {
    for (const folder of folders) fs.chmodSync(join(folder, name), mode);
    return () => folders.forEach((folder) => fs.chmodSync(join(folder, name), 0o700));
  };
}

/** With three the ledger can be read; then the lease, the connection that writes and the sync of the folder are what cannot be opened. */
const exhausted = [0, 1, 2, 3, 4, 5].map((spare): Row => ({
  kind: 'too many open files',
  what: `${spare} more can be opened`,
  spoil: () => undefined,
  through: ['prlimit', '--nofile=64:64'],
  spare,
  code: 'files-exhausted',
  says: /^\S+ cannot be opened: this process has too many open files \(EMFILE\)\. Nothing was recorded; close some or raise the limit, then try again\.$/,
  ...(spare > 2 && { not: looks, ledgerRead: true }),
}));

const locked: Row[] = [
  {
    kind: 'locked',
    what: 'the ledger, for longer than a statement waits',
    spoil: (folders) => held(folders.map(ledgerIn)),
    apart: true,
    code: 'ledger-busy',
    says: /^Another process holds the ledger \S+ledger\.sqlite: database is locked\. Nothing was changed; try again when it is done\.$/,
    // It asks for no lock: it looks at a copy, and at whether the file changed meanwhile.
    not: ['openReader'],
  },
  {
    kind: 'locked',
    what: 'the lease',
    spoil: (folders) => held(folders.map(leaseIn)),
    code: 'owner-alive',
    says: /^Another process owns \S+\. Wait until it ends, or stop it; then try again\.$/,
    not: withoutLease,
    ledgerRead: true,
  },
];

/** One process holds them all. */
async function held(files: readonly string[]): Promise<Undo> {
  const hold = `
    const all = process.argv.slice(1).map((path) => {
      const database = new (require('better-sqlite3'))(path);
      database.pragma('locking_mode = EXCLUSIVE');
      database.exec('BEGIN EXCLUSIVE');
      return database;
    });
    require('fs').writeSync(1, 'held');
    setInterval(() => all, 1000);`;
  const holder = spawn(process.execPath, ['-e', hold, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return () => void holder.kill('SIGKILL');
}

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
    test.concurrent.each(titled(unreadable))('%s', (_title, row) => refusesAll(row), patience);
  });
  describe.runIf(limitable)('where a process can be limited', () => {
    test.concurrent.each(titled(exhausted))('%s', (_title, row) => refusesAll(row), patience);
  });
});

test('no two kinds share a code', () => {
  const kinds = [...met.values()];
  expect(kinds).toHaveLength(3 + Number(modesCount) + Number(limitable));
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

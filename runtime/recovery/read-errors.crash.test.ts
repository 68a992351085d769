/**
 * A read error is never taken for absence: each way in which a state folder cannot be read has an error of its own, for every operation,
 * with no request and no byte written.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFolder, open } from '../testing/folder.js';
import { startKeyedProvider } from '../testing/keyed-provider.js';
import { buildFolder } from '../testing/roles.js';
import { diedAfter } from '../testing/stages.js';

/** Opens, and carries out every operation in turn; tells the code of each error. */
const every = `
const [build, folder, url, only, spare] = process.argv.slice(1);
const { openRuntime } = await import(build + '/runtime/index.js');
if (spare !== '') await exhaust(Number(spare));
const operations = {
  recompile: (r) => r.recompile('compilation-4'),
  fixCompilation: (r) => r.fixCompilation('compilation-4', { items: [], requiredIds: [] }),
  fixCall: (r) => r.fixCall('call-6', {}),
  resumeCall: (r) => r.resumeCall('call-6'),
  reconcile: (r) => r.reconcile('call-6'),
  acceptDuplicate: (r) => r.acceptDuplicate('call-6', { by: 'x', note: '' }),
  reinterpret: (r) => r.reinterpret('call-6'),
  redecide: (r) => r.redecide('call-6'),
  startNextAttempt: (r) => r.startNextAttempt('call-6'),
  finalize: (r) => r.finalize('call-6'),
  accept: (r) => r.accept('task-1', { by: 'x' }, {}),
  recover: (r) => r.recover('task-1'),
};
const told = {};
for (const [name, operate] of Object.entries(operations)) {
  if (only !== '' && only !== name) continue;
  let runtime;
  try {
    runtime = openRuntime({
      directory: folder,
      provider: { url, model: 'synthetic-1', system: 'You review.', reconcile: 'lookup', timeoutMs: 5000 },
      context: { budgetTokens: 64 },
    });
    await operate(runtime);
    told[name] = 'acted';
  } catch (error) {
    told[name] = error.code ?? String(error);
  } finally {
    runtime?.close();
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

const all = 12;

interface How {
  /** In front of the command. */
  through?: readonly string[];
  /** One operation alone. */
  only?: string;
  /** Files that can still be opened. */
  spare?: number;
}

async function told(folder: string, url: string, { through = [], only = '', spare }: How): Promise<Record<string, string>> {
  const program = ['--input-type=module', '-e', every, buildFolder(), folder, url, only, String(spare ?? '')];
  const [command = '', ...args] = [...through, process.execPath, ...program];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  await once(child, 'close');
  return JSON.parse(said) as Record<string, string>;
}

/** Everything in a folder but what is volatile: names, sizes, times of change. */
function inventory(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => !name.endsWith('-shm') && name !== 'lease.sqlite')
    .map((name) => {
      const { size, mtimeMs } = fs.statSync(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    });
}

const ledgerIn = (folder: string): string => join(folder, 'ledger.sqlite');
const withoutPrivileges = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const few = ['prlimit', '--nofile=64:64'];

type Spoil = (folder: string) => void | Promise<() => void>;

const spoiled: [string, string, Spoil, How][] = [
  ['a folder that is not there', 'state-absent', (folder) => fs.rmSync(folder, { recursive: true }), {}],
  ['a folder without its ledger', 'ledger-missing', (folder) => fs.rmSync(ledgerIn(folder)), {}],
  [
    'a ledger that may not be read',
    'state-unreadable',
    (folder) => fs.chmodSync(ledgerIn(folder), 0),
    { through: withoutPrivileges },
  ],
  [
    'a log that may not be read',
    'state-unreadable',
    (folder) => fs.chmodSync(`${ledgerIn(folder)}-wal`, 0),
    { through: withoutPrivileges },
  ],
  ['a pipe in the place of the ledger', 'state-unreadable', pipe, {}],
  ['a text in the place of the ledger', 'ledger-damaged', (folder) => fs.writeFileSync(ledgerIn(folder), 'x'.repeat(9000)), {}],
  ['no file that can be opened', 'state-unreadable', () => undefined, { through: few, spare: 0 }],
  ['one file that can be opened', 'state-unreadable', () => undefined, { through: few, spare: 1 }],
  ['a ledger that another process has locked', 'ledger-busy', locked, { only: 'finalize' }],
];

function pipe(folder: string): void {
  fs.rmSync(ledgerIn(folder));
  execFileSync('mkfifo', [ledgerIn(folder)]);
}

/** For longer than a statement waits. */
async function locked(folder: string): Promise<() => void> {
  const hold = `
    const database = new (require('better-sqlite3'))(process.argv[1]);
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE');
    require('fs').writeSync(1, 'held');
    setInterval(() => undefined, 1000);`;
  const holder = spawn(process.execPath, ['-e', hold, ledgerIn(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return () => void holder.kill('SIGKILL');
}

describe('no operation takes it for nothing there', () => {
  test.concurrent.each(spoiled)('%s: %s', async (_name, code, spoil, how) => {
    const provider = await startKeyedProvider();
    const { folder } = await diedAfter('attempt.started');
    // A process that dies leaves its log; here the runtime that played it has closed its own.
    fs.closeSync(fs.openSync(`${ledgerIn(folder)}-wal`, 'a'));
    const release = await spoil(folder);
    const before = inventory(folder);
    try {
      const codes = await told(folder, provider.url, how);
      expect(new Set(Object.values(codes)), JSON.stringify(codes)).toEqual(new Set([code]));
      expect(Object.keys(codes)).toHaveLength(how.only === undefined ? all : 1);
      expect(inventory(folder)).toEqual(before);
      expect(provider.seen).toEqual([]);
    } finally {
      release?.();
      await provider.close();
    }
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

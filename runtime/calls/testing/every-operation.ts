/**
 * Every operation of the runtime, each on a state that asks for just this one, carried out by a process of its own: what it met is told by code and
 * sentence. And what a folder holds, to the byte, so that a test can say that nothing was written.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { RuntimeOptions } from '../api/options.js';
import { sha256 } from '../../core/digest.js';
import { newFolder } from './folder.js';
import { startKeyedProvider } from './keyed-provider.js';
import { buildFolder } from '../../testing/roles.js';
import { diedAfter, stagesLeft, type Left, type StageLeft } from './stages.js';

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

export interface Stage extends Left {
  name: string;
  declared: Partial<RuntimeOptions['provider']>;
}

type Told = Record<string, { code: string; message: string }>;

export const rowOf: Record<string, StageLeft['row']> = {
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
export const looks = ['dryRun', 'look', 'openReader'];
/** Reading by an open runtime asks for no lease; a reader asks whether somebody holds it. */
export const withoutLease = ['dryRun', 'look'];
const stages: Stage[] = [];

/** Plays every state once. */
export async function playStages(): Promise<void> {
  const provider = await startKeyedProvider();
  for (const [name, row] of Object.entries(rowOf)) {
    const stage = stagesLeft.find((left) => left.row === row)!;
    stages.push({ name, declared: stage.declared ?? {}, ...asKilled(await stage.reach(provider)) });
  }
  stages.push({ name: 'accept', declared: {}, ...asKilled(await diedAfter('call.completed')) });
  await provider.close();
}

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
export function copies(): Stage[] {
  return stages.map((stage) => {
    const folder = newFolder();
    fs.cpSync(stage.folder, folder, { recursive: true });
    return { ...stage, folder };
  });
}

export interface How {
  /** In front of the command. */
  through?: readonly string[];
  /** Files that can still be opened. */
  spare?: number;
  /** Each operation in a process of its own, all at once: each waits. */
  apart?: boolean;
}

export async function told(states: readonly Stage[], url: string, how: How): Promise<Told> {
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
export function inventory(folder: string, indexToo: boolean): string[] {
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

export const ledgerIn = (folder: string): string => join(folder, 'ledger.sqlite');
export const leaseIn = (folder: string): string => join(folder, 'lease.sqlite');

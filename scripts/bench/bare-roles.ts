/**
 * The bare loop: the same role processes as a recorded run, with the same environment, over copies prepared beforehand, and nothing
 * else: no groups, no watchdog, no hashing, no copying, no record.
 *
 * It waits only for what ends a process: the first byte of descriptor 3, the provider's word that it holds a request, or the exit.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { snapshotsOf } from '../../harness/plan/snapshots.js';
import type { Plan } from '../../harness/plan/types.js';
import type { Provider, Prefix } from '../../harness/provider/provider.js';
import type { InstalledSubject } from '../../harness/subject/find.js';

export interface PreparedRow {
  role: 'produce' | 'resume' | 'restart';
  folder: string;
  prefix: Prefix;
  armed: string | null;
  held: boolean;
}

/** Lays out every snapshot of a bundle as it began: the state and the receipts of the snapshot it came from. */
export async function prepareRows(plan: Plan, bundle: string, folder: string, provider: Provider): Promise<PreparedRow[]> {
  const prepared: PreparedRow[] = [];
  for (const row of plan.cases.flatMap(snapshotsOf)) {
    const work = join(folder, row.caseId, row.snapshot);
    const receipts = join(work, 'receipts.jsonl');
    const script = plan.providers[row.provider];
    if (script === undefined) throw new Error(`The plan has no provider ${row.provider}.`);
    mkdirSync(join(work, 'scratch'), { recursive: true });
    mkdirSync(join(work, 'state'), { recursive: true });
    writeFileSync(join(work, 'scenario.json'), JSON.stringify(plan.scenarios[row.scenario]));
    if (row.from !== null) {
      const source = join(bundle, 'data/cases', row.caseId, row.from);
      if (existsSync(join(source, 'state'))) cpSync(join(source, 'state'), join(work, 'state'), { recursive: true });
      cpSync(join(source, 'receipts.jsonl'), receipts);
    }
    const prefix = await provider.open(receipts, script, row.from !== null);
    const armed = row.kill?.at === 'checkpoint' ? `${row.kill.checkpoint}#${row.kill.occurrence}` : null;
    prepared.push({ role: row.role, folder: work, prefix, armed, held: row.kill?.at === 'held' });
  }
  return prepared;
}

export async function runBare(subject: InstalledSubject, rows: readonly PreparedRow[], jobs: number): Promise<void> {
  const waiting = [...rows];
  const lane = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      await runRole(subject, row.role, row);
      await runRole(subject, 'inspect', { ...row, armed: null, held: false });
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

async function runRole(subject: InstalledSubject, role: PreparedRow['role'] | 'inspect', row: PreparedRow): Promise<void> {
  const [program = 'node', ...args] = subject.description.roles[role];
  const child = spawn(program === 'node' ? process.execPath : program, args, {
    cwd: subject.folder,
    env: environment(role, row),
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  if (row.armed !== null) (child.stdio[3] as Readable).once('data', () => child.kill('SIGKILL'));
  const over = new AbortController();
  if (row.held)
    row.prefix.held(1, over.signal).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  await exited;
  over.abort();
}

function environment(role: string, { folder, prefix, armed }: PreparedRow): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    KILLPOINT_NONCE: '0'.repeat(32),
    KILLPOINT_STATE: join(folder, 'state'),
    KILLPOINT_PROVIDER_URL: role === 'inspect' ? '' : prefix.url,
    KILLPOINT_SCENARIO: join(folder, 'scenario.json'),
    KILLPOINT_OUT: join(folder, `${role === 'inspect' ? 'inspection' : 'answer'}.json`),
    ...(role === 'inspect' ? { KILLPOINT_SCRATCH: join(folder, 'scratch') } : {}),
    ...(role === 'resume' ? { KILLPOINT_OPERATION: '', KILLPOINT_ON: '', KILLPOINT_INPUT: '', KILLPOINT_DRY_RUN: '' } : {}),
    ...(armed === null ? {} : { KILLPOINT_CHECKPOINT: armed }),
  };
}

export function readPlan(path: string): Plan {
  return JSON.parse(readFileSync(path, 'utf8')) as Plan;
}

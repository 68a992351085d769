/**
 * The verifier's time: against a process that only reads and hashes the same files, and as a ledger grows to 100,000 events.
 *
 * The large bundles are real runs of one case with many calls: every receipt, export and state is there to be checked, and the
 * verdict must be valid, so that a quick answer cannot come from looking away.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../../harness/plan/types.js';
import { root } from '../build.mjs';
import { atMost, longPairs, median, milliseconds, pairs, ratio, shortPairs, type Measured } from './measure.js';

const eventsBeforeCalls = 5;
const eventsOfCall = 9;

/** Reads every file of a folder and hashes it: what a check of the inventory cannot do without. */
const readAndHash = `
const { createHash } = await import('node:crypto');
const { readFileSync, readdirSync, statSync } = await import('node:fs');
const [folder] = process.argv.slice(1);
let files = 0;
for (const name of readdirSync(folder, { recursive: true })) {
  const path = folder + '/' + name;
  if (statSync(path).isFile()) { createHash('sha256').update(readFileSync(path)).digest('hex'); files++; }
}
if (files === 0) process.exit(1);
`;

function timed(args: string[]): Promise<number> {
  return milliseconds(() => {
    const run = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (run.status !== 0)
      throw new Error(
        `${args.slice(0, 2).join(' ')} exited ${run.status}:\n${run.stdout.slice(-1500)}\n${run.stderr.slice(-1500)}`,
      );
  });
}

const verification = (build: string, bundle: string): Promise<number> =>
  timed([join(build, 'verifier/cli/main.js'), bundle, '--json']);

export async function measureVerifier(build: string, bundle: string): Promise<Measured[]> {
  const hashing = (): Promise<number> => timed(['--input-type=module', '-e', readAndHash, bundle]);
  const measured = await pairs(shortPairs, () => verification(build, bundle), hashing);
  const ms = (side: 0 | 1): number => Math.round(median(measured.map((pair) => pair[side])));
  return [atMost('verifier ÷ read and hash', ratio(measured), 3, `${ms(0)} ms and ${ms(1)} ms, processes from start to end`)];
}

export async function measureGrowth(build: string, plan: Plan, folder: string): Promise<Measured[]> {
  const small = await verified(build, plan, folder, 10_000);
  const large = await verified(build, plan, folder, 100_000);
  return [
    atMost('verifier, seconds for 100,000 events', large / 1000, 10, 'a bundle of one case with 11,111 calls, verdict valid'),
    atMost('verifier, 100,000 ÷ 10,000 events', large / small, 12, `${Math.round(large)} ms and ${Math.round(small)} ms`),
  ];
}

async function verified(build: string, plan: Plan, folder: string, events: number): Promise<number> {
  const calls = Math.ceil((events - eventsBeforeCalls) / eventsOfCall);
  const home = join(folder, `events-${events}`);
  mkdirSync(join(home, 'subject'), { recursive: true });
  writeFileSync(join(home, 'subject/subject.json'), JSON.stringify(subjectOf(build)));
  writeFileSync(join(home, 'plan.json'), JSON.stringify(planOf(plan, calls), null, 2));
  const args = [join(build, 'harness/cli/main.js'), 'run', join(home, 'plan.json'), '--subject', join(home, 'subject')];
  const run = spawnSync(process.execPath, [...args, '--out', join(home, 'runs'), '--exploratory', '--json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (run.status !== 0)
    throw new Error(
      `The run with ${events} events exited ${run.status}:\n${run.stdout.slice(0, 3000)}\n${run.stderr.slice(-1500)}`,
    );
  const { bundle } = JSON.parse(run.stdout) as { bundle: string };
  const times: number[] = [];
  for (let round = 0; round < longPairs; round++) times.push(await verification(build, bundle));
  return median(times);
}

function subjectOf(build: string): object {
  const calls = JSON.parse(readFileSync(join(build, 'runtime/subjects/calls/subject.json'), 'utf8')) as {
    roles: Record<string, [string, string]>;
  };
  const roles = Object.fromEntries(
    Object.entries(calls.roles).map(([role, [program, file]]) => [role, [program, join(build, 'runtime/subjects/calls', file)]]),
  );
  return {
    ...calls,
    name: 'many-calls',
    roles: { ...roles, produce: ['node', join(root, 'scripts/bench/many-calls.mjs'), join(build, 'runtime')] },
  };
}

/** The control and the unknown effect of the main plan, with grouped commits; the control makes many calls. */
function planOf(plan: Plan, calls: number): object {
  const rows = JSON.parse(JSON.stringify(plan.cases)) as Plan['cases'];
  const named = (id: string): Plan['cases'][number] => rows.find((row) => row.id === id) ?? missing(id);
  const control = named('grouped-control');
  const scenario = plan.scenarios[control.scenario];
  const many = { ...scenario, task: { ...(scenario?.['task'] as object), title: `Make ${calls} calls` } };
  const expect = {
    ended: 'completed',
    events: eventsBeforeCalls + eventsOfCall * calls,
    receipts: calls,
    effects: calls,
    outcome: 'completed_once',
    keys: calls,
    bodies: calls,
    processes: 1,
  };
  return {
    ...plan,
    id: 'bench-many-calls',
    subject: 'many-calls',
    timeouts: { checkpoint_ms: 60_000, role_ms: 400_000 },
    scenarios: { ...plan.scenarios, many },
    controls: { no_kill: ['grouped-control'], naive_restart: [{ case: 'grouped-effect-unknown', arm: 'naive-restart' }] },
    cases: [{ ...control, scenario: 'many', expect, arms: [] }, named('grouped-effect-unknown')],
  };
}

function missing(id: string): never {
  throw new Error(`The plan has no case ${id}.`);
}

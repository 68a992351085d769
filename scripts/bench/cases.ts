/**
 * Whole cases against the bare loop of the same processes, both with the same number of jobs, in turns.
 *
 * The time of the run is the one that its own record states, from the first case to the last; sealing and judging come after.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationAt } from '../../harness/io/installation.js';
import type { Plan } from '../../harness/plan/types.js';
import { startWatchdog } from '../../harness/process/watchdog-client.js';
import { startProvider } from '../../harness/provider/provider.js';
import { findSubjects, subjectNamed } from '../../harness/subject/find.js';
import { root } from '../build.mjs';
import { prepareRows, runBare } from './bare-roles.js';
import { atMost, longPairs, median, milliseconds, pairs, ratio, type Measured } from './measure.js';

const jobs = 2;

export interface RanPlan {
  bundle: string;
  ms: number;
}

export function runPlan(build: string, plan: string, out: string): RanPlan {
  const args = [join(build, 'harness/cli/main.js'), 'run', plan, '--out', out, '--exploratory', '--jobs', String(jobs), '--json'];
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status !== 0)
    throw new Error(`The plan did not end valid (exit ${run.status}): ${run.stdout.slice(-1000)}\n${run.stderr.slice(-2000)}`);
  const { bundle } = JSON.parse(run.stdout) as { bundle: string };
  const { started_at, ended_at } = JSON.parse(readFileSync(join(bundle, 'data/execution.json'), 'utf8')) as Record<
    string,
    string
  >;
  return { bundle, ms: Date.parse(ended_at ?? '') - Date.parse(started_at ?? '') };
}

export async function measureCases(
  build: string,
  planFile: string,
  plan: Plan,
  first: RanPlan,
  folder: string,
): Promise<Measured[]> {
  const installation = installationAt(build);
  const subject = subjectNamed(findSubjects(installation, []), plan.subject);
  const watchdog = startWatchdog(installation.watchdog);
  const provider = await startProvider(installation.provider, watchdog, join(folder, 'provider.log'));
  let name = 0;
  let processes = 0;
  try {
    const bareSide = async (): Promise<number> => {
      const rows = await prepareRows(plan, first.bundle, join(folder, `bare-${name++}`), provider);
      processes = rows.length * 2;
      const ms = await milliseconds(() => runBare(subject, rows, jobs));
      for (const { prefix } of rows) await prefix.close();
      return ms;
    };
    const measured = await pairs(longPairs, () => Promise.resolve(runPlan(build, planFile, join(folder, 'runs')).ms), bareSide);
    const seconds = (side: 0 | 1): string => (median(measured.map((pair) => pair[side])) / 1000).toFixed(1);
    const detail = `${plan.cases.length} cases, ${processes} processes: ${seconds(0)} s and ${seconds(1)} s at ${jobs} jobs`;
    return [atMost('whole cases ÷ bare loop', ratio(measured), 1.5, detail)];
  } finally {
    await provider.end();
    await watchdog.end();
  }
}

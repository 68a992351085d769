/**
 * Looks for false alarms: the green plan again and again, with every core kept busy, until 1,000 cases have run.
 *
 * A green plan has one right answer, so each verdict other than `valid`, and each void case, is a false alarm of the harness or
 * the verifier. Load moves every race that a guess about time would lose. The bundle of a run that alarmed is kept; the others
 * go. An interrupt ends the run in hand and still writes the summary, which then says that it is not the full number.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild, orExit, root } from './build.mjs';

const wantedCases = Number(process.argv[2] ?? 1000);
const plan = 'preregistrations/working-state.json';
const out = 'evidence/runs';
// Spins until its parent is another: a burner must not outlive the soak, whatever kills it.
const burner =
  'const parent = process.ppid; for (let n = 1; ; n++) if (n % 1e7 === 0 && process.ppid !== parent) process.exit();';

interface RunReport {
  bundle: string;
  verdict: string;
  cases: number | unknown[];
  void: number | unknown[];
  kills: number;
}
interface Alarm {
  run: number;
  exit_code: number | null;
  verdict: string;
  void: number;
  bundle: string | null;
}

const count = (value: number | unknown[]): number => (Array.isArray(value) ? value.length : value);
const children = new Set<ChildProcess>();
let interrupted = false;

function start(args: string[], capture: boolean): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', capture ? 'pipe' : 'ignore', capture ? 'pipe' : 'ignore'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function runPlan(main: string): Promise<{ code: number | null; report: RunReport | undefined; stderr: string }> {
  const child = start([main, 'run', plan, '--out', out, '--exploratory', '--json'], true);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, report: stdout.startsWith('{') ? (JSON.parse(stdout) as RunReport) : undefined, stderr };
}

process.on('SIGINT', () => {
  interrupted = true;
  for (const child of children) child.kill('SIGTERM');
});

const main = join(orExit(ensureBuild), 'harness/cli/main.js');
const began = Date.now();
const burners = [start(['-e', burner], false), start(['-e', burner], false)];
const alarms: Alarm[] = [];
let runs = 0;
let cases = 0;
let kills = 0;
try {
  while (cases < wantedCases && !interrupted) {
    const { code, report, stderr } = await runPlan(main);
    if (interrupted) break;
    runs++;
    const voids = report === undefined ? 0 : count(report.void);
    if (code === 0 && report?.verdict === 'valid' && voids === 0) {
      rmSync(report.bundle, { recursive: true, force: true });
    } else {
      alarms.push({
        run: runs,
        exit_code: code,
        verdict: report?.verdict ?? 'none',
        void: voids,
        bundle: report?.bundle ?? null,
      });
      process.stderr.write(`${stderr.slice(-2000)}\n`);
    }
    // A run that ends without a report would otherwise repeat for ever.
    if (report === undefined) break;
    cases += count(report.cases);
    kills += report.kills;
    process.stderr.write(`run ${runs}: ${cases} of ${wantedCases} cases, ${kills} kills, ${alarms.length} alarms\n`);
  }
} finally {
  for (const child of burners) child.kill('SIGKILL');
}

const summary = {
  plan,
  wanted_cases: wantedCases,
  cases,
  runs,
  kills,
  burners: burners.length,
  wall_s: Math.round((Date.now() - began) / 1000),
  false_alarms: alarms.length,
  alarms,
  complete: cases >= wantedCases,
  interrupted,
};
const path = join(root, out, 'soak-summary.json');
mkdirSync(join(root, out), { recursive: true });
writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(summary, null, 2)}\n`);
renameSync(`${path}.${process.pid}`, path);
process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
process.exitCode = summary.complete && alarms.length === 0 ? 0 : 1;

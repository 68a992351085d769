/**
 * The ratios that the design promises, each with its bound, measured in one run: `npm run bench [-- --json] [-- --only <part>] [-- --slack <n>]`.
 *
 * Exits 1 if one of them misses its bound. On a machine that others use, look at the ratio and not at the rates beside it.
 */
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readPlan } from './bench/bare-roles.js';
import { measureCases, runPlan } from './bench/cases.js';
import { measureCommits } from './bench/commits.js';
import { measureDurableSteps } from './bench/durable-steps.js';
import { measureKillStage } from './bench/kill-stage.js';
import type { Measured } from './bench/measure.js';
import { measurePowerLoss } from './bench/power-loss.js';
import { measureSessionLog } from './bench/session-log.js';
import { measureGrowth, measureVerifier } from './bench/verifier.js';
import { ensureBuild, orExit, root } from './build.mjs';

const planFile = join(root, 'preregistrations/working-state.json');
const json = process.argv.includes('--json');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;

const build = orExit(ensureBuild);
const plan = readPlan(planFile);
mkdirSync(join(root, 'evidence/runs'), { recursive: true });
const folder = mkdtempSync(join(root, 'evidence/runs/.bench-'));
let ran: ReturnType<typeof runPlan> | undefined;
const firstRun = (): ReturnType<typeof runPlan> => (ran ??= runPlan(build, planFile, join(folder, 'first')));

const parts: Record<string, () => Promise<Measured[]>> = {
  commits: () => measureCommits(build),
  steps: () => measureDurableSteps(build),
  sessions: () => measureSessionLog(build),
  kills: () => measureKillStage(build, plan),
  power: () => measurePowerLoss(build, plan),
  cases: () => measureCases(build, planFile, plan, firstRun(), folder),
  verifier: () => measureVerifier(build, firstRun().bundle),
  growth: () => measureGrowth(build, plan, folder),
};

function line({ name, value, bound, passed, detail }: Measured): string {
  return `${passed ? 'ok  ' : 'MISS'} ${name.padEnd(38)} ${value.toFixed(2).padStart(7)}  ${bound.padEnd(7)} ${detail}`;
}

if (only !== undefined && parts[only] === undefined) {
  process.stderr.write(`--only wants one of: ${Object.keys(parts).join(', ')}.\n`);
  process.exit(64);
}
const results: Measured[] = [];
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    for (const result of await measure()) {
      results.push(result);
      (json ? process.stderr : process.stdout).write(`${line(result)}\n`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const missed = results.filter(({ passed }) => !passed).length;
if (json) process.stdout.write(`${JSON.stringify({ results, missed })}\n`);
else process.stdout.write(`${results.length} measured, ${missed} out of bounds\n`);
process.exitCode = missed === 0 && results.length > 0 ? 0 : 1;

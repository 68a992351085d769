/**
 * `killpoint run <plan>`: runs a plan, seals the bundle, asks the verifier, and leaves by the verdict's exit code.
 */
import type { Command } from 'commander';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { isCheckout, ownInstallation } from '../io/installation.js';
import { isUnsafeFileSystem, probeFileSystem } from '../probe/file-system.js';
import { createDisplay } from '../report/progress.js';
import { runSummary } from '../report/summary.js';
import { runPlan, type RunResult } from '../run.js';
import { askForVerdict, demandSigningKey, type Judged } from '../verdict.js';
import type { Exit } from './exit.js';
import { addSubjectOption, collect, positive } from './options.js';

interface Options {
  out?: string;
  subject: string[];
  exploratory: boolean;
  jobs: number;
  case: string[];
  sign?: string;
  json: boolean;
}

export function addRun(root: Command, exit: Exit): void {
  const command = root
    .command('run')
    .summary('run a plan and verify what came of it')
    .description(
      'Runs every case of a plan with real processes and real kills, seals the bundle and prints the verdict of the verifier.',
    )
    .argument('<plan>', 'the plan (preregistration), a JSON file')
    .option('--out <dir>', 'where bundles go (default: evidence/runs in a checkout, else killpoint-runs)')
    .option('--exploratory', 'run although plan or tree are not committed; the bundle says so', false)
    .option('--jobs <n>', 'role processes at a time', positive, availableParallelism())
    .option('--case <id>', 'run only this case; may be repeated; implies --exploratory', collect, [])
    .option('--sign <key>', 'sign the verdict, beside the bundle, with this private key (PEM)')
    .option('--json', 'print one JSON document on standard output', false);
  addSubjectOption(command).action(async (plan: string, options: Options) => exit(await run(resolve(plan), options)));
}

async function run(planFile: string, options: Options): Promise<number> {
  const installation = ownInstallation();
  if (options.sign !== undefined) await demandSigningKey(options.sign, installation);
  const out = resolve(
    options.out ?? (isCheckout(installation) ? join(installation.packageRoot, 'evidence', 'runs') : 'killpoint-runs'),
  );
  const { type } = probeFileSystem(out);
  if (isUnsafeFileSystem(type))
    process.stderr.write(`warning: ${out} lies on ${type}, where SQLite's write-ahead log is not safe.\n`);
  const display = createDisplay(isLive() && !options.json);
  const interruption = onInterrupt();
  const began = process.hrtime.bigint();
  let result: RunResult;
  try {
    result = await runPlan({
      planFile,
      out,
      subjects: options.subject,
      exploratory: options.exploratory,
      jobs: options.jobs,
      cases: options.case,
      argv: ['killpoint', ...process.argv.slice(2)],
      installation,
      progress: display.progress,
      onPlan: display.begin,
      signal: interruption,
    });
  } finally {
    await display.end();
  }
  const judged = await askForVerdict(result.bundle, installation, interruption, options.sign);
  const wallS = (Number(process.hrtime.bigint() - began) / 1e9).toFixed(1);
  process.stdout.write(
    options.json ? `${JSON.stringify(document(result, judged, wallS))}\n` : runSummary(result, judged, wallS, colours()),
  );
  return judged.exitCode;
}

function document(result: RunResult, { verdict, path, signed }: Judged, wallS: string): object {
  return {
    bundle: result.bundle,
    cases: result.cases,
    claims: verdict.claims,
    confirmatory: result.confirmatory,
    findings: verdict.findings,
    kills: result.kills,
    plan: result.plan,
    reached: result.reached,
    root_sha256: result.rootSha256,
    run_id: result.runId,
    ...(signed.length > 0 && { signed }),
    verdict: verdict.verdict,
    verdict_document: path,
    void: result.voids.length,
    voids: result.voids,
    wall_s: Number(wallS),
  };
}

/** The first signal ends the run in order; the second is left to the system. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function colours(): boolean {
  return process.stdout.isTTY && !process.env.NO_COLOR;
}

/** A terminal that does not know its width (some recorders) would get one letter a line; a dumb one cannot go back. */
function isLive(): boolean {
  return process.stderr.isTTY && process.stderr.columns > 20 && process.env.TERM !== 'dumb';
}

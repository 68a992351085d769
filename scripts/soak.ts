/**
 * Looks for false alarms and for races that are lost: the plans again and again, with every core kept busy: `npm run soak [-- <plan>=<number>…]`.
 *
 * Then generated mutants of every kept bundle are made, more than five thousand (`soak/mutants.ts`): none may survive. Then 100,000 random histories are held
 * against three accounts of them (`differential/whole.ts`), and every planted defect of derivation is looked for: none may disagree, none may be missed.
 *
 * Of a plan that samples system calls or derived states, all of them are tried. A plan has one right answer, so each verdict other than `valid`, and each void case, is an alarm. Load moves every race that a guess about
 * time would lose. `--seed <text>` chooses the cases of a sample, `--burners <n>` how many processes do nothing but spin. The bundle of a run
 * that alarmed is kept; the others go. An interrupt ends the run in hand and still writes the summary, which then says that it is not the
 * full number.
 */
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuild, orExit, root } from './build.mjs';
import { goalsOf, sampleOf, wholeOf, type Goal, type Plan } from './soak/goals.js';
import { compareAll, isQuiet as areAgreed, wantedWhole } from './differential/whole.js';
import { breakBundles, soakSize } from './soak/mutants.js';
import { noReach, reachIn, sumOfReach, type Reach } from './soak/points.js';
import { endAll, runPlan, startBurner, type Ran } from './soak/processes.js';
import { noRaces, racesIn, sumOfRaces, type Races, type Verdict } from './soak/races.js';

const out = 'evidence/runs';

interface Alarm {
  run: number;
  exit_code: number | null;
  verdict: string;
  void: number;
  bundle: string | null;
}

interface Summary {
  plan: string;
  wanted: Record<string, number>;
  /** The cases that were run again and again, or null: all of the plan. */
  sample: string[] | null;
  runs: number;
  cases: number;
  kills: number;
  races: Races | null;
  /** The points of its ratchets, and the states that a power loss may leave, of all runs together. */
  reach: Reach;
  wall_s: number;
  false_alarms: number;
  alarms: Alarm[];
  complete: boolean;
}

let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
  endAll('SIGTERM');
});

/** Runs one plan until its goal is met. */
async function soak(main: string, goal: Goal, plan: Plan, seed: string): Promise<Summary> {
  const sample = sampleOf(goal, plan, seed);
  const selected = (sample ?? []).flatMap((id) => ['--case', id]);
  const args = [planOf(goal.plan, plan), '--out', out, ...selected];
  const began = Date.now();
  const alarms: Alarm[] = [];
  const count = { runs: 0, cases: 0, kills: 0 };
  let races = noRaces();
  let reach = noReach();
  const reached = (): number => (goal.unit === 'races' ? races.rounds : count[goal.unit]);
  while (reached() < goal.number && !interrupted) {
    const before = reached();
    const ran = await runPlan(main, args);
    if (interrupted) break;
    count.runs++;
    const { report } = ran;
    const verdict = report && (JSON.parse(readFileSync(report.verdict_document, 'utf8')) as Verdict);
    if (report !== undefined && verdict !== undefined) {
      count.cases += report.cases;
      count.kills += report.kills;
      races = sumOfRaces(races, racesIn(report.bundle, verdict));
      reach = sumOfReach(reach, reachIn(report.bundle));
    }
    if (report !== undefined && isQuiet(ran, verdict, sample)) removeRun(report.bundle);
    else {
      alarms.push(alarmOf(count.runs, ran));
      process.stderr.write(`${ran.stderr.slice(-2000)}\n`);
    }
    process.stderr.write(
      `${goal.plan}, run ${count.runs}: ${reached()} of ${goal.number} ${goal.unit}, ${alarms.length} alarms\n`,
    );
    // A run that counts for nothing would otherwise repeat for ever.
    if (reached() === before) break;
  }
  return {
    plan: goal.plan,
    wanted: { [goal.unit]: goal.number },
    sample,
    ...count,
    races: races.rounds === 0 ? null : races,
    reach,
    wall_s: Math.round((Date.now() - began) / 1000),
    false_alarms: alarms.length,
    alarms,
    complete: reached() >= goal.number,
  };
}

/** The full number of a plan that samples is everything that it samples from. */
function planOf(name: string, plan: Plan): string {
  const whole = wholeOf(plan);
  if (whole === null) return `preregistrations/${name}.json`;
  const path = join(root, out, `${name}-whole.json`);
  mkdirSync(join(root, out), { recursive: true });
  writeFileSync(path, `${JSON.stringify(whole, null, 2)}\n`);
  return path;
}

/** A sample leaves the rest of its plan unknown: then nothing may be found, and nothing unknown in the cases that ran. */
function isQuiet({ code, report }: Ran, verdict: Verdict | undefined, sample: string[] | null): boolean {
  if (report?.void !== 0 || verdict === undefined) return false;
  if (sample === null) return code === 0 && report.verdict === 'valid';
  const unknown = verdict.results.filter(({ scope, result }) => result === 'unknown' && sample.includes(scope));
  return verdict.findings.length === 0 && unknown.length === 0 && verdict.outcomes.length > 0;
}

function alarmOf(run: number, { code, report }: Ran): Alarm {
  return {
    run,
    exit_code: code,
    verdict: report?.verdict ?? 'none',
    void: report?.void ?? 0,
    bundle: report?.bundle ?? null,
  };
}

function removeRun(bundle: string): void {
  rmSync(bundle, { recursive: true, force: true });
  rmSync(`${bundle}.verdict.json`, { force: true });
}

function readPlans(): Map<string, Plan> {
  const names = readdirSync(join(root, 'preregistrations')).filter((name) => name.endsWith('.json'));
  const read = (name: string): Plan => JSON.parse(readFileSync(join(root, 'preregistrations', name), 'utf8')) as Plan;
  return new Map(names.sort().map((name) => [name.replace(/\.json$/, ''), read(name)]));
}

function asked(plans: ReadonlyMap<string, Plan>): { goals: Goal[]; seed: string; burners: number; whole: boolean } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { seed: { type: 'string', default: 'killpoint' }, burners: { type: 'string', default: '2' } },
    });
    if (!/^\d+$/.test(values.burners)) throw new Error('--burners wants a number from 0.');
    return {
      goals: goalsOf(positionals, plans),
      seed: values.seed,
      burners: Number(values.burners),
      whole: positionals.length === 0,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(64);
  }
}

const plans = readPlans();
const { goals, seed, burners, whole } = asked(plans);
const build = orExit(ensureBuild);
const main = join(build, 'harness/cli/main.js');
const summaries: Summary[] = [];
for (let index = 0; index < burners; index++) startBurner();
try {
  for (const goal of goals) {
    const plan = plans.get(goal.plan);
    if (plan !== undefined && !interrupted) summaries.push(await soak(main, goal, plan, seed));
  }
} finally {
  endAll('SIGKILL');
}

const complete = summaries.length === goals.length && summaries.every((one) => one.complete);
// Of every kept bundle some hundred generated mutants, where no plan was asked for by name.
const mutants = whole && !interrupted ? breakBundles(build, [], { size: soakSize, seed }) : null;
const isInterrupted = (): boolean => interrupted;
const differential = whole && !interrupted ? await compareAll(build, { ...wantedWhole, isInterrupted }) : null;
const summary = { seed, burners, complete, interrupted, plans: summaries, mutants, differential };
const path = join(root, out, 'soak-summary.json');
mkdirSync(join(root, out), { recursive: true });
writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(summary, null, 2)}\n`);
renameSync(`${path}.${process.pid}`, path);
process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
const isQuietAll = summaries.every(({ alarms }) => alarms.length === 0) && (mutants === null || mutants.survivors === 0);
const isAgreed = differential === null || (differential.complete && areAgreed(differential));
process.exitCode = complete && isQuietAll && isAgreed ? 0 : 1;

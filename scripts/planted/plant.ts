/**
 * Plants one defect and asks whether the experiment notices: patch, build, run the plan, judge.
 *
 * A harness that never shows a defect may be unable to. Each patch takes one rule out of a copy of the sources; the plan that guards the rule
 * must then end `invalid` with the codes that the patch names. The runtime holds no flag for it: what ships is never the thing with the defect.
 */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../ci/shared.js';
import { applyPatch, buildCopy } from './copy.js';
import { parseHeader, type Header } from './header.js';
import { problemsOf, type Plan, type Report } from './judge.js';

export interface Planted {
  /** In sentences; empty where the defect was found. */
  readonly problems: readonly string[];
  /** What ran, for a person; empty where nothing did. */
  readonly size: string;
}

/**
 * @param prepared a copy of the sources by `prepareCopy`
 * @param patch the patch file
 * @param folder where the patched copy goes; must not be there yet
 */
export function plant(prepared: string, patch: string, folder: string): Planted {
  let header: Header;
  let plan: Plan;
  let build: string;
  const began = Date.now();
  try {
    header = parseHeader(readFileSync(patch, 'utf8'));
    plan = planOf(prepared, header.plan, header.cases);
    build = buildPatched(prepared, patch, folder);
  } catch (error) {
    return { problems: [error instanceof Error ? error.message : String(error)], size: '' };
  }
  const built = Date.now();
  const { report, refused } = runPlan(build, folder, header.plan, header.cases);
  if (report === null) return { problems: [refused], size: '' };
  const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
  const counted = `${report.cases} of ${plan.cases.length} cases of ${header.plan}, ${report.kills} kills, ${report.findings.length} findings`;
  return {
    problems: problemsOf(header, plan, report),
    size: `${counted}; built in ${seconds(began, built)}, ran in ${seconds(built, Date.now())}`,
  };
}

/** Copies, patches and builds; returns the folder of the build. Throws a sentence where the patch does not apply. */
export function buildPatched(prepared: string, patch: string, folder: string): string {
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  applyPatch(folder, patch);
  return buildCopy(folder);
}

/** Runs a plan of a copy with its build. Without a report, `refused` says why there is none. */
export function runPlan(
  build: string,
  folder: string,
  plan: string,
  cases: readonly string[] = [],
): { report: Report | null; refused: string } {
  const args = ['run', `preregistrations/${plan}.json`, '--exploratory', '--out', 'evidence/runs', '--json'];
  const selected = cases.flatMap((id) => ['--case', id]);
  const ran = run(process.execPath, [join(build, 'harness/cli/main.js'), ...args, ...selected], { cwd: folder });
  const report = reportIn(ran.stdout);
  return {
    report,
    refused: report === null ? `The run gave no report (exit ${ran.status}): ${ran.stderr.slice(-1000).trim()}` : '',
  };
}

/** Throws a sentence where the plan, or one of the cases, is not there. */
export function planOf(folder: string, name: string, cases: readonly string[]): Plan {
  const path = join(folder, 'preregistrations', `${name}.json`);
  if (!existsSync(path)) throw new Error(`There is no plan ${name} in preregistrations/.`);
  const plan = JSON.parse(readFileSync(path, 'utf8')) as Plan;
  const unknown = cases.filter((id) => !plan.cases.some((one) => one.id === id));
  if (unknown.length > 0) throw new Error(`The plan ${name} has no case ${unknown.join(', ')}.`);
  return plan;
}

/** The report with its outcomes, or null: a run that was refused or broke down says so on standard error only. */
function reportIn(stdout: string): Report | null {
  try {
    const report = JSON.parse(stdout) as Omit<Report, 'outcomes'> & { verdict_document: string };
    const { outcomes } = JSON.parse(readFileSync(report.verdict_document, 'utf8')) as Pick<Report, 'outcomes'>;
    return { ...report, outcomes };
  } catch {
    return null;
  }
}

/**
 * The same plans on the sources as they are: what finds a planted defect must find nothing where none is planted, in the same invocation.
 *
 * A plan that is broken anyway would have any defect count as found. One run a plan, of the cases of all patches that name it.
 */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { buildCopy } from './copy.js';
import { parseHeader, type Header } from './header.js';
import type { Report } from './judge.js';
import { planOf, runPlan } from './plant.js';

/** What keeps the plan of a patch from being clean without it, in sentences; empty where it is, or where the patch names no plan. */
export type Unplanted = (patch: string) => readonly string[];

/**
 * @param prepared a copy of the sources by `prepareCopy`
 * @param patches all patch files of this invocation
 * @param folder where the copy goes; must not be there yet
 */
export function unplanted(prepared: string, patches: readonly string[], folder: string, say: (line: string) => void): Unplanted {
  const selected = selectionOf(patches);
  const known = new Map<string, readonly string[]>();
  let build: string | undefined;
  const run = (plan: string, cases: readonly string[]): readonly string[] => {
    if (!existsSync(folder)) cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
    build ??= buildCopy(folder);
    const began = Date.now();
    const { report, refused } = runPlan(build, folder, plan, cases);
    const problems = report === null ? [`Without the defect: ${refused}`] : whyUnclean(report);
    const of = planOf(prepared, plan, cases).cases.length;
    const counted =
      report === null ? 'no report' : `${report.cases} of ${of} cases, ${report.kills} kills, ${report.findings.length} findings`;
    say(
      `${problems.length === 0 ? 'clean' : 'NOT CLEAN'} ${plan}, nothing planted: ${counted}; ran in ${((Date.now() - began) / 1000).toFixed(1)} s`,
    );
    return problems;
  };
  return (patch) => {
    const plan = headerOf(patch)?.plan;
    const cases = plan === undefined ? undefined : selected.get(plan);
    if (plan === undefined || cases === undefined) return [];
    const problems = known.get(plan) ?? run(plan, cases);
    known.set(plan, problems);
    return problems;
  };
}

/** By plan the cases that some patch names; none, which is all of them, where a patch asks for the whole plan. */
export function selectionOf(patches: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = patches.flatMap((patch) => headerOf(patch) ?? []);
  const plans = [...new Set(headers.map(({ plan }) => plan))];
  return new Map(
    plans.map((plan) => {
      const wanted = headers.filter((header) => header.plan === plan).map(({ cases }) => cases);
      return [plan, wanted.some(({ length }) => length === 0) ? [] : [...new Set(wanted.flat())]];
    }),
  );
}

/** Pure. An unknown verdict is no problem: an exploratory run of some cases leaves the others open. */
export function whyUnclean({ voids, findings }: Pick<Report, 'voids' | 'findings'>): string[] {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  return [
    ...voids.map((one) => `Without the defect ${one.case}/${one.snapshot} is void (${one.reason}): ${one.detail}`),
    ...codes.map((code) => `Without the defect there is a finding ${code}.`),
  ];
}

/** A header that cannot be read is told where the patch is planted. */
function headerOf(patch: string): Header | null {
  try {
    return parseHeader(readFileSync(patch, 'utf8'));
  } catch {
    return null;
  }
}

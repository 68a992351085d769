/**
 * Runs the plans of its subject against each planted defect, all of them or those that are named, and says which crash model found it.
 *
 * A plan that gave no report is in the table with the reason. Fault model: that of each plan. It takes hours for all plans and defects; a soak does it, and its summary is kept.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseHeader } from './header.js';
import { buildPatched, runPlan } from './plant.js';
import { casesOf, foundIn, saidOf, type Defect, type Plan } from './table.js';

/**
 * @param prepared a copy of the sources by `prepareCopy`
 * @param patches the patch files
 * @param wanted the names of the plans; empty for all
 * @param count how many cases of each plan, chosen by `casesOf`; null for all
 * @param home an empty folder for the patched copies
 */
export function tabulate(
  prepared: string,
  patches: ReadonlyMap<string, string>,
  wanted: readonly string[],
  count: number | null,
  home: string,
  say: (line: string) => void,
): Defect[] {
  const plans = plansIn(prepared).filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  return [...patches].map(([name, patch]): Defect => {
    const { plan: guard, cases: guarded, why } = parseHeader(readFileSync(patch, 'utf8'));
    const folder = join(home, name);
    const build = buildPatched(prepared, patch, folder);
    const subject = plansIn(prepared).find(({ id }) => id === guard)?.subject;
    const runs = plans
      .filter((plan) => plan.subject === subject)
      .map((plan) => {
        const chosen = count === null ? [] : casesOf(plan, plan.id === guard ? guarded : [], count);
        const ran = runPlan(build, folder, plan.id, chosen);
        // The table is kept: it names no folder of a machine.
        const refused = ran.refused.replaceAll(folder, '.');
        const { report } = ran;
        say(`${name}, ${plan.id}: ${report === null ? refused : `${report.verdict}, ${report.findings.length} findings`}`);
        return { plan, report, refused, cases: chosen.length === 0 ? plan.cases.length : chosen.length };
      });
    rmSync(folder, { recursive: true, force: true });
    return { name, why, plans: runs.map(saidOf), found: foundIn(runs) };
  });
}

function plansIn(folder: string): Plan[] {
  const home = join(folder, 'preregistrations');
  const names = readdirSync(home).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => JSON.parse(readFileSync(join(home, name), 'utf8')) as Plan);
}

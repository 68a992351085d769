/**
 * What a power loss may leave of each traced run of a plan, as a table of README.md, and how many calls were made to fail in each of another.
 *
 * Read from a kept bundle: the counts that the verifier has found to be those of the trace (G46), and the snapshots that each arm stands for (G45, G48).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Arm {
  id: string;
  role: string;
  crash?: { model: string; persistence?: string; family?: string };
}
interface Plan {
  cases: { id: string; arms: Arm[] }[];
}
interface Derivation {
  operations: number;
  requests: number;
  cuts: number;
  derived: number;
  distinct: number;
  examined: number;
  opened: number;
  remade: number;
}

const families = ['writes', 'syncs', 'names'];

const load = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'));

/** One row for each arm under power loss, in the order of the plan. */
export function powerLossFigures(bundle: string): string {
  const { cases } = load(bundle, 'data/plan.json') as Plan;
  const rows = cases.flatMap(({ id, arms }) =>
    arms
      .filter(({ crash }) => crash?.model === 'power-loss')
      .map((arm) => {
        const folder = join(bundle, 'data/cases', id);
        const counts = load(folder, arm.id, 'derivation.json') as Derivation;
        const carried = readdirSync(folder).filter((name) => name.startsWith(`${arm.id}-`)).length;
        const { operations, requests, cuts, derived, distinct, examined, opened, remade } = counts;
        const figures = [operations, requests, cuts, derived, distinct, examined, opened, remade, carried];
        return `| ${id} | ${arm.crash?.persistence ?? ''} | ${figures.join(' | ')} |`;
      }),
  );
  if (rows.length === 0) throw new Error(`${bundle} has no arm under power loss.`);
  return [
    '| while | the disk keeps | operations | requests | cuts | states | distinct | looked at | opened | made anew | carried on |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** One row for each case: how often a call of each family was made to fail. */
export function faultFigures(bundle: string): string {
  const { cases } = load(bundle, 'data/plan.json') as Plan;
  const rows = cases.flatMap(({ id, arms }) => {
    const folder = join(bundle, 'data/cases', id);
    const failedOf = (wanted: string): number =>
      arms
        .filter(({ crash }) => crash?.model === 'io-fault' && crash.family === wanted)
        .reduce((sum, arm) => sum + pointsOf(folder, arm), 0);
    const counts = families.map(failedOf);
    return counts.some((count) => count > 0) ? [`| ${id} | ${counts.join(' | ')} |`] : [];
  });
  if (rows.length === 0) throw new Error(`${bundle} has no arm in which calls fail.`);
  return [`| while | ${families.join(' | ')} |`, '|---|---|---|---|', ...rows].join('\n');
}

/** Each point has somebody who carries on from it. */
function pointsOf(folder: string, { id }: Arm): number {
  return readdirSync(folder).filter((name) => name.startsWith(`${id}-`) && existsSync(join(folder, `${name}-end`))).length;
}

/**
 * What a power loss may leave of each traced run of a plan, as a table of README.md, and before how many calls somebody was killed in another, or how
 * many of them were made to fail.
 *
 * Read from a kept bundle: the counts that the verifier has found to be those of the trace (G46), and the snapshots that each arm stands for (G45, G48).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pointsOf } from '../soak/points.js';

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
  left_out: number;
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
        const { operations, requests, cuts, left_out, derived, distinct, examined, opened, remade } = counts;
        const figures = [operations, requests, cuts, left_out, derived, distinct, examined, opened, remade, carried];
        return `| ${id} | ${arm.crash?.persistence ?? ''} | ${figures.join(' | ')} |`;
      }),
  );
  if (rows.length === 0) throw new Error(`${bundle} has no arm under power loss.`);
  return [
    '| while | the disk keeps | operations | requests | cuts | left out | states | distinct | looked at | opened | made anew | carried on |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** One row for each case and role: of how many calls of each family that the traced runs made how many had their turn. */
export function ratchetFigures(bundle: string): string {
  const { cases } = load(bundle, 'data/plan.json') as Plan;
  const rows = cases.flatMap(({ id, arms }) => {
    const folder = join(bundle, 'data/cases', id);
    const ratchets = arms.filter(({ crash }) => crash?.family !== undefined);
    return [...new Set(ratchets.map(({ role }) => role))].map((role) => {
      const counts = families.map((family) => {
        const points = ratchets
          .filter((arm) => arm.role === role && arm.crash?.family === family)
          .map((arm) => pointsOf(folder, arm));
        const sum = (of: 'found' | 'tried'): number => points.reduce((total, one) => total + one[of], 0);
        return points.length === 0 ? '' : `${sum('tried')} of ${sum('found')}`;
      });
      return `| ${id} | ${role === 'resume' ? 'resume' : 'producer'} | ${counts.join(' | ')} |`;
    });
  });
  if (rows.length === 0) throw new Error(`${bundle} has no arm under a ratchet.`);
  return [`| while | of the | ${families.join(' | ')} |`, '|---|---|---|---|---|', ...rows].join('\n');
}

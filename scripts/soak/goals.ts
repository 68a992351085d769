/**
 * How much of which plan a soak runs, and which cases make up a sample. Pure.
 *
 * Counted are cases, or races where a plan has them, or whole runs: of a plan whose arms stand for many crashes, a case alone says little. A goal
 * that is smaller than one run of its plan is met by a sample of its cases, chosen by a seed: the same seed and plan give the same cases.
 */
import { createHash } from 'node:crypto';

interface Crash {
  readonly model: string;
  readonly every?: number;
  readonly offset?: number;
}

export interface Plan {
  readonly cases: readonly { readonly id: string; readonly arms: readonly { readonly crash?: Crash }[] }[];
}

export type Unit = 'cases' | 'races' | 'runs';

export interface Goal {
  /** The name of the plan in preregistrations/. */
  readonly plan: string;
  readonly unit: Unit;
  readonly number: number;
}

/** The numbers that the issues ask for. Every other plan runs once more. */
const numbers: Readonly<Record<string, number>> = { 'working-state': 1000, races: 1000 };

/** The goals of a soak: of the arguments `plan=number`, or of every plan. Throws a sentence for people. */
export function goalsOf(args: readonly string[], plans: ReadonlyMap<string, Plan>): Goal[] {
  const asked = args.map((arg): [string, number] => {
    const [, name = '', number = ''] = /^([a-z0-9-]+)=([0-9]+)$/.exec(arg) ?? [];
    if (Number(number) < 1) throw new Error(`"${arg}" is not <plan>=<number>, with a number from 1.`);
    return [name, Number(number)];
  });
  const wanted = asked.length > 0 ? asked : [...plans.keys()].map((name): [string, number | undefined] => [name, numbers[name]]);
  return wanted.map(([name, number]) => {
    const plan = plans.get(name);
    if (plan === undefined) throw new Error(`There is no plan ${name}; there are: ${[...plans.keys()].join(', ')}.`);
    if (number === undefined) return { plan: name, unit: 'runs', number: 1 };
    return { plan: name, unit: unitOf(plan), number };
  });
}

/** The cases of a sample that meets the goal, in the order of the plan; null where it takes whole runs. */
export function sampleOf({ unit, number }: Goal, plan: Plan, seed: string): string[] | null {
  if (unit === 'runs') return null;
  const sizeOf = (one: Plan['cases'][number]): number => (unit === 'races' ? racesOf(one) : 1);
  if (number >= plan.cases.reduce((sum, one) => sum + sizeOf(one), 0)) return null;
  const rank = (id: string): string => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  const chosen = new Set<string>();
  let reached = 0;
  for (const one of plan.cases.filter((row) => sizeOf(row) > 0).toSorted((a, b) => (rank(a.id) < rank(b.id) ? -1 : 1))) {
    if (reached >= number) break;
    chosen.add(one.id);
    reached += sizeOf(one);
  }
  return plan.cases.map(({ id }) => id).filter((id) => chosen.has(id));
}

/** A plan that samples system calls or derived states, with every one of them instead; null where it samples none. */
export function wholeOf<P extends Plan>(plan: P): P | null {
  const samples = plan.cases.some(({ arms }) => arms.some(({ crash }) => crash?.every !== undefined && crash.every !== 1));
  if (!samples) return null;
  const whole = (crash: Crash): Crash => (crash.every === undefined ? crash : { ...crash, every: 1, offset: 0 });
  const cases = plan.cases.map((one) => ({
    ...one,
    arms: one.arms.map((arm) => (arm.crash === undefined ? arm : { ...arm, crash: whole(arm.crash) })),
  }));
  return { ...plan, cases };
}

function unitOf({ cases }: Plan): Unit {
  if (cases.some(({ arms }) => arms.some(({ crash }) => crash?.every !== undefined))) return 'runs';
  return cases.some((one) => racesOf(one) > 0) ? 'races' : 'cases';
}

function racesOf({ arms }: Plan['cases'][number]): number {
  return arms.filter(({ crash }) => crash?.model === 'race').length;
}

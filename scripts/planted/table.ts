/**
 * Which crash model finds which planted defect: every plan of a subject against each defect of that subject. Pure but for the runs it is given.
 *
 * A finding belongs to the model of the snapshot at which it stands. Findings about a bundle or a whole case belong to none.
 */
import { createHash } from 'node:crypto';
import type { Report } from './judge.js';

export interface Plan {
  readonly id: string;
  readonly subject: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly id: string;
  readonly kill: object | null;
  readonly arms: readonly Arm[];
}

interface Arm {
  readonly id: string;
  readonly kill?: object | null;
  readonly crash?: { readonly model: string };
}

/** In the order in which a table shows them. */
export const models = [
  'no crash',
  'process-kill',
  'crash-in-recovery',
  'race',
  'zombie',
  'syscall-kill',
  'power-loss',
  'io-fault',
] as const;
export type Model = (typeof models)[number];

export interface Defect {
  readonly name: string;
  readonly why: string;
  /** What each plan said, and how many of its cases ran or were to. */
  readonly plans: readonly Said[];
  /** The codes by which each model found it. */
  readonly found: Readonly<Partial<Record<Model, readonly string[]>>>;
}

interface Said {
  readonly plan: string;
  readonly cases: number;
  /** `none` where the run gave no report. */
  readonly verdict: string;
  readonly void: number;
  /** Why it gave no report. */
  readonly refused?: string;
}

/** One run of a plan; without a report, why there is none. */
export interface Run {
  readonly plan: Plan;
  readonly cases: number;
  readonly report: Pick<Report, 'verdict' | 'voids' | 'findings'> | null;
  readonly refused: string;
}

export interface Table {
  readonly defects: readonly Defect[];
}

/** The table with new rows in the place of old ones of the same name; rows of defects that are planted no more go. */
export function withRows({ defects }: Table, rows: readonly Defect[], planted: readonly string[]): Table {
  const byName = new Map([...defects, ...rows].map((row) => [row.name, row]));
  return { defects: planted.flatMap((name) => byName.get(name) ?? []) };
}

/** The models that a plan tries. */
export function modelsIn({ cases }: Pick<Plan, 'cases'>): ReadonlySet<Model> {
  const snapshots = cases.flatMap(({ id, arms }) =>
    ['producer', ...arms.map((arm) => arm.id)].map((snapshot) => ({ case: id, snapshot })),
  );
  return new Set(snapshots.flatMap((where) => modelAt({ id: '', subject: '', cases }, where) ?? []));
}

/**
 * Some cases of a plan, in its order: those that are named, and others by the digest of their names until there are so many and every model of the
 * plan is among them. The same ones each time.
 */
export function casesOf(plan: Plan, named: readonly string[], count: number): string[] {
  const rank = ({ id }: Case): string => createHash('sha256').update(`${plan.id} ${id}`).digest('hex');
  const others = plan.cases.filter(({ id }) => !named.includes(id)).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const chosen = plan.cases.filter(({ id }) => named.includes(id));
  const tried = (): ReadonlySet<Model> => modelsIn({ ...plan, cases: chosen });
  const missing = (one: Case): boolean => [...modelsIn({ ...plan, cases: [one] })].some((model) => !tried().has(model));
  for (const one of others) if (missing(one)) chosen.push(one);
  for (const one of others) if (chosen.length < count && !chosen.includes(one)) chosen.push(one);
  return plan.cases.filter((one) => chosen.includes(one)).map(({ id }) => id);
}

export function saidOf({ plan: { id: plan }, cases, report, refused }: Run): Said {
  if (report === null) return { plan, cases, verdict: 'none', void: 0, refused };
  return { plan, cases, verdict: report.verdict, void: report.voids.length };
}

/** The findings of some runs by model, codes in their order. */
export function foundIn(
  runs: readonly { readonly plan: Plan; readonly report: Pick<Report, 'findings'> | null }[],
): Defect['found'] {
  const codes = new Map<Model, Set<string>>();
  for (const { plan, report } of runs)
    for (const { code, where } of report?.findings ?? []) {
      const model = modelAt(plan, where);
      if (model === null) continue;
      codes.set(model, (codes.get(model) ?? new Set()).add(code));
    }
  return Object.fromEntries(models.flatMap((model) => (codes.has(model) ? [[model, [...(codes.get(model) ?? [])].sort()]] : [])));
}

/** Null where it stands at no snapshot of the plan. */
export function modelAt(
  { cases }: Plan,
  where: { readonly case: string | null; readonly snapshot: string | null },
): Model | null {
  const inCase = cases.find(({ id }) => id === where.case);
  if (inCase === undefined || where.snapshot === null) return null;
  const ofProducer = inCase.kill === null ? 'no crash' : 'process-kill';
  if (where.snapshot === 'producer') return ofProducer;
  const arm =
    inCase.arms.find(({ id }) => id === where.snapshot) ??
    inCase.arms.find(({ id, crash }) => crash !== undefined && where.snapshot?.startsWith(`${id}-`));
  if (arm === undefined) return null;
  if (arm.crash !== undefined) return models.find((model) => model === arm.crash?.model) ?? null;
  return (arm.kill ?? null) === null ? ofProducer : 'process-kill';
}

/**
 * `plan.json` → the list of cases and snapshots that the evidence must hold. It is read before any evidence, so that what is
 * expected never depends on what is found. Besides the shape, every name must lead somewhere and be said once.
 */
import type { Plan } from '../contract/types.js';
import { validatePlan } from '../contract/validators.js';
import { decodeUtf8, parseJson } from './canonical.js';
import { EvidenceError } from '../errors.js';

export type PlannedCase = Plan['cases'][number];
type PlannedArm = PlannedCase['arms'][number];
export type Expectation = PlannedCase['expect'];
export type Kill = PlannedCase['kill'];

export interface PlannedSnapshot {
  readonly id: string;
  readonly role: PlannedArm['role'];
  readonly kill: Kill;
  /** The snapshot that this one began as a copy of. */
  readonly from: string | null;
  readonly scenario: string;
  readonly provider: string;
  readonly expect: Expectation;
}

export const producer = 'producer';

export function readPlan(bytes: Uint8Array): Plan {
  const value: unknown = parseJson(decodeUtf8(bytes));
  if (!validatePlan(value)) {
    const { instancePath = '', message = '' } = validatePlan.errors?.[0] ?? {};
    throw new EvidenceError('wrong-shape', `This is not a plan: ${instancePath} ${message}.`);
  }
  const problems = planProblems(value);
  if (problems.length > 0) throw new EvidenceError('wrong-shape', `The plan contradicts itself: ${problems.join(' ')}`);
  return value;
}

export function snapshotsOf(planned: PlannedCase): PlannedSnapshot[] {
  const { scenario, provider, kill, expect } = planned;
  const first: PlannedSnapshot = { id: producer, role: 'produce', kill, from: null, scenario, provider, expect };
  const arms = planned.arms.map((arm) => ({
    id: arm.id,
    role: arm.role,
    kill: arm.kill ?? null,
    from: arm.from ?? producer,
    scenario: arm.scenario ?? scenario,
    provider: arm.provider ?? provider,
    expect: arm.expect,
  }));
  return [first, ...arms];
}

function planProblems(plan: Plan): string[] {
  const problems: string[] = [];
  const cases = new Map<string, PlannedCase>();
  for (const planned of plan.cases) {
    if (cases.has(planned.id)) problems.push(`The case ${planned.id} is planned twice.`);
    cases.set(planned.id, planned);
    const earlier = new Set<string>();
    for (const { id, from, scenario, provider, kill, expect } of snapshotsOf(planned)) {
      const name = `${planned.id}/${id}`;
      if (earlier.has(id)) problems.push(`The snapshot ${name} is planned twice.`);
      if (from !== null && !earlier.has(from)) problems.push(`${name} begins from ${from}, which does not come before it.`);
      if (!Object.hasOwn(plan.scenarios, scenario)) problems.push(`${name} names the scenario ${scenario}, which is not there.`);
      if (!Object.hasOwn(plan.providers, provider)) problems.push(`${name} names the provider ${provider}, which is not there.`);
      if ((kill !== null) !== (expect.ended === 'killed'))
        problems.push(`${name} is killed and expected otherwise, or the reverse.`);
      earlier.add(id);
    }
  }
  for (const id of plan.controls.no_kill) {
    if (cases.get(id)?.kill !== null) problems.push(`The control ${id} is no case without a kill.`);
  }
  for (const { case: id, arm } of plan.controls.naive_restart) {
    if (cases.get(id)?.arms.find((planned) => planned.id === arm)?.role !== 'restart')
      problems.push(`The control ${id}/${arm} is no restart.`);
  }
  return problems;
}

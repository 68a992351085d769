/**
 * `plan.json` → the plan. It is read before any evidence. Besides the shape, every name must lead somewhere and be said once, and
 * what is planned of one snapshot must go together.
 */
import type { Plan } from '../contract/types.js';
import { validatePlan } from '../contract/validators.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8 } from './canonical.js';
import { parseOneReading } from './one-reading.js';
import { snapshotsOf, type PlannedCase, type PlannedSnapshot } from './plan.js';

/** Larger than any that a person writes and reads. */
const mostBytes = 16 * 1024 * 1024;
/** What is planned of one case refers to one another, so that a case of very many arms takes very long. */
const mostArms = 1000;
/** What an arm stands for is counted from numbers in the plan, and a number is short. */
const mostSnapshots = 100_000;
/** Nobody reads on. */
const mostProblems = 10;

export function readPlan(bytes: Uint8Array): Plan {
  if (bytes.length > mostBytes) throw new EvidenceError('too-large', `The plan is larger than ${mostBytes} bytes.`);
  const value: unknown = parseOneReading(decodeUtf8(bytes));
  if (!validatePlan(value)) {
    const { instancePath = '', message = '' } = validatePlan.errors?.[0] ?? {};
    throw new EvidenceError('wrong-shape', `This is not a plan: ${instancePath} ${message}.`);
  }
  const problems = planProblems(value);
  if (problems.length > 0) throw new EvidenceError('wrong-shape', `The plan contradicts itself: ${problems.join(' ')}`);
  return value;
}

function planProblems(plan: Plan): string[] {
  if (countSnapshots(plan) > mostSnapshots) return [`It stands for more than ${mostSnapshots} snapshots.`];
  const problems: string[] = [];
  const cases = new Map<string, PlannedCase>();
  for (const planned of plan.cases) {
    if (cases.has(planned.id)) problems.push(`The case ${planned.id} is planned twice.`);
    cases.set(planned.id, planned);
    problems.push(...armProblems(planned));
    if (problems.length > mostProblems) return problems;
    // What is wrong with the arms would be said again of every snapshot that they stand for.
    if (problems.length === 0) problems.push(...snapshotProblems(plan, planned));
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

/** Without making them; what a ratchet finds is not in a plan. */
function countSnapshots({ cases }: Plan): number {
  const ofArm = ({ crash }: PlannedCase['arms'][number]): number =>
    crash?.model === 'crash-in-recovery' ? crash.commits.reduce((sum, following) => sum + 2 * following + 4, 1) : 1;
  return cases.reduce((sum, { arms }) => arms.reduce((all, arm) => all + ofArm(arm), sum + 1), 0);
}

function armProblems({ id: caseId, arms }: PlannedCase): string[] {
  if (arms.length > mostArms) return [`${caseId} has more than ${mostArms} arms.`];
  return arms.flatMap(({ id, role, operation, input, crash, kill, from }) => {
    const name = `${caseId}/${id}`;
    const problems: string[] = [];
    if (operation !== undefined && role !== 'resume') problems.push(`${name} has an operation and is no resume.`);
    if (input !== undefined && operation === undefined) problems.push(`${name} has an input and no operation.`);
    if (crash !== undefined && (kill ?? null) !== null) problems.push(`${name} has a crash model and a kill.`);
    if (crash?.model === 'syscall-kill' || crash?.model === 'io-fault' || crash?.model === 'power-loss') {
      if (role === 'restart') problems.push(`${name} is a restart under a tracer.`);
      if (role === 'produce' && from !== undefined)
        problems.push(`${name} is a producer under a tracer and begins with a state.`);
      if (crash.offset >= crash.every) problems.push(`${name} has an offset that no division leaves.`);
      if (arms.some((other) => other.id.startsWith(`${id}-`)))
        problems.push(`${name} stands for snapshots with the name of another arm.`);
    }
    if (crash?.model === 'crash-in-recovery' && crash.commits.length !== (crash.commits[0] ?? 0) + 1)
      problems.push(`${name} has not one number for each commit of its recovery, and one for none.`);
    return problems;
  });
}

function snapshotProblems(plan: Plan, planned: PlannedCase): string[] {
  const problems: string[] = [];
  const earlier = new Set<string>();
  for (const snapshot of snapshotsOf(planned)) {
    const { id, from, scenario, provider, expect } = snapshot;
    const name = `${planned.id}/${id}`;
    if (earlier.has(id)) problems.push(`The snapshot ${name} is planned twice.`);
    if (from !== null && !earlier.has(from)) problems.push(`${name} begins from ${from}, which does not come before it.`);
    if (expect.same_events_as !== undefined && !earlier.has(expect.same_events_as))
      problems.push(`${name} is to end as ${expect.same_events_as}, which does not come before it.`);
    if (!Object.hasOwn(plan.scenarios, scenario)) problems.push(`${name} names the scenario ${scenario}, which is not there.`);
    if (!Object.hasOwn(plan.providers, provider)) problems.push(`${name} names the provider ${provider}, which is not there.`);
    const wrong = endWrong(snapshot);
    if (wrong !== null) problems.push(`${name} ${wrong}`);
    earlier.add(id);
  }
  return problems;
}

function endWrong({ kill, crash, expect: { ended } }: PlannedSnapshot): string | null {
  if ((kill !== null) !== (ended === 'killed')) return 'is killed and expected otherwise, or the reverse.';
  return (crash !== null) === (ended === 'several') ? null : 'has several processes and is expected otherwise, or the reverse.';
}

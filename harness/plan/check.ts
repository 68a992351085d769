/**
 * Every mistake of a plan at once, each with its JSON pointer. Pure.
 *
 * Shape errors come from the generated validator; what a shape cannot say (names that lead nowhere, a kill that the subject
 * cannot be parked for, missing controls) is checked here, over whatever part of the plan is there: one mistake must not
 * hide another.
 */
import type { Subject } from '../contract/types.js';
import { validatePlan, type ShapeError } from '../contract/validators.js';
import {
  crashMistakes,
  furtherNames,
  killMistakes,
  membersMistakes,
  operationMistakes,
  reservedMistakes,
} from './check-crash.js';
import { arrayOf, listed, type LooseArm, type LooseCase, type LoosePlan, type Mistake } from './loose.js';
import { modelMistakes } from './models.js';
import { producer } from './types.js';

export type { Mistake } from './loose.js';

export function mistakesOf(plan: unknown, subjects: readonly Subject[]): Mistake[] {
  const shape = validatePlan(plan) ? [] : shapeMistakes(validatePlan.errors ?? []);
  if (plan === null || typeof plan !== 'object' || Array.isArray(plan)) return shape;
  const meaning = [...meaningMistakes(plan as LoosePlan, subjects)];
  const seen = new Set<string>();
  return [...shape, ...meaning].filter(
    ({ pointer, sentence }) => !seen.has(`${pointer}\n${sentence}`) && seen.add(`${pointer}\n${sentence}`),
  );
}

/**
 * A choice (`anyOf`, `oneOf`) that failed reports every branch. What a person chose by a word (`"model": "race"`) is that branch's to tell; of any
 * other choice only the outermost says something to a person.
 */
function shapeMistakes(errors: readonly ShapeError[]): Mistake[] {
  const choices = errors.filter(isChoice).map((choice) => ({ choice, branch: chosenBranch(choice, errors) }));
  const hidden = (error: ShapeError): boolean =>
    choices.some(({ choice, branch }) =>
      error === choice ? branch !== null : isWithin(error, choice) && (branch === null || !isBelow(error, branch)),
    );
  return errors.filter((error) => !hidden(error)).map((error) => ({ pointer: error.instancePath, sentence: sentenceOf(error) }));
}

function isChoice({ keyword }: ShapeError): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function isBelow({ schemaPath }: ShapeError, path: string): boolean {
  return schemaPath.startsWith(`${path}/`);
}

function isWithin(error: ShapeError, choice: ShapeError): boolean {
  return isBelow(error, choice.schemaPath) && error.instancePath.startsWith(choice.instancePath);
}

/** The one branch whose word and kind are what is there; null where there is none, or more than one. */
function chosenBranch(choice: ShapeError, errors: readonly ShapeError[]): string | null {
  const branches = new Map<string, boolean>();
  for (const error of errors) {
    if (error === choice || !isWithin(error, choice)) continue;
    const path = `${choice.schemaPath}/${error.schemaPath.slice(choice.schemaPath.length + 1).split('/')[0] ?? ''}`;
    const depth = error.instancePath.slice(choice.instancePath.length).split('/').length - 1;
    const isOther = (error.keyword === 'const' && depth <= 1) || (error.keyword === 'type' && depth === 0);
    branches.set(path, (branches.get(path) ?? true) && !isOther);
  }
  const fitting = [...branches].filter(([, fits]) => fits);
  return branches.size > 1 && fitting.length === 1 ? (fitting[0]?.[0] ?? null) : null;
}

function sentenceOf({ keyword, params, message, instancePath }: ShapeError): string {
  if (keyword === 'additionalProperties') return `has the unknown member "${String(params.additionalProperty)}"`;
  if (keyword === 'required') return `lacks the member "${String(params.missingProperty)}"`;
  if (keyword === 'enum')
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (instancePath.endsWith('/kill')) {
    return 'must be null, {"at": "held"}, {"at": "held", "requests": <1 to 64>} or {"at": "checkpoint", "checkpoint": <name>, "occurrence": <1 or more>}';
  }
  if (instancePath.endsWith('/crash'))
    return 'must be a "race", a "zombie", a "crash-in-recovery", a "syscall-kill", an "io-fault" or a "power-loss", with all that its model needs';
  if (keyword === 'anyOf' || keyword === 'oneOf') return 'has none of the shapes that are allowed here';
  return message ?? keyword;
}

function* meaningMistakes(plan: LoosePlan, subjects: readonly Subject[]): Generator<Mistake> {
  const subject = subjects.find(({ name }) => name === plan.subject);
  if (typeof plan.subject === 'string' && subject === undefined) {
    yield {
      pointer: '/subject',
      sentence: `names the subject "${plan.subject}", which is not installed (installed: ${listed(subjects.map(({ name }) => name))})`,
    };
  }
  yield* modelMistakes(plan, subject);
  const cases = arrayOf(plan.cases);
  yield* repeated(cases.map((planned, index) => ({ name: planned?.id, pointer: `/cases/${index}/id` })));
  for (const [index, planned] of cases.entries()) {
    if (planned !== undefined && planned !== null) yield* caseMistakes(planned, `/cases/${index}`, plan, subject);
  }
  yield* controlMistakes(plan, cases);
}

function* caseMistakes(planned: LooseCase, at: string, plan: LoosePlan, subject: Subject | undefined): Generator<Mistake> {
  yield* references(planned, at, plan);
  yield* killMistakes(planned, planned.provider, at, plan, subject);
  yield* membersMistakes(planned, at);
  yield* comparisonMistakes(planned, at, []);
  const arms = arrayOf(planned.arms);
  yield* reservedMistakes(arms, at);
  yield* repeated([{ name: producer, pointer: at }, ...arms.flatMap((arm, index) => namesOf(arm, `${at}/arms/${index}`))]);
  const snapshots: unknown[] = [producer];
  const ids: unknown[] = [producer];
  for (const [index, arm] of arms.entries()) {
    if (arm === undefined || arm === null) continue;
    const here = `${at}/arms/${index}`;
    yield* references(arm, here, plan);
    yield* killMistakes(arm, arm.provider ?? planned.provider, here, plan, subject);
    yield* operationMistakes(arm, here, subject);
    yield* crashMistakes(arm, here, subject);
    yield* membersMistakes(arm, here);
    if (typeof arm.from === 'string' && !ids.includes(arm.from))
      yield {
        pointer: `${here}/from`,
        sentence: `names "${arm.from}", which is neither the producer nor an earlier arm of the case`,
      };
    yield* comparisonMistakes(arm, here, snapshots);
    ids.push(arm.id);
    snapshots.push(...namesOf(arm, here).map(({ name }) => name));
  }
}

/** The snapshot of an arm, and those that it stands for: all of them become folders. */
function namesOf(arm: LooseArm | undefined, at: string): Named[] {
  if (arm === undefined || arm === null) return [];
  return [{ name: arm.id, pointer: `${at}/id` }, ...furtherNames(arm).map((name) => ({ name, pointer: `${at}/crash` }))];
}

function* comparisonMistakes(part: LooseCase | LooseArm, at: string, earlier: readonly unknown[]): Generator<Mistake> {
  const other = part.expect?.same_events_as;
  if (typeof other === 'string' && !earlier.includes(other))
    yield { pointer: `${at}/expect/same_events_as`, sentence: `names "${other}", which is no earlier snapshot of the case` };
}

function* references(part: LooseCase | LooseArm, at: string, plan: LoosePlan): Generator<Mistake> {
  for (const [member, all] of [
    ['scenario', plan.scenarios],
    ['provider', plan.providers],
  ] as const) {
    const name = part[member];
    if (typeof name === 'string' && !Object.hasOwn(all ?? {}, name)) {
      yield {
        pointer: `${at}/${member}`,
        sentence: `names the ${member} "${name}", which the plan does not have (it has: ${listed(Object.keys(all ?? {}))})`,
      };
    }
  }
}

function* controlMistakes(plan: LoosePlan, cases: (LooseCase | undefined)[]): Generator<Mistake> {
  for (const [index, id] of arrayOf(plan.controls?.no_kill).entries()) {
    const named = cases.find((planned) => planned?.id === id);
    const pointer = `/controls/no_kill/${index}`;
    if (named === undefined) yield { pointer, sentence: `names the case "${String(id)}", which the plan does not have` };
    else if ((named.kill ?? null) !== null) yield { pointer, sentence: `names the case "${String(id)}", which is killed` };
  }
  for (const [index, control] of arrayOf(plan.controls?.naive_restart).entries()) {
    const arms = arrayOf(cases.find((planned) => planned?.id === control?.case)?.arms);
    const arm = arms.find((candidate) => candidate?.id === control?.arm);
    const pointer = `/controls/naive_restart/${index}`;
    const name = `${String(control?.case)}/${String(control?.arm)}`;
    if (arm === undefined) yield { pointer, sentence: `names the arm "${name}", which the plan does not have` };
    else if (arm.role !== 'restart') yield { pointer, sentence: `names the arm "${name}", whose role is not "restart"` };
    else if (arm.expect?.outcome !== 'duplicated')
      yield { pointer, sentence: `names the arm "${name}", which is not expected to be "duplicated"` };
  }
}

interface Named {
  readonly name: unknown;
  readonly pointer: string;
}

/** Names become folders: two that differ only in case would be one folder on some file systems. */
function* repeated(all: readonly Named[]): Generator<Mistake> {
  const seen = new Set<string>();
  for (const { name, pointer } of all) {
    if (typeof name !== 'string') continue;
    if (seen.has(name.toLowerCase())) yield { pointer, sentence: `repeats the name "${name}"` };
    seen.add(name.toLowerCase());
  }
}

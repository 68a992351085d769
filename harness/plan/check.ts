/**
 * Every mistake of a plan at once, each with its JSON pointer. Pure.
 *
 * Shape errors come from the generated validator; what a shape cannot say (names that lead nowhere, a kill that the subject
 * cannot be parked for, missing controls) is checked here, over whatever part of the plan is there: one mistake must not
 * hide another.
 */
import type { Subject } from '../contract/types.js';
import { validatePlan, type ShapeError } from '../contract/validators.js';
import { type Plan, producer } from './types.js';

export interface Mistake {
  pointer: string;
  sentence: string;
}

type Loose<T> = T extends readonly (infer Item)[]
  ? (Loose<Item> | undefined)[]
  : T extends object
    ? { [Key in keyof T]?: Loose<T[Key]> }
    : T;
type LooseCase = Loose<Plan['cases'][number]>;
type LooseArm = Loose<Plan['cases'][number]['arms'][number]>;

export function mistakesOf(plan: unknown, subjects: readonly Subject[]): Mistake[] {
  const shape = validatePlan(plan) ? [] : shapeMistakes(validatePlan.errors ?? []);
  if (plan === null || typeof plan !== 'object' || Array.isArray(plan)) return shape;
  const meaning = [...meaningMistakes(plan as Loose<Plan>, subjects)];
  const seen = new Set<string>();
  return [...shape, ...meaning].filter(
    ({ pointer, sentence }) => !seen.has(`${pointer}\n${sentence}`) && seen.add(`${pointer}\n${sentence}`),
  );
}

/** A choice (`anyOf`, `oneOf`) that failed reports every branch; only the outermost choice says something to a person. */
function shapeMistakes(errors: readonly ShapeError[]): Mistake[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const hidden = (error: ShapeError): boolean =>
    choices.some(
      (choice) =>
        error !== choice &&
        error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
        error.instancePath.startsWith(choice.instancePath),
    );
  return errors.filter((error) => !hidden(error)).map((error) => ({ pointer: error.instancePath, sentence: sentenceOf(error) }));
}

function sentenceOf({ keyword, params, message, instancePath }: ShapeError): string {
  if (keyword === 'additionalProperties') return `has the unknown member "${String(params.additionalProperty)}"`;
  if (keyword === 'required') return `lacks the member "${String(params.missingProperty)}"`;
  if (keyword === 'enum')
    return `must be one of ${(params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (instancePath.endsWith('/kill')) {
    return 'must be null, {"at": "held"} or {"at": "checkpoint", "checkpoint": <name>, "occurrence": <1 or more>}';
  }
  if (keyword === 'anyOf' || keyword === 'oneOf') return 'has none of the shapes that are allowed here';
  return message ?? keyword;
}

function* meaningMistakes(plan: Loose<Plan>, subjects: readonly Subject[]): Generator<Mistake> {
  const subject = subjects.find(({ name }) => name === plan.subject);
  if (typeof plan.subject === 'string' && subject === undefined) {
    yield {
      pointer: '/subject',
      sentence: `names the subject "${plan.subject}", which is not installed (installed: ${listed(subjects.map(({ name }) => name))})`,
    };
  }
  const cases = arrayOf(plan.cases);
  yield* repeated(
    cases.map((planned) => planned?.id),
    '/cases',
  );
  for (const [index, planned] of cases.entries()) {
    if (planned !== undefined && planned !== null) yield* caseMistakes(planned, `/cases/${index}`, plan, subject);
  }
  yield* controlMistakes(plan, cases);
}

function* caseMistakes(planned: LooseCase, at: string, plan: Loose<Plan>, subject: Subject | undefined): Generator<Mistake> {
  yield* references(planned, at, plan);
  yield* killMistakes(planned, planned.provider, at, plan, subject);
  const arms = arrayOf(planned.arms);
  yield* repeated([producer, ...arms.map((arm) => arm?.id)], `${at}/arms`, 1);
  for (const [index, arm] of arms.entries()) {
    if (arm === undefined || arm === null) continue;
    yield* references(arm, `${at}/arms/${index}`, plan);
    yield* killMistakes(arm, arm.provider ?? planned.provider, `${at}/arms/${index}`, plan, subject);
    const earlier = [producer, ...arms.slice(0, index).map((other) => other?.id)];
    if (typeof arm.from === 'string' && !earlier.includes(arm.from)) {
      yield {
        pointer: `${at}/arms/${index}/from`,
        sentence: `names "${arm.from}", which is neither the producer nor an earlier arm of the case`,
      };
    }
  }
}

function* references(part: LooseCase | LooseArm, at: string, plan: Loose<Plan>): Generator<Mistake> {
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

function* killMistakes(
  part: LooseCase | LooseArm,
  provider: string | undefined,
  at: string,
  plan: Loose<Plan>,
  subject: Subject | undefined,
): Generator<Mistake> {
  const kill = part.kill ?? null;
  const ended = part.expect?.ended;
  if (kill === null && ended === 'killed')
    yield { pointer: `${at}/expect/ended`, sentence: 'expects a kill where the plan has none' };
  if (kill === null) return;
  if (ended !== undefined && ended !== 'killed')
    yield { pointer: `${at}/expect/ended`, sentence: `expects "${ended}" although the plan kills here` };
  if (
    kill.at === 'checkpoint' &&
    subject !== undefined &&
    typeof kill.checkpoint === 'string' &&
    !subject.checkpoints.includes(kill.checkpoint)
  ) {
    yield { pointer: `${at}/kill/checkpoint`, sentence: `names "${kill.checkpoint}", which is no checkpoint of ${subject.name}` };
  }
  if (kill.at === 'held' && provider !== undefined) {
    const script = plan.providers?.[provider];
    const steps = [...arrayOf(script?.requests), script?.otherwise];
    if (script !== undefined && !steps.some((step) => step?.do === 'hold')) {
      yield { pointer: `${at}/kill`, sentence: `waits for a held request, but the provider "${provider}" holds none` };
    }
  }
}

function* controlMistakes(plan: Loose<Plan>, cases: (LooseCase | undefined)[]): Generator<Mistake> {
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

/** Names become folders: two that differ only in case would be one folder on some file systems. */
function* repeated(ids: unknown[], at: string, offset = 0): Generator<Mistake> {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (typeof id !== 'string') continue;
    if (seen.has(id.toLowerCase())) yield { pointer: `${at}/${index - offset}/id`, sentence: `repeats the name "${id}"` };
    seen.add(id.toLowerCase());
  }
}

function arrayOf<T>(value: readonly T[] | undefined): T[] {
  return Array.isArray(value) ? [...(value as T[])] : [];
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

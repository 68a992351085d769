/**
 * What a finding code means: its guarantee, what the check behind it covers and what it does not, and the breaks of a good bundle that it is
 * known to catch. Told from the tables that judge and that break, so that nothing is explained that is not done.
 */
import { checksOf, modelNames } from '../checks/all.js';
import { findingCodes, type Check, type FindingCode } from '../checks/check.js';
import type { ModelName } from '../checks/subject-model.js';
import { InputError } from '../errors.js';
import { operatorList } from '../mutations/corrupt.js';

interface Break {
  /** As `corrupt` names it. */
  readonly operator: string;
  readonly models: readonly ModelName[];
  /** Everything that it causes, this code among it. */
  readonly codes: readonly FindingCode[];
}

export interface Explanation {
  readonly code: FindingCode;
  readonly guarantee: string;
  readonly sentence: string;
  readonly scope: Check['scope'];
  readonly covers: string;
  readonly does_not_cover: string;
  /** The models whose plans are judged by it. */
  readonly models: readonly ModelName[];
  readonly mutations: readonly Break[];
}

export function explain(named: string): Explanation {
  const code = findingCodes.find((one) => one === named);
  const models = modelNames.filter((model) => checkOf(model, named) !== undefined);
  const check = models.map((model) => checkOf(model, named))[0];
  if (code === undefined || check === undefined)
    throw new InputError('unknown-code', `There is no finding code ${named}; the nearest are ${nearest(named).join(', ')}.`);
  return {
    code,
    guarantee: check.guarantee,
    sentence: check.sentence,
    scope: check.scope,
    covers: check.covers,
    does_not_cover: check.doesNotCover,
    models,
    mutations: breaksThatCause(code, models),
  };
}

function checkOf(model: ModelName, code: string): Check | undefined {
  return checksOf(model).find(({ codes }) => codes.some((one) => one === code));
}

function breaksThatCause(code: FindingCode, models: readonly ModelName[]): Break[] {
  const breaks = new Map<string, { operator: string; models: ModelName[]; codes: readonly FindingCode[] }>();
  for (const model of models) {
    for (const { family, name, codes } of operatorList(model)) {
      if (!codes.includes(code)) continue;
      const operator = `${family}: ${name}`;
      // A break of one name may cause more in one model than in another.
      const key = [operator, ...codes].join('\n');
      const known = breaks.get(key);
      // A model may try one break at several places.
      if (known === undefined) breaks.set(key, { operator, models: [model], codes });
      else if (!known.models.includes(model)) known.models.push(model);
    }
  }
  return [...breaks.values()];
}

const shown = 3;

function nearest(named: string): FindingCode[] {
  return findingCodes
    .map((code) => ({ code, distance: distanceBetween(named.slice(0, longest), code) }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, shown)
    .map(({ code }) => code);
}

/** No code is half as long; what is longer is as far from all of them. */
const longest = 64;

/** How many letters have to be put in, taken out or changed. */
function distanceBetween(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_none, at) => at);
  for (const [index, letter] of Array.from(left).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(right).entries())
      next.push(Math.min((row[at] ?? 0) + (letter === other ? 0 : 1), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}

const scopes = { bundle: 'the bundle as a whole', case: 'each case' } as const;

export function renderExplanation(told: Explanation): string {
  const width = Math.max(...told.mutations.map(({ operator }) => operator.length));
  const breaks = told.mutations.map(({ operator, models, codes }) => {
    const others = codes.filter((code) => code !== told.code);
    const also = others.length === 0 ? '' : `, with ${others.join(', ')}`;
    return `  ${operator.padEnd(width)}  ${models.join(', ')}${also}`;
  });
  return `${[
    told.code,
    `${told.guarantee}  ${told.sentence}`,
    '',
    `judges          ${scopes[told.scope]}, in plans of ${told.models.join(' and ')}`,
    `covers          ${told.covers}`,
    `does not cover  ${told.does_not_cover}`,
    '',
    'These breaks of a good bundle cause it (killpoint corrupt tries them):',
    ...breaks,
  ].join('\n')}\n`;
}

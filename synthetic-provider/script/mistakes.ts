/**
 * Every mistake of a document that wants to be a script, each with its JSON pointer. Pure. Beside the shape: what has the right shape and
 * still could not be sent.
 */
import type { ProviderScript } from '../contract/types.js';
import { type ShapeError, validateProviderScript } from '../contract/validators.js';
import { isWellFormed } from '../core/canonical.js';
import { effectNameOf } from '../wire/named-effects.js';
import type { Behaviour, StepList } from './script.js';

/** None means that the value is a script. */
export function scriptMistakes(value: unknown): string[] {
  const content = validateProviderScript(value) ? unsendable(value) : describe(validateProviderScript.errors ?? []);
  return [...content, ...illFormed('', value, deepestText)];
}

/** Raw answers that HTTP has no place for, and what an effect cannot be or say. */
function unsendable(script: ProviderScript): string[] {
  return [
    ...rawMistakes('', script),
    ...Object.entries(script.effects ?? {}).flatMap(([name, list]) => {
      const place = `/effects/${escaped(name)}`;
      const isName = effectNameOf(`/effects/${name}`) === name;
      return [
        ...(isName ? [] : [`${place}: must be letters, digits, ".", "_" and "-", 128 at most, the first a letter or a digit.`]),
        ...rawMistakes(place, list),
        ...placed(place, list).flatMap(([at, step]) =>
          step.do === 'answer' && step.tool_calls !== undefined
            ? [`${at}/tool_calls: must not be there, as an effect asks for no tools.`]
            : [],
        ),
      ];
    }),
  ];
}

function rawMistakes(place: string, list: StepList): string[] {
  return placed(place, list).flatMap(([at, step]) => {
    if (step.do !== 'raw') return [];
    return [
      ...(/^[\x20-\x7e]*$/.test(step.content_type ?? '') ? [] : [`${at}/content_type: must be printable ASCII.`]),
      ...([204, 205, 304].includes(step.status) && step.body !== ''
        ? [`${at}/body: must be empty, as an answer with status ${step.status} has no body.`]
        : []),
    ];
  });
}

function placed(place: string, { requests, otherwise }: StepList): [at: string, step: Behaviour][] {
  return [
    ...requests.map((step, index): [string, Behaviour] => [`${place}/requests/${index}`, step]),
    [`${place}/otherwise`, otherwise],
  ];
}

/** As a JSON pointer writes a name. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** `/effects/<name>/requests/<n>/text`: what lies deeper is no text of a script, and may be nested deeper than the stack. */
const deepestText = 5;

/** A lone surrogate is a valid string for a schema, but has no bytes that could be sent. */
function illFormed(pointer: string, value: unknown, depth: number): string[] {
  if (typeof value === 'string') return isWellFormed(value) ? [] : [`${pointer}: the text holds a lone surrogate.`];
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  return Object.entries(value).flatMap(([name, member]) => illFormed(`${pointer}/${escaped(name)}`, member, depth - 1));
}

const steps = 'answer, hold, status, cut, drop, delay, raw, delay_arrival';
const lookups = 'tell, not_found, without_response, in_progress, other_request, hold, malformed, status';

/**
 * ajv reports a step against every branch of its `oneOf`. Only the branch whose `do` matches tells a person anything; without
 * such a branch the one useful sentence is that `do` is unknown.
 */
function describe(errors: readonly ShapeError[]): string[] {
  const branchOf = (error: ShapeError) => /^(.*\/oneOf\/\d+)\//.exec(error.schemaPath)?.[1];
  const stepOf = (error: ShapeError) =>
    /^((?:\/lookup|\/effects\/[^/]*)?(?:\/requests\/\d+|\/otherwise))/.exec(error.instancePath)?.[1] ?? '';
  const place = (error: ShapeError) => `${stepOf(error)} ${branchOf(error)}`;
  const wrong = new Set(
    errors
      .filter((error) => branchOf(error) && /\/(do\/(const|enum)|required)$/.test(error.schemaPath) && concernsDo(error))
      .map(place),
  );
  const kept = errors.filter((error) => branchOf(error) && !wrong.has(place(error)));
  const explained = new Set(kept.map(stepOf));
  const mistakes = errors.flatMap((error) => {
    if (branchOf(error)) return kept.includes(error) ? [sentence(error)] : [];
    if (error.keyword !== 'oneOf') return [sentence(error)];
    return explained.has(stepOf(error))
      ? []
      : [`${error.instancePath}: "do" must be one of ${stepOf(error).startsWith('/lookup') ? lookups : steps}.`];
  });
  return [...new Set(mistakes)];
}

function concernsDo(error: ShapeError): boolean {
  return error.instancePath.endsWith('/do') || error.params['missingProperty'] === 'do';
}

function sentence(error: ShapeError): string {
  return `${error.instancePath === '' ? '/' : error.instancePath}: ${words(error)}.`;
}

/** Those of the mistakes of a plan. */
function words({ keyword, params, message }: ShapeError): string {
  if (keyword === 'additionalProperties') return `has the unknown member ${JSON.stringify(params['additionalProperty'])}`;
  if (keyword === 'required') return `lacks the member ${JSON.stringify(params['missingProperty'])}`;
  if (keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params['allowedValue'])}`;
  return message ?? keyword;
}

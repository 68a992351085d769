/**
 * A script is what the provider does with each request of a prefix, by number. Pure: which behaviour a request gets, and every
 * mistake of a document that wants to be a script.
 *
 * Numbers are those of the prefix, not of its log: a prefix that continues a log starts its script anew. Every request that has a
 * receipt takes a number, a refused one (unknown path, malformed body) too.
 */
import type { ProviderScript } from '../contract/types.js';
import { type ShapeError, validateProviderScript } from '../contract/validators.js';
import { isWellFormed } from '../core/canonical.js';

export type Behaviour = ProviderScript['otherwise'];

export function behaviourOf(script: ProviderScript, request: number): Behaviour {
  return script.requests[request - 1] ?? script.otherwise;
}

/** The texts that answers under this script may carry; the deterministic sentence is not among them. */
export function textsOf(script: ProviderScript): string[] {
  const texts = [...script.requests, script.otherwise].flatMap((step) => (step.do === 'answer' ? [step.text ?? []] : [])).flat();
  return [...new Set(texts)];
}

/** All mistakes, each with its JSON pointer; none means that the value is a script. */
export function scriptMistakes(value: unknown): string[] {
  const shape = validateProviderScript(value) ? [] : describe(validateProviderScript.errors ?? []);
  return [...shape, ...illFormed('', value, deepestText)];
}

/** `/requests/<n>/text`: what lies deeper is no part of a script, and may be nested deeper than the stack. */
const deepestText = 3;

/** A lone surrogate is a valid string for a schema, but has no bytes that could be sent. */
function illFormed(pointer: string, value: unknown, depth: number): string[] {
  if (typeof value === 'string') return isWellFormed(value) ? [] : [`${pointer}: the text holds a lone surrogate.`];
  if (value === null || typeof value !== 'object' || depth === 0) return [];
  return Object.entries(value).flatMap(([name, member]) => illFormed(`${pointer}/${name}`, member, depth - 1));
}

/**
 * ajv reports a step against every branch of its `oneOf`. Only the branch whose `do` matches tells a person anything; without
 * such a branch the one useful sentence is that `do` is unknown.
 */
function describe(errors: readonly ShapeError[]): string[] {
  const branchOf = (error: ShapeError) => /^(.*\/oneOf\/\d+)\//.exec(error.schemaPath)?.[1];
  const stepOf = (error: ShapeError) => /^(\/requests\/\d+|\/otherwise)/.exec(error.instancePath)?.[1] ?? '';
  const place = (error: ShapeError) => `${stepOf(error)} ${branchOf(error)}`;
  const wrong = new Set(
    errors.filter((error) => branchOf(error) && /\/(do\/const|required)$/.test(error.schemaPath) && concernsDo(error)).map(place),
  );
  const kept = errors.filter((error) => branchOf(error) && !wrong.has(place(error)));
  const explained = new Set(kept.map(stepOf));
  const mistakes = errors.flatMap((error) => {
    if (branchOf(error)) return kept.includes(error) ? [sentence(error)] : [];
    if (error.keyword !== 'oneOf') return [sentence(error)];
    return explained.has(stepOf(error))
      ? []
      : [`${error.instancePath}: "do" must be one of answer, hold, status, cut, drop, delay.`];
  });
  return [...new Set(mistakes)];
}

function concernsDo(error: ShapeError): boolean {
  return error.instancePath.endsWith('/do') || error.params['missingProperty'] === 'do';
}

function sentence(error: ShapeError): string {
  const extra = error.params['additionalProperty'] ?? error.params['allowedValues'] ?? error.params['allowedValue'];
  const told = extra === undefined ? '' : ` (${JSON.stringify(extra)})`;
  return `${error.instancePath === '' ? '/' : error.instancePath}: ${error.message ?? error.keyword}${told}.`;
}

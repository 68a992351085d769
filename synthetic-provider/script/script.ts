/**
 * A script is what the provider does with each request of a prefix, by number. Pure: which behaviour a request gets, and what
 * answers may say under it.
 *
 * Numbers are those of the prefix, not of its log: a prefix that continues a log starts its script anew. Every request that has a
 * receipt takes a number, a refused one (unknown path, malformed body) and one that is sent on its way too. Questions about a key take
 * none: look-ups are numbered among themselves. What arrives late takes none either.
 */
import type { ProviderScript } from '../contract/types.js';

export type Behaviour = ProviderScript['otherwise'];
export type LookupBehaviour = NonNullable<ProviderScript['lookup']>['otherwise'];
export type CutHow = NonNullable<Extract<Behaviour, { do: 'cut' }>['how']>;
type Raw = Extract<Behaviour, { do: 'raw' }>;

export function behaviourOf(script: ProviderScript, request: number): Behaviour {
  return script.requests[request - 1] ?? script.otherwise;
}

/** Of a script that offers look-ups. */
export function lookupBehaviourOf({ lookup }: ProviderScript, number: number): LookupBehaviour {
  if (lookup === undefined) throw new Error('This script offers no look-ups.');
  return lookup.requests[number - 1] ?? lookup.otherwise;
}

/** The answers that this script gives as they stand and that come with an effect. */
export function rawAnswersOf(script: ProviderScript): Raw[] {
  return [...script.requests, script.otherwise].filter((step): step is Raw => step.do === 'raw' && step.effect === 'committed');
}

/** The texts that answers under this script may carry; the deterministic sentence is not among them. */
export function textsOf(script: ProviderScript): string[] {
  const texts = [...script.requests, script.otherwise].flatMap((step) => (step.do === 'answer' ? [step.text ?? []] : [])).flat();
  return [...new Set(texts)];
}

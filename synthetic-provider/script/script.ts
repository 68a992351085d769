/**
 * A script is what the provider does with each request of a prefix, by number. Pure: which behaviour a request gets.
 *
 * Numbers are those of the prefix, not of its log: a prefix that continues a log starts its script anew. Every request that has a
 * receipt takes a number, a refused one (unknown path, malformed body) and one that is sent on its way too. Requests to an effect that
 * has steps of its own are numbered by its name, by their path alone, and all others without them. Questions about a key take none:
 * look-ups are numbered among themselves. What arrives late takes none either.
 */
import type { ProviderScript } from '../contract/types.js';
import { effectNameOf } from '../wire/named-effects.js';

export type Behaviour = ProviderScript['otherwise'];
export type LookupBehaviour = NonNullable<ProviderScript['lookup']>['otherwise'];
export type CutHow = NonNullable<Extract<Behaviour, { do: 'cut' }>['how']>;
export type StepList = Pick<ProviderScript, 'requests' | 'otherwise'>;
type Answer = Extract<Behaviour, { do: 'answer' }>;
type Raw = Extract<Behaviour, { do: 'raw' }>;

/** The numbers that a prefix has given so far. */
export class Steps {
  readonly #script: ProviderScript;
  readonly #taken = new Map<string | null, number>();

  constructor(script: ProviderScript) {
    this.#script = script;
  }

  /** Of the next request to this path. */
  take(path: string): Behaviour {
    const { name, list } = listFor(this.#script, path);
    const number = this.#taken.get(name) ?? 0;
    this.#taken.set(name, number + 1);
    return list.requests[number] ?? list.otherwise;
  }
}

/** The steps that a request to this path takes; `name` is null where they are those of the prefix. */
function listFor(script: ProviderScript, path: string): { name: string | null; list: StepList } {
  const name = effectNameOf(path);
  // A name such as `constructor` is one that an effect may have, and no member of every object.
  const own =
    name !== null && script.effects !== undefined && Object.hasOwn(script.effects, name) ? script.effects[name] : undefined;
  return own === undefined ? { name: null, list: script } : { name, list: own };
}

/** Of a script that offers look-ups. */
export function lookupBehaviourOf({ lookup }: ProviderScript, number: number): LookupBehaviour {
  if (lookup === undefined) throw new Error('This script offers no look-ups.');
  return lookup.requests[number - 1] ?? lookup.otherwise;
}

/**
 * What a request to this path may have been answered with, under this script: first the steps that it can take, then all others, which a
 * log of another script may need, and at last the answer that needs no script.
 */
export function answersFor(script: ProviderScript, path: string): (Answer | Raw)[] {
  const lists = new Set<StepList>([listFor(script, path).list, script, ...Object.values(script.effects ?? {})]);
  const steps = [...lists].flatMap(({ requests, otherwise }) => [...requests, otherwise]);
  return [...steps.filter(saysSomething), { do: 'answer' }];
}

function saysSomething(step: Behaviour): step is Answer | Raw {
  if (step.do === 'raw') return step.effect === 'committed';
  return step.do === 'answer' && (step.text !== undefined || step.tool_calls !== undefined);
}

/**
 * Tokens counted again, by a library that the runtime does not use. Its table takes longer to load than a small bundle to judge, so
 * it is loaded when the first measured size is met.
 */
import { createRequire } from 'node:module';
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';
import { EvidenceError } from '../errors.js';
import type { SharedVersioned } from '../contract/types.js';

let counter: Tiktoken | undefined;
const known = new Map<string, number>();

/** Throws where the tokenizer is not known here: what it would have counted cannot be told. */
export function tokensIn(text: string, { name, version }: SharedVersioned): number {
  if (name !== 'o200k_base' || version !== 1)
    throw new EvidenceError('absent', `The tokenizer ${name} ${version} is not known here.`);
  const before = known.get(text);
  if (before !== undefined) return before;
  // What looks like a special token in a content is text like any other.
  const count = loaded().encode(text, [], []).length;
  known.set(text, count);
  return count;
}

function loaded(): Tiktoken {
  if (counter !== undefined) return counter;
  const load = createRequire(import.meta.url);
  const { Tiktoken: Counter } = load('js-tiktoken/lite') as { Tiktoken: new (ranks: TiktokenBPE) => Tiktoken };
  const ranks = load('js-tiktoken/ranks/o200k_base') as { default?: TiktokenBPE } & TiktokenBPE;
  counter = new Counter(ranks.default ?? ranks);
  return counter;
}

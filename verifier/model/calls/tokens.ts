/**
 * Tokens counted again, by a library that the runtime does not use. Its table takes longer to load than a small bundle to judge, so
 * it is loaded when the first measured size is met. The library is quadratic in one long word, so a text that has such a word is cut
 * by the library's own pattern and its pieces are counted here.
 */
import type { Tiktoken, TiktokenBPE } from 'js-tiktoken/lite';
import { EvidenceError } from '../../errors.js';
import type { SharedVersioned } from '../../contract/types.js';
import { loadPackage } from '../../read/packages.js';
import { tokensOfPiece, type Ranks } from './byte-pairs.js';

/** A word, or white space, without a break: no piece of the pattern is longer than two such runs. */
const longRun = /\S{128}|\s{128}/;

let table: TiktokenBPE | undefined;
let counter: Tiktoken | undefined;
let ranks: Ranks | undefined;
const known = new Map<string, number>();

/** Throws where the tokenizer is not known here: what it would have counted cannot be told. */
export function tokensIn(text: string, { name, version }: SharedVersioned): number {
  if (name !== 'o200k_base' || version !== 1)
    throw new EvidenceError('absent', `The tokenizer ${name} ${version} is not known here.`);
  const before = known.get(text);
  if (before !== undefined) return before;
  // What looks like a special token in a content is text like any other.
  const count = longRun.test(text) ? piecewise(text) : library().encode(text, [], []).length;
  known.set(text, count);
  return count;
}

/** As the library counts, without it. */
export function piecewise(text: string): number {
  ranks ??= ranksIn(tableOfRanks().bpe_ranks);
  let count = 0;
  for (const [piece] of text.matchAll(new RegExp(tableOfRanks().pat_str, 'gu')))
    count += tokensOfPiece(Buffer.from(piece, 'utf8').toString('latin1'), ranks);
  return count;
}

/** Each line gives the rank of its first token; those after it follow. */
function ranksIn(lines: string): Ranks {
  const all = new Map<string, number>();
  for (const line of lines.split('\n')) {
    const [, first, ...tokens] = line.split(' ');
    for (const [index, token] of tokens.entries())
      all.set(Buffer.from(token, 'base64').toString('latin1'), Number(first) + index);
  }
  return all;
}

function library(): Tiktoken {
  if (counter !== undefined) return counter;
  const { Tiktoken: Counter } = loadPackage('js-tiktoken/lite') as { Tiktoken: new (ranks: TiktokenBPE) => Tiktoken };
  counter = new Counter(tableOfRanks());
  return counter;
}

function tableOfRanks(): TiktokenBPE {
  if (table !== undefined) return table;
  const loaded = loadPackage('js-tiktoken/ranks/o200k_base') as { default?: TiktokenBPE } & TiktokenBPE;
  table = loaded.default ?? loaded;
  return table;
}

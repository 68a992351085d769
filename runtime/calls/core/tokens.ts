/**
 * Counting tokens by a named tokenizer, where a caller asked for measured sizes.
 *
 * Its tables are large, and few callers need them: they are loaded at the first count, by a synchronous require, since compiling is
 * synchronous. Text that looks like a control token of the model is text.
 */
import { createRequire } from 'node:module';
import { countPairs, ranksOf, type Ranked } from './byte-pairs.js';
import type { ContextItem } from './vocabulary.js';

export const tokenizerNames = ['o200k_base'] as const;
export type TokenizerName = (typeof tokenizerNames)[number];
export type Tokenizer = NonNullable<ContextItem['size']['tokenizer']>;

interface Encoding {
  countTokens(text: string, options: { allowedSpecial: Set<string>; disallowedSpecial: Set<string> }): number;
}

interface Patterns {
  O200K_TOKEN_SPLIT_REGEX: RegExp;
}

const loaded = new Map<TokenizerName, Encoding>();
const tables = new Map<TokenizerName, { pattern: RegExp; ranks: ReadonlyMap<string, number> }>();
const load = createRequire(import.meta.url);
const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** The one character whose tokens the library does not find. */
const byteOrderMark = '\ufeff';

/** As an inventory names it. */
export function tokenizer(name: TokenizerName): Tokenizer {
  return { name, version: 1 };
}

/** Tokens of the content alone. */
export function countTokens(name: TokenizerName, content: string): number {
  return content.includes(byteOrderMark) ? countToTheLetter(name, content) : countByLibrary(name, content);
}

function countByLibrary(name: TokenizerName, content: string): number {
  let encoding = loaded.get(name);
  if (encoding === undefined) {
    encoding = load(`gpt-tokenizer/encoding/${name}`) as Encoding;
    loaded.set(name, encoding);
  }
  return encoding.countTokens(content, plain);
}

function countToTheLetter(name: TokenizerName, content: string): number {
  let table = tables.get(name);
  if (table === undefined) {
    const { default: ranked } = load(`gpt-tokenizer/bpeRanks/${name}`) as { default: Ranked };
    const { O200K_TOKEN_SPLIT_REGEX: pattern } = load('gpt-tokenizer/encodingParams/constants') as Patterns;
    table = { pattern, ranks: ranksOf(ranked) };
    tables.set(name, table);
  }
  return countPairs(content, table.pattern, table.ranks);
}

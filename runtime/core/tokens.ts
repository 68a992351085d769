/**
 * Counting tokens by a named tokenizer, where a caller asked for measured sizes.
 *
 * Its tables are large, and few callers need them: they are loaded at the first count, by a synchronous require, since compiling is
 * synchronous. Text that looks like a control token of the model is text.
 */
import { createRequire } from 'node:module';
import type { ContextItem } from './vocabulary.js';

export const tokenizerNames = ['o200k_base'] as const;
export type TokenizerName = (typeof tokenizerNames)[number];
export type Tokenizer = NonNullable<ContextItem['size']['tokenizer']>;

interface Encoding {
  countTokens(text: string, options: { allowedSpecial: Set<string>; disallowedSpecial: Set<string> }): number;
}

const loaded = new Map<TokenizerName, Encoding>();
const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** As an inventory names it. */
export function tokenizer(name: TokenizerName): Tokenizer {
  return { name, version: 1 };
}

/** Tokens of the content alone. */
export function countTokens(name: TokenizerName, content: string): number {
  let encoding = loaded.get(name);
  if (encoding === undefined) {
    encoding = createRequire(import.meta.url)(`gpt-tokenizer/encoding/${name}`) as Encoding;
    loaded.set(name, encoding);
  }
  return encoding.countTokens(content, plain);
}

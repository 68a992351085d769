/**
 * The compiler `in-order` version 1 and the context package: which offered items reach the request, within a budget.
 *
 * Compiling is pure and has no effect outside, so it may always be repeated. The package is an artifact whose hash is its
 * identity; content is named in it by hash, never copied.
 */
import { canonical } from '../../core/canonical.js';
import { sha256 } from '../../core/digest.js';
import type { Payloads } from './events.js';
import { missingIds } from './history.js';
import { countTokens, tokenizer, type TokenizerName } from './tokens.js';
import type { ContextItem } from './vocabulary.js';

export const compiler = { name: 'in-order', version: 1 } as const;

export interface OfferedItem {
  id: string;
  kind: ContextItem['kind'];
  required: boolean;
  content: string;
  /** Where the item came from, nearest source first. */
  lineage: readonly string[];
  /** Measured tokens; without it they are counted by the tokenizer of the runtime, or estimated. */
  tokens?: number;
}

export interface ContextPackage {
  budget_tokens: number;
  compiler: { name: string; version: number };
  items: ContextItem[];
}

export type Compiled =
  | { ok: true; pack: ContextPackage; text: string; sha256: string; payload: Payloads['context.compiled'] }
  | { ok: false; payload: Payloads['context.compilation_failed']; missingIds: string[] };

/** The entry of an item in the recorded inventory, its size as the caller measured it, else by the tokenizer, else estimated. */
export function inventoryItem(item: OfferedItem, measureBy: TokenizerName | null): ContextItem {
  return {
    content_sha256: sha256(item.content),
    id: item.id,
    kind: item.kind,
    lineage: [...item.lineage],
    required: item.required,
    size: sizeOf(item, measureBy),
  };
}

/** Bytes are exact. A record is estimated at a quarter of its bytes in tokens, other kinds count nothing. */
function sizeOf({ kind, content, tokens }: OfferedItem, measureBy: TokenizerName | null): ContextItem['size'] {
  const bytes = Buffer.byteLength(content, 'utf8');
  if (tokens !== undefined) return { basis: 'measured', bytes, tokens };
  if (measureBy !== null)
    return { basis: 'measured', bytes, tokenizer: tokenizer(measureBy), tokens: countTokens(measureBy, content) };
  return { basis: 'estimated', bytes, tokens: kind === 'record' ? Math.ceil(bytes / 4) : 0 };
}

export function compileContext(offered: readonly ContextItem[], requiredIds: readonly string[], budgetTokens: number): Compiled {
  const missing = missingIds(offered, requiredIds);
  if (missing.length > 0) return failed('RequiredContextMissing', `Required and never offered: ${missing.join(', ')}.`, missing);
  const isRequired = (item: ContextItem): boolean => item.required || requiredIds.includes(item.id);
  let total = offered.filter(isRequired).reduce((sum, item) => sum + item.size.tokens, 0);
  if (total > budgetTokens)
    return failed('RequiredContextOverBudget', `The required items need ${total} tokens and the budget is ${budgetTokens}.`, []);
  const included = new Set(offered.filter(isRequired));
  for (const item of offered) {
    if (included.has(item) || total + item.size.tokens > budgetTokens) continue;
    included.add(item);
    total += item.size.tokens;
  }
  const items = offered.filter((item) => included.has(item));
  const excluded = offered.filter((item) => !included.has(item)).map(({ id }) => ({ id, reason: 'over_budget' as const }));
  const pack: ContextPackage = { budget_tokens: budgetTokens, compiler, items };
  const text = canonical(pack);
  const hash = sha256(text);
  const included_ids = items.map((item) => item.id);
  return {
    ok: true,
    pack,
    text,
    sha256: hash,
    payload: { context_package_sha256: hash, included_ids, excluded, total_tokens: total },
  };
}

function failed(error: Payloads['context.compilation_failed']['error'], message: string, missing: string[]): Compiled {
  return { ok: false, payload: { error, message }, missingIds: missing };
}

/**
 * What a request is made from, rebuilt from stored bytes: the package of included items, the rendered prompt, the request body.
 * `plain-sections` versions 1 and 2 and the chat-completions body, written from the contract.
 */
import type { ContextCompilationRequested, SharedContextItem, SharedVersioned } from '../../contract/types.js';
import { canonical, decodeUtf8, parseCanonical } from '../../read/canonical.js';
import type { Compilation } from './history.js';
import { tokensIn } from './tokens.js';

export function packageText(requested: ContextCompilationRequested, includedIds: readonly string[]): string {
  const included = new Set(includedIds);
  const items = requested.offered
    .filter(({ id }) => included.has(id))
    .map(({ content_sha256, id, kind, lineage, required, size }) => ({ content_sha256, id, kind, lineage, required, size }));
  return canonical({ budget_tokens: requested.budget_tokens, compiler: requested.compiler, items });
}

/** `plain-sections`; null for a renderer that is not known here. */
export function renderedText(
  items: readonly SharedContextItem[],
  { name, version }: SharedVersioned,
  contentOf: (hash: string) => Uint8Array,
): string | null {
  const heading = name === 'plain-sections' ? headings[version] : undefined;
  if (heading === undefined) return null;
  return items.map((item) => `## ${item.id} (${heading(item)})\n${decodeUtf8(contentOf(item.content_sha256))}\n`).join('\n');
}

const headings: Record<number, (item: SharedContextItem) => string> = {
  1: ({ kind }) => kind,
  2: ({ kind, required }) => `${kind}, ${required ? 'required' : 'optional'}`,
};

export function includedItems({ requested, compiled }: Compilation): SharedContextItem[] {
  const included = new Set(compiled?.included_ids ?? []);
  return requested.offered.filter(({ id }) => included.has(id));
}

/**
 * The body must be these two messages, a model and, where there are some, tools, in canonical form; model, system text and tools are
 * the configuration's own.
 */
export function isRequestBody(bytes: Uint8Array, instruction: string, rendered: string): boolean {
  const body = parseCanonical(decodeUtf8(bytes)) as {
    messages?: { content?: unknown }[];
    model?: unknown;
    tools?: unknown;
  } | null;
  const system = body?.messages?.[0]?.content;
  if (typeof system !== 'string' || typeof body?.model !== 'string') return false;
  const wanted = {
    messages: [
      { content: system, role: 'system' },
      { content: `${instruction}\n\n${rendered}`, role: 'user' },
    ],
    model: body.model,
    ...(Array.isArray(body.tools) && body.tools.length > 0 ? { tools: body.tools } : {}),
  };
  return canonical(body) === canonical(wanted);
}

/**
 * Bytes are exact. Estimated, a `record` counts its bytes divided by four, rounded up, and other kinds count nothing. Measured by a
 * tokenizer, the tokens are counted again; measured by who knows what, they are taken as they are.
 */
export function isSize({ kind, size }: SharedContextItem, content: Uint8Array): boolean {
  const { basis, bytes, tokens, tokenizer } = size;
  if (bytes !== content.length) return false;
  if (basis === 'estimated') return tokenizer === undefined && tokens === (kind === 'record' ? Math.ceil(bytes / 4) : 0);
  return tokenizer === undefined || tokens === tokensIn(decodeUtf8(content), tokenizer);
}

type Compiled =
  | { readonly error: 'RequiredContextMissing' | 'RequiredContextOverBudget' }
  | { readonly error: null; readonly included: readonly string[]; readonly excluded: readonly string[]; readonly tokens: number };

/** The compiler `in-order` version 1; null for one that is not known here. */
export function compileInOrder({
  compiler,
  offered,
  required_ids,
  budget_tokens: budget,
}: ContextCompilationRequested): Compiled | null {
  if (compiler.name !== 'in-order' || compiler.version !== 1) return null;
  const isRequired = ({ id, required }: SharedContextItem): boolean => required || required_ids.includes(id);
  if (required_ids.some((id) => !offered.some((item) => item.id === id))) return { error: 'RequiredContextMissing' };
  const taken = new Set(offered.filter(isRequired));
  let tokens = [...taken].reduce((sum, { size }) => sum + size.tokens, 0);
  if (tokens > budget) return { error: 'RequiredContextOverBudget' };
  for (const item of offered) {
    if (taken.has(item) || tokens + item.size.tokens > budget) continue;
    taken.add(item);
    tokens += item.size.tokens;
  }
  const ids = (wanted: boolean): string[] => offered.filter((item) => taken.has(item) === wanted).map(({ id }) => id);
  return { error: null, included: ids(true), excluded: ids(false), tokens };
}

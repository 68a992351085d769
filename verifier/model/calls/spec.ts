/**
 * What a call was asked for, as it was recorded with the request: held against the request itself, its compilation and its manifest,
 * and against the scenario of a role that refused because the settings had changed. Pure.
 */
import type { SharedDrift } from '../../contract/types.js';
import { canonical, decodeUtf8, parseCanonical, parseJson, sameJson } from '../../read/canonical.js';
import type { Call, Compilation } from './history.js';
import { hasExactly, isObject, memberOf, parsed } from '../values.js';

type Name = (typeof names)[number];
export type Spec = Readonly<Record<Name, unknown>>;

const names = [
  ...(['compilation_id', 'context_package_sha256', 'instruction', 'interpreter', 'model'] as const),
  ...(['provider', 'renderer', 'retry_policy', 'system', 'tools'] as const),
];

/** The spec artifact; null where the bytes are not canonical JSON with exactly its members. */
export function readSpec(bytes: Uint8Array): Spec | null {
  const value = parsed(() => parseCanonical(decodeUtf8(bytes)));
  if (!isObject(value) || !hasExactly(value, names)) return null;
  return value as Spec;
}

/** Members of a spec that are not what the record says elsewhere. `body` are the bytes of the request, where there is a manifest. */
export function misstated(spec: Spec, call: Call, compilation: Compilation | undefined, body: Uint8Array | undefined): Name[] {
  const recorded: Partial<Spec> = {
    compilation_id: call.compilationId,
    context_package_sha256: compiledBefore(call, compilation),
    instruction: call.instruction,
    ...manifestOf(call),
    ...(body === undefined ? {} : bodyOf(body)),
  };
  return names.filter((name) => name in recorded && !sameJson(spec[name], recorded[name]));
}

/** Later events cannot change what the request was made over. */
function compiledBefore(call: Call, compilation: Compilation | undefined): string | null {
  const compiled = compilation?.compiled;
  return compiled !== undefined && compiled.seq < call.seq ? compiled.context_package_sha256 : null;
}

function manifestOf({ manifest }: Call): Partial<Spec> {
  if (manifest === undefined) return {};
  const { interpreter, provider, renderer, retry_policy } = manifest;
  return { interpreter, provider, renderer, retry_policy };
}

function bodyOf(bytes: Uint8Array): Partial<Spec> {
  const body = parsed(() => parseJson(decodeUtf8(bytes)));
  if (!isObject(body)) return {};
  const [first] = Array.isArray(body.messages) ? (body.messages as unknown[]) : [];
  return { model: body.model, system: isObject(first) ? first.content : undefined, tools: body.tools ?? null };
}

/**
 * The members in which a scenario differs from a spec. Of the package only the budget is compared, and the interpreter not at all:
 * a scenario does not name one.
 */
export function driftFrom(spec: Spec, scenario: unknown, compilation: Compilation | undefined): ReadonlySet<SharedDrift> {
  const call = memberOf(scenario, 'call');
  const context = memberOf(scenario, 'context');
  const today: Partial<Record<SharedDrift, boolean>> = {
    context_package: !sameJson(memberOf(context, 'budget_tokens'), compilation?.requested.budget_tokens),
    model: !sameJson(memberOf(call, 'model'), spec.model),
    provider: !sameJson(memberOf(call, 'honours_key'), memberOf(spec.provider, 'honours_key')),
    renderer: !sameJson(memberOf(context, 'renderer_version') ?? 1, memberOf(spec.renderer, 'version')),
    retry_policy: canonicalOf(memberOf(call, 'retry')) !== canonicalOf(spec.retry_policy),
    system: !sameJson(memberOf(call, 'system'), spec.system),
    tools: !sameJson(toolsOf(memberOf(call, 'tools')), spec.tools),
  };
  return new Set((Object.keys(today) as SharedDrift[]).filter((name) => today[name]));
}

/** What `driftFrom` can tell. */
export const comparable: ReadonlySet<SharedDrift> = new Set([
  ...(['context_package', 'model', 'provider', 'renderer', 'retry_policy', 'system', 'tools'] as const),
]);

/** No tools and an empty list of them make the same request. */
function toolsOf(tools: unknown): unknown {
  return Array.isArray(tools) && tools.length > 0 ? tools : null;
}

function canonicalOf(value: unknown): string {
  return value === undefined ? '' : canonical(value);
}

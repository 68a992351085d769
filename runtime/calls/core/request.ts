/**
 * From a context package to the exact bytes of a request: the renderer `plain-sections` and the request body.
 *
 * The three hashes of a manifest are made here, and a resume makes them again from the record. Anything that changes these bytes
 * is a new renderer version, never an edit of an old one: a recorded intent must stay reproducible.
 */
import { canonical } from '../../core/canonical.js';
import type { ContextPackage } from './compile.js';
import { sha256 } from '../../core/digest.js';
import type { Artifact } from './events.js';
import type { ContextItem, Drift, Hashes, Manifest, Tool } from './vocabulary.js';

export const rendererVersions = [1, 2] as const;
export type RendererVersion = (typeof rendererVersions)[number];

/** Path of the one request of a call, below the provider's URL. */
export const requestPath = '/v1/chat/completions';

/** A key travels in a header, so it is limited to what every header can carry unchanged. */
export const keyPattern = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export interface RequestSettings {
  model: string;
  system: string;
  /** Null where there are none. */
  tools: readonly Tool[] | null;
}

export interface BuiltRequest {
  hashes: Hashes;
  body: Buffer;
  artifacts: Artifact[];
}

export function renderer(version: RendererVersion) {
  return { name: 'plain-sections', version };
}

/** The version that a recorded renderer is here, or null where this program has none. */
export function knownRenderer({ name, version }: Manifest['renderer']): RendererVersion | null {
  return name === 'plain-sections' ? (rendererVersions.find((known) => known === version) ?? null) : null;
}

export function render(items: readonly ContextItem[], contentOf: (sha256: string) => string, version: RendererVersion): string {
  return items.map((item) => `## ${heading(item, version)}\n${contentOf(item.content_sha256)}\n`).join('\n');
}

function heading(item: ContextItem, version: RendererVersion): string {
  if (version === 1) return `${item.id} (${item.kind})`;
  return `${item.id} (${item.kind}, ${item.required ? 'required' : 'optional'})`;
}

export function requestBody(settings: RequestSettings, instruction: string, rendered: string): string {
  return canonical({
    messages: [
      { content: settings.system, role: 'system' },
      { content: `${instruction}\n\n${rendered}`, role: 'user' },
    ],
    model: settings.model,
    ...(settings.tools && { tools: settings.tools }),
  });
}

/** The part of a request that depends on the context alone. */
export interface RenderedContext {
  packageSha256: string;
  artifact: Artifact;
  text: string;
}

export function renderContext(
  pack: { pack: ContextPackage; sha256: string },
  contentOf: (sha256: string) => string,
  version: RendererVersion,
): RenderedContext {
  const text = render(pack.pack.items, contentOf, version);
  const bytes = Buffer.from(text, 'utf8');
  return { packageSha256: pack.sha256, text, artifact: { sha256: sha256(bytes), media_type: 'text/plain;charset=utf-8', bytes } };
}

export function buildRequest(context: RenderedContext, instruction: string, settings: RequestSettings): BuiltRequest {
  const body = Buffer.from(requestBody(settings, instruction, context.text), 'utf8');
  const bodyArtifact = { sha256: sha256(body), media_type: 'application/json', bytes: body };
  return {
    hashes: {
      context_package_sha256: context.packageSha256,
      rendered_context_sha256: context.artifact.sha256,
      request_body_sha256: bodyArtifact.sha256,
    },
    body,
    artifacts: [context.artifact, bodyArtifact],
  };
}

/** The three hashes of a manifest alone. */
export function hashesOf({ context_package_sha256, rendered_context_sha256, request_body_sha256 }: Hashes): Hashes {
  return { context_package_sha256, rendered_context_sha256, request_body_sha256 };
}

/** Which of the three hashes differ, in the order in which they are made. */
export function driftBetween(recorded: Hashes, rebuilt: Hashes): Drift[] {
  const names = ['context_package', 'rendered_context', 'request_body'] as const satisfies readonly Drift[];
  return names.filter((name) => recorded[`${name}_sha256`] !== rebuilt[`${name}_sha256`]);
}

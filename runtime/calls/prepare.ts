/**
 * From a wanted call to its exact request, before anything is recorded: replay and key conflict must append nothing.
 *
 * Replay matches completed calls only, by key and body hash. An unfinished call under the same key is not replayed: whether to
 * repeat it is a question for the work state, not for a key.
 */
import { buildRequest, keyPattern, renderContext, renderer, requestPath, type BuiltRequest } from '../core/request.js';
import { KeyConflict, RuntimeError } from '../core/errors.js';
import type { CallRecord, CompilationRecord } from '../core/history.js';
import { interpreter } from '../core/interpret.js';
import type { Manifest } from '../core/vocabulary.js';
import type { Committer } from './committer.js';
import { contentReader, rebuiltPackage, recordedPackage, type Config } from './context.js';

export interface WantedCall {
  taskId: string;
  compilationId: string;
  idempotencyKey: string;
  instruction: string;
}

/** The request over the package as it was recorded; null where the compilation has none. */
export function buildRecorded(
  committer: Committer,
  config: Config,
  compilation: CompilationRecord,
  instruction: string,
): BuiltRequest | null {
  let context = committer.rendered.get(compilation.id);
  if (context === undefined) {
    const pack = recordedPackage(committer, compilation);
    if (pack === null) return null;
    context = renderContext(pack, contentReader(committer), config.rendererVersion);
    committer.rendered.set(compilation.id, context);
  }
  return buildRequest(context, instruction, config);
}

/** The request as the settings of today would make it from the recorded inventory; null where it no longer compiles. */
export function rebuild(
  committer: Committer,
  config: Config,
  compilation: CompilationRecord,
  instruction: string,
): BuiltRequest | null {
  const pack = rebuiltPackage(config, compilation);
  return pack && buildRequest(renderContext(pack, contentReader(committer), config.rendererVersion), instruction, config);
}

/** A request, and the manifest that promises exactly it and how it is dealt with. */
export interface Intended {
  request: BuiltRequest;
  manifest: Manifest;
}

/** What the settings of today intend. */
export function intended(config: Config, request: BuiltRequest): Intended {
  const manifest: Manifest = {
    context_package_sha256: request.hashes.context_package_sha256,
    interpreter,
    provider: { honours_key: config.honoursKey, path: requestPath },
    rendered_context_sha256: request.hashes.rendered_context_sha256,
    renderer: renderer(config.rendererVersion),
    request_body_sha256: request.hashes.request_body_sha256,
    retry_policy: config.retry,
  };
  return { request, manifest };
}

/** Why this program cannot keep a recorded promise, whatever its settings; null when it can. */
export function beyondUs({ interpreter: recorded, provider }: Manifest): string | null {
  if (recorded.name !== interpreter.name || recorded.version !== interpreter.version)
    return `its answer would be read by the interpreter ${recorded.name} version ${recorded.version}`;
  return provider.path === requestPath ? null : `it would be sent to ${provider.path}`;
}

/** Why the request may not be sent although it was built; null when it may. */
export function tooLarge(config: Config, request: BuiltRequest): string | null {
  if (config.maxRequestBytes === null || request.body.length <= config.maxRequestBytes) return null;
  return `The request has ${request.body.length} bytes and the limit is ${config.maxRequestBytes}.`;
}

/** The completed call that answers this key and body; throws `KeyConflict` where the key names another body. */
export function replayable(committer: Committer, key: string, bodySha256: string): CallRecord | null {
  const sameKey = committer.history.byKey.get(key) ?? [];
  const conflicting = sameKey.find((call) => call.manifest !== null && call.manifest.request_body_sha256 !== bodySha256);
  if (conflicting) throw new KeyConflict(key, conflicting.id);
  return sameKey.find((call) => call.completed !== null && call.manifest !== null) ?? null;
}

export function demandKey(key: string): void {
  if (typeof key !== 'string' || !keyPattern.test(key))
    throw new RuntimeError(
      'input-invalid',
      'An idempotency key is 1 to 255 printable ASCII characters, without spaces at its ends.',
    );
}

/**
 * From a wanted call to its spec and its exact request, before anything is recorded: replay and key conflict must append nothing.
 *
 * The spec says everything; request and manifest follow from it. Replay matches completed calls only, by key and body hash. An
 * unfinished call under the same key is not replayed: whether to repeat it is a question for the work state, not for a key.
 */
import {
  buildRequest,
  keyPattern,
  knownRenderer,
  renderContext,
  renderer,
  requestPath,
  type BuiltRequest,
  type RenderedContext,
} from '../core/request.js';
import { invariant, RuntimeError } from '../../core/errors.js';
import { KeyConflict } from '../core/refusals.js';
import { interpreter, knownVersion } from '../core/interpret.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import type { CallSpec } from '../core/spec.js';
import type { Hashes, Manifest } from '../core/vocabulary.js';
import type { Committer } from './committer.js';
import type { Config } from './config.js';
import { contentReader, rebuiltPackage, recordedPackage } from './context.js';

export interface WantedCall {
  taskId: string;
  compilationId: string;
  idempotencyKey: string;
  instruction: string;
}

/** A call as it is to be: its spec, and the request that follows from it; null where the compilation has no package. */
export interface Prepared {
  spec: CallSpec;
  request: BuiltRequest | null;
}

/** The version of the interpreter that new calls are read by. */
const readBy = 1;

/** What the settings of today make of an instruction over a package. */
export function specOfToday(config: Config, compilationId: string, packageSha256: string | null, instruction: string): CallSpec {
  return {
    compilation_id: compilationId,
    context_package_sha256: packageSha256,
    instruction,
    interpreter: interpreter(readBy),
    model: config.model,
    provider: { honours_key: config.honoursKey, path: requestPath },
    renderer: renderer(config.rendererVersion),
    retry_policy: config.retry,
    system: config.system,
    tools: config.tools,
  };
}

/** A call over a recorded compilation, by the settings of today. */
export function prepareToday(
  committer: Committer,
  config: Config,
  compilation: CompilationRecord,
  instruction: string,
): Prepared {
  const packageSha256 = compilation.compiled?.context_package_sha256 ?? null;
  const spec = specOfToday(config, compilation.id, packageSha256, instruction);
  return { spec, request: buildRecorded(committer, compilation, spec) };
}

/** The request of a spec over the package as it was recorded; null where the compilation has none. */
export function buildRecorded(committer: Committer, compilation: CompilationRecord, spec: CallSpec): BuiltRequest | null {
  const cached = `${compilation.id} ${spec.renderer.version}`;
  let context = committer.rendered.get(cached);
  if (context === undefined) {
    const pack = recordedPackage(committer, compilation);
    if (pack === null) return null;
    context = rendered(committer, pack, spec);
    committer.rendered.set(cached, context);
  }
  return buildRequest(context, spec.instruction, spec);
}

/** The request of a spec as the settings of today would compile its context from the recorded inventory; null where they cannot. */
export function rebuild(
  committer: Committer,
  config: Config,
  compilation: CompilationRecord,
  spec: CallSpec,
): BuiltRequest | null {
  const pack = rebuiltPackage(config, compilation);
  return pack && buildRequest(rendered(committer, pack, spec), spec.instruction, spec);
}

function rendered(
  committer: Committer,
  pack: NonNullable<ReturnType<typeof recordedPackage>>,
  { renderer: recorded }: CallSpec,
): RenderedContext {
  const version = knownRenderer(recorded);
  invariant(version !== null, 'a spec is built only where this program has its renderer');
  return renderContext(pack, contentReader(committer), version);
}

/** The manifest that promises exactly this request, and how it is dealt with. */
export function manifestOf(spec: CallSpec, hashes: Hashes): Manifest {
  return {
    context_package_sha256: hashes.context_package_sha256,
    interpreter: spec.interpreter,
    provider: spec.provider,
    rendered_context_sha256: hashes.rendered_context_sha256,
    renderer: spec.renderer,
    request_body_sha256: hashes.request_body_sha256,
    retry_policy: spec.retry_policy,
  };
}

/** Why this program cannot keep a recorded promise, whatever its settings; null when it can. */
export function beyondUs({
  interpreter: readWith,
  provider,
  renderer: renderedBy,
}: Pick<Manifest, 'interpreter' | 'provider' | 'renderer'>): string | null {
  if (knownVersion(readWith) === null)
    return `its answer would be read by the interpreter ${readWith.name} version ${readWith.version}`;
  if (knownRenderer(renderedBy) === null)
    return `its context would be rendered by ${renderedBy.name} version ${renderedBy.version}`;
  return provider.path === requestPath ? null : `it would be sent to ${provider.path}`;
}

/** Why the request may not be sent although it was built; null when it may. */
export function tooLarge(config: Config, request: BuiltRequest): string | null {
  if (config.maxRequestBytes === null || request.body.length <= config.maxRequestBytes) return null;
  return `The request has ${request.body.length} bytes and the limit is ${config.maxRequestBytes}.`;
}

/** The completed call that answers this key and body, one that succeeded first; throws `KeyConflict` where the key names another body. */
export function replayable(committer: Committer, key: string, bodySha256: string): CallRecord | null {
  const sameKey = committer.history.byKey.get(key) ?? [];
  const conflicting = sameKey.find((call) => call.manifest !== null && call.manifest.request_body_sha256 !== bodySha256);
  if (conflicting) throw new KeyConflict(key, conflicting.id);
  const ended = sameKey.filter((call) => call.completed !== null && call.manifest !== null);
  return ended.find(({ completed }) => completed?.outcome === 'succeeded') ?? ended[0] ?? null;
}

export function demandKey(key: string): void {
  if (typeof key !== 'string' || !keyPattern.test(key))
    throw new RuntimeError(
      'input-invalid',
      'An idempotency key is 1 to 255 printable ASCII characters, without spaces at its ends.',
    );
}

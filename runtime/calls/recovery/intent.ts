/**
 * What a recovery would send: the recorded request, or nothing. Never what the code would send today.
 *
 * With a manifest the request is rebuilt from the record by the settings of today, and its three hashes are compared. Without one the spec
 * is compared that was recorded with the request; a record from before specs has nothing to compare, and the settings of today decide.
 * Asked for by recorded settings, nothing is rebuilt: the recorded bytes are the request. What a manifest says beyond its hashes (retry
 * policy, the word about keys) was intended too, and is kept to the letter.
 */
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { artifactBytes, contentReader, rebuiltPackage } from '../live/context.js';
import { beyondUs, buildRecorded, prepareToday, rebuild, replayable, specOfToday, type Prepared } from '../live/prepare.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import { driftBetween, hashesOf, type BuiltRequest } from '../core/request.js';
import { driftOfSpec, parseSpec, specInBody, type CallSpec } from '../core/spec.js';
import type { Drift, Manifest, Operation } from '../core/vocabulary.js';
import { cannot } from './demand.js';
import type { SettingsFrom } from './options.js';

export interface Intent extends Prepared {
  /** What `call.resumed` says was compared. */
  compared: { verified: ReturnType<typeof hashesOf> | null; spec_verified?: true };
}

interface Place {
  committer: Committer;
  config: Config;
  call: CallRecord;
  compilation: CompilationRecord | undefined;
  refuse: (why: string, drift?: readonly Drift[]) => never;
}

/** The recorded intent of a call, or a refusal that names what differs. `operation` is what the record asks for. */
export function intentOf(
  committer: Committer,
  config: Config,
  call: CallRecord,
  operation: Operation,
  settings: SettingsFrom = 'today',
): Intent {
  const refuse = (why: string, drift: readonly Drift[] = []): never => {
    throw cannot(call.id, operation, why, drift);
  };
  const place = { committer, config, call, compilation: committer.history.compilations.get(call.compilationId), refuse };
  if (call.manifest !== null) return intentOfManifest(place, call.manifest, settings);
  const intent = intentOfSpec(place, settings);
  if (intent.request !== null) replayable(committer, call.request.idempotency_key, intent.request.hashes.request_body_sha256);
  return intent;
}

function intentOfManifest(place: Place, manifest: Manifest, settings: SettingsFrom): Intent {
  demandOurs(place, manifest);
  const request = settings === 'recorded' ? recordedRequest(place, manifest) : requestOfToday(place, manifest);
  const spec = { ...recordedSpec(place, manifest, request), ...promises(manifest) };
  return { spec, request, compared: { verified: hashesOf(manifest) } };
}

function requestOfToday({ committer, config, call, compilation, refuse }: Place, manifest: Manifest): BuiltRequest {
  const today = specOfToday(config, call.compilationId, null, call.request.instruction);
  const request = compilation === undefined ? null : rebuild(committer, config, compilation, today);
  if (request === null)
    return refuse(notTheRecorded('its context no longer compiles'), ['context_package', 'rendered_context', 'request_body']);
  const drift = driftBetween(manifest, request.hashes);
  return drift.length > 0 ? refuse(notTheRecorded(`${drift.join(', ')} differ`), drift) : request;
}

function recordedRequest({ committer }: Place, manifest: Manifest): BuiltRequest {
  const kept = (sha256: string, media_type: string) => ({ sha256, media_type, bytes: artifactBytes(committer, sha256) });
  const body = kept(manifest.request_body_sha256, 'application/json');
  const rendered = kept(manifest.rendered_context_sha256, 'text/plain;charset=utf-8');
  return { hashes: hashesOf(manifest), body: body.bytes, artifacts: [rendered, body] };
}

/** The spec as it was recorded; of a record from before specs, as the recorded body and manifest tell it. */
function recordedSpec({ committer, call }: Place, manifest: Manifest, request: BuiltRequest): CallSpec {
  const { spec_sha256, instruction } = call.request;
  if (spec_sha256 !== undefined) return parseSpec(contentReader(committer)(spec_sha256));
  const { context_package_sha256 } = manifest;
  return {
    compilation_id: call.compilationId,
    context_package_sha256,
    instruction,
    ...promises(manifest),
    ...specInBody(request.body),
  };
}

function promises({ interpreter, provider, renderer, retry_policy }: Manifest) {
  return { interpreter, provider, renderer, retry_policy };
}

function intentOfSpec(place: Place, settings: SettingsFrom): Intent {
  const { committer, config, call, compilation, refuse } = place;
  const { spec_sha256, instruction } = call.request;
  if (spec_sha256 === undefined) {
    if (settings === 'recorded')
      return refuse('has no record of how it was to be sent. Nothing was sent. Resume it with the settings of today.');
    const fresh = compilation === undefined ? null : prepareToday(committer, config, compilation, instruction);
    const spec = fresh?.spec ?? specOfToday(config, call.compilationId, null, instruction);
    return { spec, request: fresh?.request ?? null, compared: { verified: null } };
  }
  const spec = parseSpec(contentReader(committer)(spec_sha256));
  if (settings === 'today') demandNoDrift(place, spec);
  demandOurs(place, spec);
  const request = compilation === undefined ? null : buildRecorded(committer, compilation, spec);
  return { spec, request, compared: { verified: null, spec_verified: true } };
}

function demandNoDrift({ config, call, compilation, refuse }: Place, recorded: CallSpec): void {
  const isPacked = recorded.context_package_sha256 !== null && compilation !== undefined;
  const packageSha256 = isPacked ? (rebuiltPackage(config, compilation)?.sha256 ?? null) : null;
  const drift = driftOfSpec(recorded, specOfToday(config, call.compilationId, packageSha256, call.request.instruction));
  if (drift.length > 0) refuse(notTheRecorded(`${drift.join(', ')} differ`), drift);
}

function demandOurs({ refuse }: Place, recorded: Pick<Manifest, 'interpreter' | 'provider' | 'renderer'>): void {
  const beyond = beyondUs(recorded);
  if (beyond !== null)
    refuse(`cannot be sent by this program: ${beyond}. Nothing was sent. Go on with the program that recorded it.`);
}

function notTheRecorded(why: string): string {
  return `would not be the recorded request: ${why}. Nothing was sent. Go on with the recorded settings.`;
}

/**
 * The spec of a call: everything that its request and its treatment are made of, recorded when the call is asked for.
 *
 * A manifest promises bytes by three hashes. Before there is one, the spec is what a resume is held against: each member that the
 * settings of today would make otherwise is named. Manifest and body follow from the spec and from nothing else.
 */
import type { RetryPolicy, Drift, Manifest, Tool } from './vocabulary.js';
import { jsonArtifact } from './artifacts.js';
import { canonical } from '../../core/canonical.js';
import type { Artifact } from './events.js';

export interface CallSpec {
  compilation_id: string;
  /** Null where the compilation has no package. */
  context_package_sha256: string | null;
  instruction: string;
  interpreter: Manifest['interpreter'];
  model: string;
  provider: Manifest['provider'];
  renderer: Manifest['renderer'];
  retry_policy: RetryPolicy;
  system: string;
  /** Null where there are none. */
  tools: readonly Tool[] | null;
}

/** The members that settings decide, in the order in which a refusal names them. */
const compared = [
  ['context_package', 'context_package_sha256'],
  ['model', 'model'],
  ['system', 'system'],
  ['tools', 'tools'],
  ['interpreter', 'interpreter'],
  ['renderer', 'renderer'],
  ['retry_policy', 'retry_policy'],
  ['provider', 'provider'],
] as const satisfies readonly (readonly [Drift, keyof CallSpec])[];

export function specArtifact(spec: CallSpec): Artifact {
  return jsonArtifact(canonical(spec));
}

/** Which members differ. */
export function driftOfSpec(recorded: CallSpec, today: CallSpec): Drift[] {
  return compared.filter(([, member]) => canonical(recorded[member]) !== canonical(today[member])).map(([name]) => name);
}

/** The spec that an artifact holds: it was written by `specArtifact`, and its hash was verified. */
export function parseSpec(text: string): CallSpec {
  return JSON.parse(text) as CallSpec;
}

/** The members that a recorded request body tells. */
export function specInBody(body: Buffer): Pick<CallSpec, 'model' | 'system' | 'tools'> {
  const { messages, model, tools } = JSON.parse(body.toString('utf8')) as RecordedBody;
  return { model, system: messages[0].content, tools: tools ?? null };
}

interface RecordedBody {
  messages: readonly [{ content: string }, { content: string }];
  model: string;
  tools?: readonly Tool[];
}

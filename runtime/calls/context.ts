/**
 * Recording and using context: the offered inventory before the compiler runs, its success or failure after.
 *
 * The inventory is recorded first, so that a compilation that never ended can be repeated from the record, and one that failed
 * shows what it was offered.
 */
import { compileContext, compiler, inventoryItem, type ContextPackage, type OfferedItem } from '../core/compile.js';
import { CompilationFailed, RuntimeError } from '../core/errors.js';
import type { Artifact, Draft } from '../core/events.js';
import type { CompilationRecord } from '../core/history.js';
import { sha256 } from '../core/digest.js';
import type { RendererVersion } from '../core/request.js';
import type { RetryPolicy } from '../core/vocabulary.js';
import type { Transport } from '../wire/transport.js';
import type { Committer } from './committer.js';

/** The settings of one runtime, defaults filled in. */
export interface Config {
  url: string;
  model: string;
  system: string;
  honoursKey: boolean;
  timeoutMs: number;
  budgetTokens: number;
  rendererVersion: RendererVersion;
  retry: RetryPolicy;
  maxRequestBytes: number | null;
  transport: Transport;
}

export interface CompiledContext {
  compilationId: string;
  packageSha256: string;
  includedIds: readonly string[];
  excluded: readonly { id: string; reason: 'over_budget' }[];
  totalTokens: number;
}

/** Records the inventory, compiles, records the outcome; throws `CompilationFailed` after its failure is on record. */
export function compile(
  committer: Committer,
  config: Config,
  taskId: string,
  offered: readonly OfferedItem[],
  requiredIds: readonly string[],
): CompiledContext {
  const ids = offered.map((item) => item.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new RuntimeError('input-invalid', `The item ${twice} is offered twice. Give each item an id of its own.`);
  for (const item of offered) demandText(item);
  const inventory = offered.map(inventoryItem);
  const compilationId = `compilation-${committer.nextSeq}`;
  const outcome = compileContext(inventory, requiredIds, config.budgetTokens);
  const place = { task_id: taskId, compilation_id: compilationId };
  const requested: Draft = {
    ...place,
    type: 'context.compilation_requested',
    payload: { budget_tokens: config.budgetTokens, compiler, offered: inventory, required_ids: [...requiredIds] },
    artifacts: offered.map((item) => textArtifact(item.content)),
  };
  if (!outcome.ok) {
    committer.commit([requested, { ...place, type: 'context.compilation_failed', payload: outcome.payload }]);
    throw new CompilationFailed(outcome.payload.error, outcome.payload.message, compilationId, outcome.missingIds);
  }
  const { payload, text, sha256: packageSha256 } = outcome;
  const artifacts = [{ sha256: packageSha256, media_type: 'application/json', bytes: Buffer.from(text, 'utf8') }];
  committer.commit([requested, { ...place, type: 'context.compiled', payload, artifacts }]);
  const { included_ids: includedIds, excluded, total_tokens: totalTokens } = payload;
  return { compilationId, packageSha256, includedIds, excluded, totalTokens };
}

/** The recorded package of a compilation, or null where it did not compile. */
export function recordedPackage(
  committer: Committer,
  compilation: CompilationRecord,
): { pack: ContextPackage; sha256: string } | null {
  const hash = compilation.compiled?.context_package_sha256;
  if (hash === undefined) return null;
  return { pack: JSON.parse(contentReader(committer)(hash)) as ContextPackage, sha256: hash };
}

/** The package as the current settings would compile it from the recorded inventory; null where they cannot. */
export function rebuiltPackage(config: Config, compilation: CompilationRecord): { pack: ContextPackage; sha256: string } | null {
  const { offered, required_ids } = compilation.request;
  const outcome = compileContext(offered, required_ids, config.budgetTokens);
  return outcome.ok ? { pack: outcome.pack, sha256: outcome.sha256 } : null;
}

/** Texts of the ledger by hash, each verified: what is sent again must be what was recorded. */
export function contentReader(committer: Committer): (sha256: string) => string {
  return (hash) => {
    const bytes = committer.artifact(hash);
    if (bytes === null)
      throw new RuntimeError('ledger-damaged', `The artifact ${hash} is missing from the ledger. Restore it from a copy.`);
    if (sha256(bytes) !== hash)
      throw new RuntimeError('ledger-damaged', `The artifact ${hash} was altered. Restore the ledger from a copy.`);
    return bytes.toString('utf8');
  };
}

export function textArtifact(text: string): Artifact {
  const bytes = Buffer.from(text, 'utf8');
  return { sha256: sha256(bytes), media_type: 'text/plain;charset=utf-8', bytes };
}

function demandText(item: OfferedItem): void {
  if (typeof item.content !== 'string' || !item.content.isWellFormed())
    throw new RuntimeError('input-invalid', `The content of ${item.id} is not well-formed Unicode text.`);
  if (item.tokens !== undefined && !(Number.isSafeInteger(item.tokens) && item.tokens >= 0))
    throw new RuntimeError('input-invalid', `The tokens of ${item.id} are not a count.`);
}

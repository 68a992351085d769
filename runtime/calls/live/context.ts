/**
 * Recording and using context: the offered inventory before the compiler runs, its success or failure after.
 *
 * The inventory is recorded first, so that a compilation that never ended can be repeated from the record, and one that failed
 * shows what it was offered.
 */
import { jsonArtifact, textArtifact } from '../core/artifacts.js';
import { compileContext, compiler, inventoryItem, type ContextPackage } from '../core/compile.js';
import { CompilationFailed } from '../core/refusals.js';
import { RuntimeError } from '../../core/errors.js';
import type { Artifact, Draft, Payloads } from '../core/events.js';
import type { CompilationRecord } from '../core/records.js';
import { sha256 } from '../../core/digest.js';
import type { ContextItem } from '../core/vocabulary.js';
import type { Committer } from './committer.js';
import type { Config } from './config.js';
import { demandOffered, type OfferedContext } from './offered.js';
import { straight, type Stamp } from './stamp.js';

export interface CompiledContext {
  compilationId: string;
  packageSha256: string;
  includedIds: readonly string[];
  excluded: readonly { id: string; reason: 'over_budget' }[];
  totalTokens: number;
}

export interface FanOut {
  fanOutId: string;
  /** In the order of the contexts. One of `compiled` and `error` is null. */
  compilations: { compilationId: string; compiled: CompiledContext | null; error: string | null }[];
}

/** A compilation with its inventory, before anything is recorded. */
export interface Offer {
  budgetTokens: number;
  inventory: readonly ContextItem[];
  requiredIds: readonly string[];
  artifacts: readonly Artifact[];
}

/** Records the inventory, compiles, records the outcome; throws `CompilationFailed` after its failure is on record. */
export function compile(committer: Committer, config: Config, taskId: string, context: OfferedContext): CompiledContext {
  const offer = offerOf(config, context, config.budgetTokens);
  const place = { task_id: taskId, compilation_id: `compilation-${committer.nextSeq}` };
  const { drafts, ended } = compilationEnd(place, offer, straight);
  committer.commit([requestedDraft(place, offer, {}), ...drafts]);
  return demandCompiled(ended);
}

/** Records all inventories in one commit, then what becomes of each, one by one. */
export function compileFanOut(committer: Committer, config: Config, taskId: string, contexts: readonly OfferedContext[]): FanOut {
  if (!Array.isArray(contexts) || contexts.length === 0)
    throw new RuntimeError('input-invalid', 'A fan-out of no contexts is none. Offer at least one.');
  const first = committer.nextSeq;
  const fanOutId = `fan-out-${first}`;
  const members = contexts.map((context, index) => ({
    place: { task_id: taskId, compilation_id: `compilation-${first + index}` },
    offer: offerOf(config, context, config.budgetTokens),
    fan_out: { id: fanOutId, index: index + 1, of: contexts.length },
  }));
  const ends = members.map(({ place, offer }) => compilationEnd(place, offer, straight));
  committer.commitTogether(members.map(({ place, offer, fan_out }) => requestedDraft(place, offer, { fan_out })));
  for (const { drafts } of ends) committer.commit(drafts);
  const compilations = ends.map(({ ended }) => {
    const failed = ended instanceof CompilationFailed;
    return { compilationId: ended.compilationId, compiled: failed ? null : ended, error: failed ? ended.message : null };
  });
  return { fanOutId, compilations };
}

/** Checks what is offered, and takes its inventory. */
export function offerOf(config: Config, context: OfferedContext, budgetTokens: number): Offer {
  demandOffered(context);
  const { items, requiredIds } = context;
  const ids = items.map((item) => item.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined)
    throw new RuntimeError('input-invalid', `The item ${twice} is offered twice. Give each item an id of its own.`);
  return {
    budgetTokens,
    inventory: items.map((item) => inventoryItem(item, config.tokenizer)),
    requiredIds: [...requiredIds],
    artifacts: items.map((item) => textArtifact(item.content)),
  };
}

export interface CompilationPlace {
  task_id: string;
  compilation_id: string;
}

export function requestedDraft(
  place: CompilationPlace,
  { budgetTokens, inventory, requiredIds, artifacts }: Offer,
  link: Pick<Payloads['context.compilation_requested'], 'fan_out' | 'replaces' | 'recovery'>,
): Draft {
  const payload = {
    budget_tokens: budgetTokens,
    compiler,
    ...link,
    offered: [...inventory],
    required_ids: [...requiredIds],
  };
  return { ...place, type: 'context.compilation_requested', payload, artifacts };
}

/** What a compilation comes to: the event that says so, and what the caller is told, which is an error to throw where it failed. */
export function compilationEnd(
  place: CompilationPlace,
  { inventory, requiredIds, budgetTokens }: Pick<Offer, 'inventory' | 'requiredIds' | 'budgetTokens'>,
  stamp: Stamp,
): { drafts: Draft[]; ended: CompiledContext | CompilationFailed } {
  const { compilation_id: compilationId } = place;
  const outcome = compileContext(inventory, requiredIds, budgetTokens);
  if (!outcome.ok) {
    const { error, message } = outcome.payload;
    const failed: Draft = { ...place, type: 'context.compilation_failed', payload: { ...outcome.payload, ...stamp } };
    return { drafts: [failed], ended: new CompilationFailed(error, message, compilationId, outcome.missingIds) };
  }
  const { payload, text, sha256: packageSha256 } = outcome;
  const artifacts = [jsonArtifact(text)];
  const { included_ids: includedIds, excluded, total_tokens: totalTokens } = payload;
  return {
    drafts: [{ ...place, type: 'context.compiled', payload: { ...payload, ...stamp }, artifacts }],
    ended: { compilationId, packageSha256, includedIds, excluded, totalTokens },
  };
}

export function demandCompiled(ended: CompiledContext | CompilationFailed): CompiledContext {
  if (ended instanceof CompilationFailed) throw ended;
  return ended;
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

/** Bytes of the ledger by hash, verified: what is read or sent again must be what was recorded. */
export function artifactBytes(committer: Committer, hash: string): Buffer {
  const bytes = committer.artifact(hash);
  if (bytes === null)
    throw new RuntimeError('ledger-damaged', `The artifact ${hash} is missing from the ledger. Restore it from a copy.`);
  if (sha256(bytes) !== hash)
    throw new RuntimeError('ledger-damaged', `The artifact ${hash} was altered. Restore the ledger from a copy.`);
  return bytes;
}

/** Texts of the ledger by hash, each verified. */
export function contentReader(committer: Committer): (sha256: string) => string {
  return (hash) => artifactBytes(committer, hash).toString('utf8');
}

/** Fix the inputs of a compilation that failed: a successor with other inputs, linked to it. The old one stays on record, superseded by the link. */
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { compilationEnd, demandCompiled, offerOf, requestedDraft, type CompiledContext } from '../live/context.js';
import type { OfferedContext } from '../live/offered.js';
import { recoveredBy } from '../live/stamp.js';
import type { CompilationRecord } from '../core/records.js';
import { tokenizerNames } from '../core/tokens.js';
import { act, appending, type Proposal } from './act.js';
import { demandCompilationFor } from './demand.js';
import type { OperationOptions } from './options.js';

export function fixCompilation(
  committer: Committer,
  config: Config,
  compilationId: string,
  context: OfferedContext,
  options: OperationOptions,
): CompiledContext {
  return act(committer, options, () => proposeFixCompilation(committer, config, compilationId, context, options));
}

export function proposeFixCompilation(
  committer: Committer,
  config: Config,
  compilationId: string,
  context: OfferedContext,
  { settings }: OperationOptions,
): Proposal<CompiledContext> {
  const failed = demandCompilationFor(committer, compilationId, 'fix_inputs');
  const by = settings === 'recorded' ? recordedSettings(config, failed) : config;
  const offer = offerOf(by, context, by.budgetTokens);
  const place = { task_id: failed.taskId, compilation_id: `compilation-${committer.nextSeq}` };
  const stamp = recoveredBy('fix_inputs');
  const { drafts, ended } = compilationEnd(place, offer, stamp);
  const requested = requestedDraft(place, offer, { replaces: failed.id, ...stamp });
  return appending(committer, [requested, ...drafts], () => demandCompiled(ended));
}

/** Budget and tokenizer as the failed compilation had them. */
function recordedSettings(config: Config, { request }: CompilationRecord): Config {
  const measuredBy = request.offered.find(({ size }) => size.tokenizer !== undefined)?.size.tokenizer?.name;
  const tokenizer = tokenizerNames.find((name) => name === measuredBy) ?? null;
  return { ...config, budgetTokens: request.budget_tokens, tokenizer };
}

/**
 * Fix inputs: a compilation that failed, or a call that could not be prepared, gets a successor with other inputs, linked to it.
 *
 * The old one stays on record and is superseded by the link. A call keeps its key: nothing was sent under it by this call.
 */
import type { Committer } from '../calls/committer.js';
import { demandCompilation, type CallOutcome } from '../calls/call.js';
import {
  compilationEnd,
  contentReader,
  demandCompiled,
  offerOf,
  requestedDraft,
  type CompiledContext,
  type Config,
} from '../calls/context.js';
import type { OfferedContext } from '../calls/offered.js';
import { buildRecorded, prepareToday, replayable, type Prepared } from '../calls/prepare.js';
import { recoveredBy } from '../calls/stamp.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import { parseSpec } from '../core/spec.js';
import { tokenizerNames } from '../core/tokens.js';
import { cannot, demandCall, demandCompilationFor, demandUnserved } from './demand.js';
import { demandFixedCall } from './given.js';
import { newCallPlan } from './new-call.js';
import type { FixedCall, OperationOptions } from './options.js';
import { act, appending, type Plan } from './plan.js';

export function fixCompilation(
  committer: Committer,
  config: Config,
  compilationId: string,
  context: OfferedContext,
  options: OperationOptions,
): CompiledContext {
  return act(committer, options, () => planFixCompilation(committer, config, compilationId, context, options));
}

export function planFixCompilation(
  committer: Committer,
  config: Config,
  compilationId: string,
  context: OfferedContext,
  { settings }: OperationOptions,
): Plan<CompiledContext> {
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

export function fixCall(
  committer: Committer,
  config: Config,
  callId: string,
  inputs: FixedCall,
  options: OperationOptions,
): Promise<CallOutcome> {
  return act(committer, options, () => planFixCall(committer, config, callId, inputs, options));
}

export function planFixCall(
  committer: Committer,
  config: Config,
  callId: string,
  inputs: FixedCall,
  { settings }: OperationOptions,
): Plan<Promise<CallOutcome>> {
  demandFixedCall(inputs);
  const { call, projected } = demandCall(committer, callId, 'fix_inputs');
  demandUnserved(committer, projected, 'fix_inputs');
  const { taskId, request } = call;
  const { compilationId = call.compilationId, instruction = request.instruction } = inputs;
  const wanted = { taskId, compilationId, idempotencyKey: request.idempotency_key, instruction };
  const compilation = demandCompilation(committer, taskId, compilationId);
  const prepared =
    settings === 'recorded'
      ? prepareRecorded(committer, call, compilation, instruction)
      : prepareToday(committer, config, compilation, instruction);
  if (prepared.request !== null) replayable(committer, wanted.idempotencyKey, prepared.request.hashes.request_body_sha256);
  return newCallPlan(committer, config, wanted, prepared, { replaces: callId, stamp: recoveredBy('fix_inputs') });
}

/** The recorded spec with the fixed inputs in it. */
function prepareRecorded(committer: Committer, call: CallRecord, compilation: CompilationRecord, instruction: string): Prepared {
  const { spec_sha256 } = call.request;
  if (spec_sha256 === undefined)
    throw cannot(call.id, 'fix_inputs', 'has no record of how it was to be sent. Nothing was sent. Use the settings of today.');
  const context_package_sha256 = compilation.compiled?.context_package_sha256 ?? null;
  const recorded = parseSpec(contentReader(committer)(spec_sha256));
  const spec = { ...recorded, compilation_id: compilation.id, context_package_sha256, instruction };
  return { spec, request: buildRecorded(committer, compilation, spec) };
}

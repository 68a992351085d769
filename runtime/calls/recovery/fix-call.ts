/**
 * Fix the inputs of a call that could not be prepared: a successor with other inputs, linked to it.
 *
 * The old one stays on record, superseded by the link. The key is kept: nothing was sent under it by this call.
 */
import { demandCompilation, type CallOutcome } from '../live/call.js';
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { contentReader } from '../live/context.js';
import { buildRecorded, prepareToday, replayable, type Prepared } from '../live/prepare.js';
import { recoveredBy } from '../live/stamp.js';
import type { CallRecord, CompilationRecord } from '../core/records.js';
import { parseSpec } from '../core/spec.js';
import { act, type Proposal } from './act.js';
import { cannot, demandCall, demandUnserved } from './demand.js';
import { demandFixedCall } from './given.js';
import { newCallProposal } from './new-call.js';
import type { FixedCall, OperationOptions } from './options.js';

export function fixCall(
  committer: Committer,
  config: Config,
  callId: string,
  inputs: FixedCall,
  options: OperationOptions,
): Promise<CallOutcome> {
  return act(committer, options, () => proposeFixCall(committer, config, callId, inputs, options));
}

export function proposeFixCall(
  committer: Committer,
  config: Config,
  callId: string,
  inputs: FixedCall,
  { settings }: OperationOptions,
): Proposal<Promise<CallOutcome>> {
  demandFixedCall(inputs);
  const { call } = demandCall(committer, callId, 'fix_inputs');
  demandUnserved(committer, call, 'fix_inputs');
  const { taskId, request } = call;
  const { compilationId = call.compilationId, instruction = request.instruction } = inputs;
  const wanted = { taskId, compilationId, idempotencyKey: request.idempotency_key, instruction };
  const compilation = demandCompilation(committer, taskId, compilationId);
  const prepared =
    settings === 'recorded'
      ? prepareRecorded(committer, call, compilation, instruction)
      : prepareToday(committer, config, compilation, instruction);
  if (prepared.request !== null) replayable(committer, wanted.idempotencyKey, prepared.request.hashes.request_body_sha256);
  return newCallProposal(committer, config, wanted, prepared, { replaces: callId, stamp: recoveredBy('fix_inputs') });
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

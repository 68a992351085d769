/**
 * Resume: continue one call from the record alone, where the record proves that no effect was possible, as a new call that is linked to
 * it, under the same key.
 *
 * Everything else is `ResumeRefused`, with nothing appended and nothing sent. Beside the work state stands one rule: another call under
 * the key may already have been served, and then this one is not sent.
 */
import type { CallOutcome } from '../live/call.js';
import type { Committer } from '../live/committer.js';
import type { Config } from '../live/config.js';
import { recoveredBy } from '../live/stamp.js';
import { RecoveryRefused, ResumeRefused } from '../core/refusals.js';
import type { Operation } from '../core/vocabulary.js';
import { act, readAgain, type Proposal } from './act.js';
import { demandCall, demandUnserved } from './demand.js';
import { intentOf } from './intent.js';
import type { OperationOptions } from './options.js';
import { newCallProposal } from './new-call.js';

export interface ResumeOptions extends OperationOptions {
  /** Act only if this is the projected operation. */
  operation?: Operation;
}

export async function resumeCall(
  committer: Committer,
  config: Config,
  callId: string,
  options: ResumeOptions = {},
): Promise<CallOutcome> {
  try {
    return await act(committer, options, () => proposeResume(committer, config, callId, options));
  } catch (error) {
    throw asResumeRefused(error);
  }
}

/** What a resume would do, without doing it: returns where it would act, throws `ResumeRefused` where it would not. */
export function checkResume(committer: Committer, config: Config, callId: string, options: ResumeOptions = {}): void {
  try {
    readAgain(committer, options);
    proposeResume(committer, config, callId, options);
  } catch (error) {
    throw asResumeRefused(error);
  }
}

export function proposeResume(
  committer: Committer,
  config: Config,
  callId: string,
  { operation, settings }: ResumeOptions,
): Proposal<Promise<CallOutcome>> {
  const { call, projected } = demandCall(committer, callId, 'start_call');
  if (operation !== undefined && operation !== projected.next_operation)
    throw new RecoveryRefused(
      { on: callId, operation: projected.next_operation, hazard: 'unneeded' },
      `${callId} was asked to ${operation}; the record says ${projected.next_operation}. Read its work state and ask for that.`,
    );
  demandUnserved(committer, call, 'start_call');
  const { compared, ...prepared } = intentOf(committer, config, call, 'start_call', settings);
  const { idempotency_key: idempotencyKey, instruction } = call.request;
  const wanted = { taskId: call.taskId, compilationId: call.compilationId, idempotencyKey, instruction };
  return newCallProposal(committer, config, wanted, prepared, {
    resumes: call,
    link: compared,
    stamp: recoveredBy('start_call'),
  });
}

function asResumeRefused(error: unknown): unknown {
  if (!(error instanceof RecoveryRefused)) return error;
  const { on: callId, operation, hazard, drift } = error;
  return new ResumeRefused({ callId, operation, hazard, drift }, error.message);
}

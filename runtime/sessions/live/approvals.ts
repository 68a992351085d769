/**
 * Questions to a person: asked once, answered once, spent by the intent that cites the answer.
 *
 * Question and answer are records, so a restart neither asks again nor forgets. What a question shows is a hash of the bytes on record that
 * will be dispatched: the model is not asked again in between.
 */
import { sha256 } from '../../core/digest.js';
import type { Draft } from '../core/records.js';
import { lastStep, type Run } from '../core/run.js';
import { stageOf } from '../core/stages.js';
import type { Decision } from '../core/vocabulary.js';
import { missingAnswers } from './due.js';
import type { Tenure } from './tenure.js';

/** Asks what has not been asked, and pauses the run. False where no answer is missing. */
export function askWhereNeeded(tenure: Tenure, run: Run): boolean {
  const missing = new Set(missingAnswers(tenure, run));
  const step = lastStep(run);
  if (missing.size === 0 || step === undefined) return false;
  const asked = step.calls
    .filter(({ call, approval }) => missing.has(call.id) && approval === null)
    .map(({ call }): Draft => ({
      type: 'approval_requested',
      payload: {
        run_id: run.runId,
        step_id: step.stepId,
        batch_id: step.batchId,
        tool_call_id: call.id,
        name: call.name,
        arguments_sha256: sha256(call.arguments),
      },
    }));
  tenure.append([...asked, { type: 'run_paused', payload: { run_id: run.runId, reason: 'approval_required' } }]);
  return true;
}

/** Records the answer of a person. The run goes on with the next resume. */
export function approve(tenure: Tenure, answer: { toolCallId: string; decision: Decision; by: string }): void {
  tenure.demandOpen();
  const run = tenure.history.current;
  const step = run && lastStep(run);
  const call = step?.calls.find(({ call: { id } }) => id === answer.toolCallId);
  if (run === undefined || step === undefined || call?.approval == null)
    throw tenure.refusal(
      'nothing_open',
      null,
      `Nobody asked about a call ${answer.toolCallId}. Look at the state of the session.`,
    );
  const { approval, key } = call;
  if (approval.answer !== null)
    throw tenure.refusal(
      'approval_settled',
      key,
      `The call ${key} was ${approval.answer.decision} before, by ${approval.answer.by}.`,
    );
  if (stageOf(run).operation !== 'approve')
    throw tenure.refusal('approval_settled', key, `The run ${run.runId} does not go on, so the call ${key} needs no answer.`);
  tenure.record([
    {
      type: 'approval_resolved',
      payload: {
        run_id: run.runId,
        batch_id: step.batchId,
        tool_call_id: answer.toolCallId,
        request_seq: approval.requestSeq,
        decision: answer.decision,
        by: answer.by,
      },
    },
  ]);
}

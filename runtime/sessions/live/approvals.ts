/**
 * Questions to a person: asked once, answered once, spent by the intent that cites the answer.
 *
 * Question and answer are records, so a restart neither asks again nor forgets. What a question shows is a hash of the bytes on record that
 * will be dispatched: the model is not asked again in between.
 */
import { sha256 } from '../../core/digest.js';
import { callStatesOf } from '../core/call-states.js';
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

export interface PersonsAnswer {
  /** Key of a call, which is of one step alone; or its id, which is the model's and may come again in a later step. */
  on: { key: string } | { toolCallId: string };
  decision: Decision;
  by: string;
}

/** Where the call is there, in which state, so that nobody looks for another id. The last one of the id, which may be one of an earlier run. */
function notAsked({ history }: Tenure, on: PersonsAnswer['on']): string {
  const found = history.runs
    .flatMap(({ steps }) => steps)
    .flatMap((step) => {
      const states = callStatesOf(step);
      return step.calls.map(({ call, key }, index) => ({ id: call.id, key, state: states[index] ?? 'pending' }));
    })
    .findLast(({ id, key }) => ('key' in on ? key === on.key : id === on.toolCallId));
  if (found === undefined) return `There is no call ${'key' in on ? on.key : on.toolCallId} in this session.`;
  return `The call ${found.key} does not wait for an answer: it is ${found.state}.`;
}

/** Records the answer of a person. The run goes on with the next resume. */
export function approve(tenure: Tenure, { on, decision, by }: PersonsAnswer): void {
  tenure.demandOpen();
  const run = tenure.history.current;
  const step = run && lastStep(run);
  const call = step?.calls.find(({ key, call: { id } }) => ('key' in on ? key === on.key : id === on.toolCallId));
  if (run === undefined || step === undefined || call?.approval == null)
    throw tenure.refusal('nothing_open', null, `${notAsked(tenure, on)} Look at the state of the session.`);
  const { approval, key } = call;
  if (approval.answer !== null)
    throw tenure.refusal(
      'approval_settled',
      key,
      `The call ${key} was ${approval.answer.decision} before, by ${approval.answer.by}, and that stands. Resume, or cancel the run.`,
    );
  if (stageOf(run).operation !== 'approve')
    throw tenure.refusal(
      'approval_settled',
      key,
      `The run ${run.runId} does not go on, so the call ${key} needs no answer. Resume to end it.`,
    );
  tenure.record([
    {
      type: 'approval_resolved',
      payload: {
        run_id: run.runId,
        batch_id: step.batchId,
        tool_call_id: call.call.id,
        request_seq: approval.requestSeq,
        decision,
        by,
      },
    },
  ]);
}

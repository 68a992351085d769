/**
 * How a run is closed that cannot go on: every call gets its one terminal, and then the run its end.
 *
 * Fault model: the process that closes may die after any record, even where each is a barrier of its own. So what is asked for is only what
 * the record does not have, and each piece is decided as if the pieces before it were written: a second close-out goes on where the first
 * one stopped and ends at the same place. No call gets a second terminal, and nothing is dispatched.
 */
import { invariant } from '../../core/errors.js';
import { classifyCall, closes, evidenceOf, type CallEvidence } from './call-states.js';
import { decisionsOf, planCalls } from './plan-batch.js';
import type { Draft, DraftOf } from './records.js';
import { lastStep, usageOf, type Run, type Step } from './run.js';
import { stageOf } from './stages.js';
import { resultTexts } from './texts.js';
import type { FinishReason, Planned } from './vocabulary.js';

/** What a close-out may say of a call. */
type Closing = 'unknown' | 'interrupted' | 'max_steps';

/**
 * The first barrier: what is missing before the run may have its end; nothing where nothing is. `undispatched` are ids of calls that have an
 * intent and of which this living process knows that it never handed them over; after a crash nobody knows that of any.
 */
export function closeOut(run: Run, reason: FinishReason, undispatched: ReadonlySet<string> = new Set()): Draft[] {
  const step = lastStep(run);
  if (step === undefined || step.answer === null || step.turnFinishedSeq !== null) return [];
  const ids = { run_id: run.runId, batch_id: step.batchId };
  const turn: Draft = { type: 'turn_finished', payload: { run_id: run.runId, step_id: step.stepId } };
  if (step.calls.length === 0 || step.batch?.finishedSeq != null) return [turn];
  const plan = planOf(run, step);
  return [
    ...(step.batch === null ? [plan] : []),
    ...terminals(run, step, plan.payload, reason, undispatched),
    { type: 'tool_batch_finished', payload: ids },
    turn,
  ];
}

/** The batch as it stands, or as it is planned now. Whether a tool is there does not matter any more: nothing is dispatched. */
function planOf(run: Run, step: Step): DraftOf<'tool_batch_started'> {
  const planned: Planned[] =
    step.batch === null && step.answer !== null
      ? planCalls(step.answer.assistant, run.config, { available: () => true, decisions: decisionsOf(step) })
      : step.calls.flatMap((call) => call.planned ?? []);
  return {
    type: 'tool_batch_started',
    payload: {
      run_id: run.runId,
      batch_id: step.batchId,
      step_id: step.stepId,
      mode: step.batch?.mode ?? run.config.batch,
      planned,
    },
  };
}

/** Results first, then what was never to be dispatched: the order in which the contract lists them. */
function terminals(
  run: Run,
  step: Step,
  { mode, planned }: DraftOf<'tool_batch_started'>['payload'],
  reason: FinishReason,
  undispatched: ReadonlySet<string>,
): Draft[] {
  const results: Draft[] = [];
  const never: Draft[] = [];
  let afterClosed = false;
  for (const call of step.calls) {
    const { plan, reason: why } = planned[call.index] ?? { plan: 'dispatch', reason: null };
    const ids = { run_id: run.runId, batch_id: step.batchId, tool_call_id: call.call.id };
    const outcome = closingOf(
      { ...evidenceOf(step, call, afterClosed), batch: { mode, plan } },
      reason,
      undispatched.has(call.call.id),
    );
    if (outcome === 'no_dispatch' && why !== null) never.push({ type: 'tool_no_dispatch', payload: { ...ids, reason: why } });
    else if (outcome !== null && outcome !== 'no_dispatch')
      results.push({ type: 'tool_result', payload: { ...ids, outcome, output: resultTexts[outcome], is_error: true } });
    afterClosed ||= closes(call) || outcome === 'interrupted' || outcome === 'max_steps';
  }
  return [...results, ...never];
}

/** Null where the call has its terminal. */
function closingOf(evidence: CallEvidence, reason: FinishReason, undispatched: boolean): Closing | 'no_dispatch' | null {
  const { replay } = classifyCall(evidence);
  const pending = reason === 'max_steps' ? 'max_steps' : 'interrupted';
  switch (replay) {
    case 'keep':
      return null;
    case 'record_no_dispatch':
      return 'no_dispatch';
    case 'close_unknown':
      return undispatched ? pending : 'unknown';
    case 'close':
    case 'dispatch':
    case 'plan':
      return pending;
  }
}

/** The second barrier. Its reason is that of the run's stage, unless the caller knows another one. */
export function seal(
  run: Run,
  reason: FinishReason | null = stageOf(run).seals,
  error: DraftOf<'run_finished'>['payload']['error'] = null,
): DraftOf<'run_finished'> {
  invariant(reason !== null, `run ${run.runId} goes on, so it has no reason to end`);
  return { type: 'run_finished', payload: { run_id: run.runId, reason, error, usage: usageOf(run) } };
}

/**
 * The tool batch of one step: plan, barrier, dispatch, results, end.
 *
 * Fault model: process crash at any point. The plan, every intent and every no-dispatch are durable before the first call leaves, so a call
 * that may have left can always be told from one that did not. A call leaves at most once. Each result is durable before anybody sees it,
 * and before the next call of a sequential batch leaves.
 */
import { invariant } from '../../core/errors.js';
import { decisionsOf, planCalls } from '../core/plan-batch.js';
import type { Draft } from '../core/records.js';
import { lastStep, type Run, type Step, type ToolCall } from '../core/run.js';
import { resultTexts } from '../core/texts.js';
import type { Planned } from '../core/vocabulary.js';
import { askWhereNeeded } from './approvals.js';
import { handOver } from './dispatch.js';
import type { LiveRun, Tenure } from './tenure.js';

/** One move: ask, or dispatch, or finish. What comes after it is decided from the record again. */
export async function runTools(tenure: Tenure, live: LiveRun): Promise<void> {
  const { run } = live;
  if (askWhereNeeded(tenure, run)) return;
  const step = lastStep(run);
  invariant(step?.answer != null, 'tools are due only after an answer');
  const { drafts, leaving } = barrierOf(tenure, run, step);
  for (const { key } of leaving) live.intended.add(key);
  if (drafts.length > 0) tenure.append(drafts);
  if (leaving.length > 0) await handOver(tenure, live, step, leaving);
  else finishBatch(tenure, run, step);
}

/** What must be durable before anything leaves, and what may leave then. In a batch that a crash cut off: what it lacks. */
function barrierOf(tenure: Tenure, run: Run, step: Step): { drafts: Draft[]; leaving: ToolCall[] } {
  const ids = { run_id: run.runId, batch_id: step.batchId };
  const planned = planOf(tenure, run, step);
  const open = step.calls.filter(({ terminal }) => terminal === null);
  const leaving = open.filter(({ index, intent }) => planned[index]?.plan === 'dispatch' && intent === null);
  const started: Draft = {
    type: 'tool_batch_started',
    payload: { ...ids, step_id: step.stepId, mode: run.config.batch, planned },
  };
  const intents = leaving.map(({ call: { id, name, arguments: given }, approval }): Draft => ({
    type: 'tool_dispatch_intent',
    payload: { ...ids, tool_call_id: id, name, arguments: given, approval_seq: approval?.answer?.seq ?? null },
  }));
  const never = open.flatMap(({ index, call }): Draft[] => {
    const reason = planned[index]?.reason ?? null;
    return reason === null ? [] : [{ type: 'tool_no_dispatch', payload: { ...ids, tool_call_id: call.id, reason } }];
  });
  // Calls of a process that is gone, whose tools say that the run may go on all the same.
  const unknown = open
    .filter(({ intent }) => intent !== null)
    .map(({ call }): Draft => ({
      type: 'tool_result',
      payload: { ...ids, tool_call_id: call.id, outcome: 'unknown', output: resultTexts.unknown, is_error: true },
    }));
  return { drafts: [...(step.batch === null ? [started] : []), ...intents, ...never, ...unknown], leaving };
}

/** As it stands; decided now where there is none. */
function planOf({ plane }: Tenure, run: Run, step: Step): Planned[] {
  if (step.batch !== null) return step.calls.flatMap(({ planned }) => planned ?? []);
  invariant(step.answer !== null, 'a plan is made of an answer');
  const circumstances = { available: plane.available.bind(plane), decisions: decisionsOf(step) };
  return planCalls(step.answer.assistant, run.config, circumstances);
}

function finishBatch(tenure: Tenure, run: Run, step: Step): void {
  const turn: Draft = { type: 'turn_finished', payload: { run_id: run.runId, step_id: step.stepId } };
  const batch: Draft = { type: 'tool_batch_finished', payload: { run_id: run.runId, batch_id: step.batchId } };
  tenure.append(step.batch?.finishedSeq == null ? [batch, turn] : [turn]);
}

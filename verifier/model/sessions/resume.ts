/**
 * What a resume must say of itself, from the history as it stood before it: what it rebuilt without asking anybody, what it does again,
 * and of what nobody can know. Pure.
 */
import type { ResumeStarted } from '../../contract/types.js';
import { lawfulPlans, needsApproval } from './batch-plan.js';
import { callStateOf, planOf, terminalOf } from './call-state.js';
import type { Call, History, Run } from './history.js';
import { operations, stageOf } from './stage.js';

/**
 * Of the resume whose `resume_started` has this seq. Null where there is nothing to do for the last run: it is over, waits for a person, or
 * there is none; such a resume appends nothing. A send that closes a run out is no resume of it.
 */
export function resumeReportOf(history: History, seq: number): ResumeStarted | null {
  const run = history.runs.at(-1);
  if (run === undefined) return null;
  const operation = operations[stageOf(run)];
  if (operation === 'none' || operation === 'approve') return null;
  const { messages, model_steps, tool_results } = history.replayed;
  return {
    ...{ run_id: run.id, episode: run.episode, replayed: { messages, model_steps, tool_results } },
    // The lineage frame of a tenure is written with what the tenure appends first, after everything was read.
    resumed_from_seq: history.lastLineage === seq - 1 ? seq - 2 : seq - 1,
    redone: redoneIn(run),
    indeterminate: indeterminateIn(run),
  };
}

function redoneIn(run: Run): string[] {
  const stage = stageOf(run);
  const last = run.steps.at(-1);
  if (stage === 'step_due') return last !== undefined && last.finished === undefined ? [last.id] : [];
  return stage === 'tools_due' ? dispatchedNext(run).map(({ key }) => key) : [];
}

function indeterminateIn(run: Run): string[] {
  if (stageOf(run) === 'model_unknown') return [run.steps.at(-1)?.id ?? ''];
  return (run.lastFinished?.calls ?? []).filter((call) => callStateOf(call) === 'indeterminate').map(({ key }) => key);
}

/**
 * The calls of the last step that are dispatched now, as far as the record says; none while a person has to be asked or to answer. That a
 * tool is not available only the process can see.
 */
export function dispatchedNext({ lastFinished, awaiting, config }: Run): Call[] {
  const open = (lastFinished?.calls ?? []).filter((call) => terminalOf(call) === null);
  const isUnasked = (call: Call): boolean =>
    planOf(call) === undefined && call.approvals.length === 0 && needsApproval(call, config);
  if (awaiting.size > 0 || open.some(isUnasked)) return [];
  return open.filter((call) => call.intents.length === 0 && (planOf(call) ?? lawfulPlans(call, config)[0])?.plan === 'dispatch');
}

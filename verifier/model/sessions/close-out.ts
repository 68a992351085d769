/**
 * What closing a run out must leave behind: a terminal for each call that has none, then the end. A close-out asks no model and dispatches
 * nothing, and writes only what is missing, so one that was interrupted ends as one that was not. Pure.
 */
import type { SharedFinishReason } from '../../contract/types.js';
import { lawfulPlans } from './batch-plan.js';
import { callStateOf, planOf, terminalOf } from './call-state.js';
import type { Call, Run } from './history.js';
import { operations, seals, stageOf } from './stage.js';

/** A terminal that a close-out gives: the outcome of a result, or the reason of a `tool_no_dispatch`. */
export type Closing =
  | { readonly type: 'tool_result'; readonly outcome: 'unknown' | 'interrupted' | 'max_steps' }
  | { readonly type: 'tool_no_dispatch'; readonly reason: string };

export interface CloseOut {
  readonly seal: SharedFinishReason;
  /**
   * For each call of the last step that has no terminal yet, by its key, every terminal that it may get: one, but where its plan is not on
   * record and its tool may have been unavailable.
   */
  readonly closings: ReadonlyMap<string, readonly Closing[]>;
}

/**
 * Null where the next operation of the run is no close-out. A new send is forced: it closes out whatever has no end, a run that waits
 * for a person or could go on as an interrupted one, a natural end as completed.
 */
export function closeOutOf(run: Run, { forced = false } = {}): CloseOut | null {
  const stage = stageOf(run);
  if (!forced && operations[stage] !== 'close_out') return null;
  if (stage === 'finished') return null;
  const pending = stage === 'stopped' ? 'max_steps' : 'interrupted';
  const open = (run.lastFinished?.calls ?? []).filter((call) => terminalOf(call) === null);
  return { seal: seals[stage] ?? 'interrupted', closings: new Map(open.map((call) => [call.key, closingsOf(call, pending)])) };
}

function closingsOf(call: Call, pending: 'interrupted' | 'max_steps'): Closing[] {
  const state = callStateOf(call);
  if (state === 'indeterminate') return [{ type: 'tool_result', outcome: 'unknown' }];
  const plan = planOf(call);
  const plans = plan === undefined ? lawfulPlans(call, call.step.run.config) : [plan];
  return plans.map(({ reason }) =>
    reason === null ? { type: 'tool_result', outcome: pending } : { type: 'tool_no_dispatch', reason },
  );
}

/** Whether a terminal is one of those that a close-out may give. */
export function isClosing(call: Call, allowed: readonly Closing[]): boolean {
  const terminal = terminalOf(call);
  if (terminal === null) return false;
  return allowed.some((one) =>
    one.type === 'tool_result'
      ? 'outcome' in terminal && terminal.outcome === one.outcome
      : !('outcome' in terminal) && terminal.reason === one.reason,
  );
}

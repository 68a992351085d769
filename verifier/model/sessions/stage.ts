/** In which stage the last run of a session is, and what is to be done next: the rows of the contract, in its order. Pure. */
import type { SharedFinishReason, SharedRunStage, SharedSessionOperation } from '../../contract/types.js';
import { callStateOf, mayGoOn } from './call-state.js';
import type { Call, Run } from './history.js';

export const operations: Readonly<Record<SharedRunStage, SharedSessionOperation>> = {
  finished: 'none',
  cancelling: 'close_out',
  interrupted: 'close_out',
  model_unknown: 'close_out',
  stopped: 'close_out',
  paused: 'approve',
  natural_end: 'finalize',
  tools_due: 'run_tools',
  step_due: 'run_step',
};

/** With which reason the operation of a stage ends the run; a stage that is not here does not end it by itself. */
export const seals: Readonly<Partial<Record<SharedRunStage, SharedFinishReason>>> = {
  cancelling: 'cancelled',
  interrupted: 'interrupted',
  model_unknown: 'interrupted',
  stopped: 'max_steps',
  natural_end: 'completed',
};

interface Row {
  readonly row: string;
  readonly stage: SharedRunStage;
  fits(run: Run): boolean;
}

/** The first that fits. */
export const rows: readonly Row[] = [
  { row: 'a', stage: 'finished', fits: ({ finished }) => finished !== undefined },
  { row: 'b', stage: 'cancelling', fits: ({ cancels }) => cancels.length > 0 },
  { row: 'c', stage: 'interrupted', fits: (run) => (run.lastBatch?.calls ?? []).some((call) => interrupts(call, run)) },
  { row: 'd', stage: 'model_unknown', fits: hasOpenAttempt },
  {
    row: 'e',
    stage: 'stopped',
    fits: ({ lastFinished: last, config }) => last?.number === config.max_steps && last.calls.length > 0,
  },
  { row: 'f', stage: 'paused', fits: ({ awaiting }) => awaiting.size > 0 },
  {
    row: 'g',
    stage: 'natural_end',
    fits: (run) => run.lastFinished?.calls.length === 0 && run.steps.at(-1) === run.lastFinished,
  },
  { row: 'h', stage: 'tools_due', fits: hasCallsDue },
  { row: 'i', stage: 'step_due', fits: () => true },
];

export function stageOf(run: Run): SharedRunStage {
  return rows.find(({ fits }) => fits(run))?.stage ?? 'step_due';
}

function interrupts(call: Call, { config }: Run): boolean {
  const state = callStateOf(call);
  if (state === 'interrupted') return true;
  return (state === 'indeterminate' || state === 'unknown') && !mayGoOn(call, config);
}

/**
 * Whatever an informational record says of the attempt: every reader skips those with the same result. A later attempt or step shows that the
 * one before it failed whole, so only those of the last step count.
 */
function hasOpenAttempt({ steps }: Run): boolean {
  const last = steps.at(-1);
  return last !== undefined && last.finished === undefined && last.attempts.length > 0;
}

function hasCallsDue({ lastFinished: last }: Run): boolean {
  if (last === undefined || last.calls.length === 0) return false;
  return last.batch?.finished === undefined || last.turnFinished === undefined;
}

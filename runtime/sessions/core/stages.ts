/**
 * In which stage a run is, and what whoever opens its session may do about it: one labelled table, the first matching row wins.
 *
 * Fault model: the process may die after any record, and the record is all that the next one has. Rows b to e come before those that go on,
 * since going on is what could repeat an effect. The labels are those of the contract.
 */
import { callStatesOf } from './call-states.js';
import { answeredSteps, lastStep, mayGoOn, type Run } from './run.js';
import type { FinishReason, RunStage, SessionOperation } from './vocabulary.js';

export interface StageEvidence {
  finished: boolean;
  cancelRequested: boolean;
  /** In the last batch a call of which nobody can know, and whose tool does not say that this is all right. */
  inDoubt: boolean;
  /** In the last batch a call that was closed without being dispatched. */
  closedOut: boolean;
  /** An attempt of the last step is on record, and its answer is not. */
  attemptOpen: boolean;
  /** The last step: whether there is one, has its answer, and whether that asks for calls. */
  step: 'none' | 'unanswered' | 'final' | 'calls';
  /** The last answer is the last that the run may have. */
  atLimit: boolean;
  approvalOpen: boolean;
  /** Batch and turn of the last step are finished. */
  turnDone: boolean;
}

export interface StageRow {
  label: string;
  matches: (evidence: StageEvidence) => boolean;
  stage: RunStage;
  operation: SessionOperation;
  /** How carrying the operation out ends the run; null where the run goes on, waits or has ended. */
  seals: FinishReason | null;
  /** One sentence for people. */
  detail: string;
}

export const stageTable: readonly StageRow[] = [
  {
    label: 'a',
    matches: ({ finished }) => finished,
    stage: 'finished',
    operation: 'none',
    seals: null,
    detail: 'The run has its end.',
  },
  {
    label: 'b',
    matches: ({ cancelRequested }) => cancelRequested,
    stage: 'cancelling',
    operation: 'close_out',
    seals: 'cancelled',
    detail: 'A cancel is on record; the run ends without another request.',
  },
  {
    label: 'c',
    matches: ({ inDoubt, closedOut }) => inDoubt || closedOut,
    stage: 'interrupted',
    operation: 'close_out',
    seals: 'interrupted',
    detail:
      'A call may have happened and has no recorded result, or was closed undispatched; the owner decides with the next send.',
  },
  {
    label: 'd',
    matches: ({ attemptOpen }) => attemptOpen,
    stage: 'model_unknown',
    operation: 'close_out',
    seals: 'interrupted',
    detail: 'A model request may have been sent and has no recorded answer; it is not sent again.',
  },
  {
    label: 'e',
    matches: ({ step, atLimit }) => step === 'calls' && atLimit,
    stage: 'stopped',
    operation: 'close_out',
    seals: 'max_steps',
    detail: 'The last step that the run may have asks for calls; they are not dispatched.',
  },
  {
    label: 'f',
    matches: ({ approvalOpen }) => approvalOpen,
    stage: 'paused',
    operation: 'approve',
    seals: null,
    detail: 'A call waits for the answer of a person.',
  },
  {
    label: 'g',
    matches: ({ step }) => step === 'final',
    stage: 'natural_end',
    operation: 'finalize',
    seals: 'completed',
    detail: 'The model has given its last answer; only the end is missing, and no request is needed for it.',
  },
  {
    label: 'h',
    matches: ({ step, turnDone }) => step === 'calls' && !turnDone,
    stage: 'tools_due',
    operation: 'run_tools',
    seals: null,
    detail: 'The last step asks for calls; those that never left may be dispatched.',
  },
  {
    label: 'i',
    matches: () => true,
    stage: 'step_due',
    operation: 'run_step',
    seals: null,
    detail: 'The next model request is due.',
  },
];

/** After such an end the queue goes on by itself; after another one it waits for the owner. */
export const drainsAfter: readonly FinishReason[] = ['completed', 'cancelled', 'max_steps'];

/** Carrying one of these out asks the model or hands a call to its tool; the others only write down what is known. */
const sending: readonly SessionOperation[] = ['run_tools', 'run_step', 'drain_queue'];

export function sends(operation: SessionOperation): boolean {
  return sending.includes(operation);
}

/** The first row that matches; row i makes the table total. */
export function classifyStage(evidence: StageEvidence): StageRow {
  return stageTable.find((row) => row.matches(evidence)) as StageRow;
}

export function stageOf(run: Run): StageRow {
  return classifyStage(stageEvidenceOf(run));
}

export function stageEvidenceOf(run: Run): StageEvidence {
  const step = lastStep(run);
  const withBatch = run.steps.findLast(({ batch }) => batch !== null);
  const states = withBatch === undefined ? [] : callStatesOf(withBatch);
  const last = withBatch?.calls.map((call, index) => ({ call, state: states[index] })) ?? [];
  return {
    finished: run.finished !== null,
    cancelRequested: run.cancel !== null,
    inDoubt: last.some(({ call, state }) => (state === 'indeterminate' || state === 'unknown') && !mayGoOn(call)),
    closedOut: last.some(({ state }) => state === 'interrupted'),
    attemptOpen: step !== undefined && step.attempts > 0 && step.answer === null,
    step: step === undefined ? 'none' : step.answer === null ? 'unanswered' : step.calls.length === 0 ? 'final' : 'calls',
    atLimit: answeredSteps(run) >= run.config.max_steps,
    approvalOpen: step?.calls.some(({ approval }) => approval !== null && approval.answer === null) ?? false,
    turnDone: step?.batch?.finishedSeq != null && step.turnFinishedSeq !== null,
  };
}

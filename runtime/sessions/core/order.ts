/**
 * May this record stand here? One rule for each type, asked before anything is taken over.
 *
 * A writer that follows the barriers never breaks one of these, and no crash does: a crash only takes the end away. So a log that breaks
 * one was written wrongly or spliced, and every later request would be built on it; it is refused with a sentence instead. What is policy
 * and not order (whether a tool should have been dispatched) is not asked here.
 */
import { callRules } from './order-of-calls.js';
import { nothing, openRun, type HistoryView, type Rules } from './order-view.js';
import type { KnownFrame } from './records.js';
import { lastStep } from './run.js';
import { stepId } from './keys.js';

/** Why a record cannot stand behind what was read so far; null where it can. */
export function orderProblem(history: HistoryView, frame: KnownFrame): string | null {
  const rule = rules[frame.type] as (history: HistoryView, payload: object, seq: number) => string | null;
  return rule(history, frame.payload, frame.seq);
}

const rules: Rules = {
  ...callRules,
  resume_started: nothing,
  model_attempt_finished: nothing,

  lineage: (history, { identity, session_id: session }) => {
    if (history.identity === '') return null;
    return history.identity === identity && history.sessionId === session ? null : 'the log has another identity';
  },

  run_started: (history, { run_id: id, session_id: session, submission_id: submission }) => {
    if (history.sessionId !== session) return `the log is of session ${history.sessionId || '(none yet)'}`;
    if (history.current !== undefined) return `run ${history.current.runId} has no end yet`;
    if (submission !== undefined && !waits(history, submission)) return `no message ${submission} waits`;
    return submission === id ? null : taken(history, id);
  },
  queued: (history, { submission_id: id }) => taken(history, id),
  retracted: (history, { submission_id: id }) => (waits(history, id) ? null : `no message ${id} waits`),

  steered: (history, payload, seq) =>
    openRun(nothing)(history, payload, seq) ?? (payload.send_id === undefined ? null : taken(history, payload.send_id)),
  run_cancel_requested: openRun(nothing),
  run_paused: openRun(nothing),
  run_finished: openRun((run) => {
    const step = lastStep(run);
    if (step === undefined || step.calls.length === 0) return null;
    return step.batch?.finishedSeq == null ? `the calls of ${step.stepId} have no finished batch` : null;
  }),

  step_started: openRun((run, { step_id: id, watermark_seq: watermark }, seq) => {
    if (id !== stepId(seq)) return `its step must be ${stepId(seq)}`;
    const before = lastStep(run);
    if (before?.answer != null && before.calls.length === 0) return `${before.stepId} asked for no calls and so ended the run`;
    if (before?.answer != null && before.turnFinishedSeq === null) return `the turn of ${before.stepId} is not finished`;
    const least = Math.max(run.startedSeq, before?.watermark ?? 0, before?.batch?.finishedSeq ?? 0);
    return watermark >= least && watermark < seq ? null : `its watermark must lie between ${least} and ${seq - 1}`;
  }),
  model_attempt_started: openRun((run, { step_id: id, attempt }) => {
    if (run.config.model_leg !== 'intent') return `run ${run.runId} records no attempts before they are sent`;
    const step = lastStep(run);
    if (step?.stepId !== id || step.answer !== null) return `no step ${id} waits for an answer`;
    return attempt === step.attempts + 1 ? null : `attempt ${step.attempts + 1} of ${id} comes next`;
  }),
  model_step_finished: openRun((run, { step_id: id, assistant }) => {
    const step = lastStep(run);
    if (step?.stepId !== id || step.answer !== null) return `no step ${id} waits for an answer`;
    if (run.config.model_leg === 'intent' && step.attempts === 0) return `${id} has no attempt that it could answer`;
    const ids = new Set(assistant.tool_calls.map((call) => call.id));
    return ids.size === assistant.tool_calls.length ? null : 'two of its calls have one id';
  }),
  turn_finished: openRun((run, { step_id: id }) => {
    const step = lastStep(run);
    if (step?.stepId !== id || step.answer === null) return `no step ${id} has an answer`;
    if (step.turnFinishedSeq !== null) return `the turn of ${id} is finished already`;
    return step.calls.length > 0 && step.batch?.finishedSeq == null ? `the batch of ${id} is not finished` : null;
  }),
};

/** An id names one message, whichever way it was sent. */
function taken(history: HistoryView, id: string): string | null {
  switch (history.messageOf(id)?.became) {
    case undefined:
      return null;
    case 'run':
      return `${id} names a run`;
    case 'steer':
      return `${id} names a steer`;
    case 'waiting':
      return `${id} names a message that waits for a run of its own`;
    case 'retracted':
      return `${id} names a message that was retracted`;
  }
}

function waits(history: HistoryView, id: string): boolean {
  return history.messageOf(id)?.became === 'waiting';
}

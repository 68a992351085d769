/**
 * In which order the records of a session may come: one rule for each type, over the history as it stood before the record. What belongs
 * to nothing, or stands a second time where one may stand, is a stray of the history and named beside these. Pure.
 */
import { lawfulPlans } from '../../model/sessions/batch-plan.js';
import { planOf, terminalOf } from '../../model/sessions/call-state.js';
import { walk } from '../../model/sessions/fold.js';
import type { Call, History, RecordsOf, Run, Step } from '../../model/sessions/history.js';
import { callKey } from '../../model/sessions/keys.js';
import { sameJson } from '../../read/canonical.js';
import type { SessionRecord } from '../../read/session-records.js';
import { once } from './once.js';

export interface Disorder {
  readonly seq: number;
  readonly detail: string;
}

/** Of whose repetition another guarantee speaks: an input runs once. */
const inputs: ReadonlySet<string> = new Set(['run_started', 'queued', 'retracted']);

export const orderProblems = once((records: readonly SessionRecord[]): readonly Disorder[] => {
  const problems: Disorder[] = [];
  const fences = new Map(records.map(({ seq, fence }) => [seq, fence]));
  const isSameTenure = (one: number, other: number): boolean => fences.get(one) === fences.get(other);
  const { strays } = walk(records, (record, before) => {
    const detail = disorder(record, before, isSameTenure);
    if (detail !== null) problems.push({ seq: record.seq, detail });
  });
  const known = new Set(problems.map(({ seq }) => seq));
  for (const { seq, type } of strays)
    if (!inputs.has(type) && !known.has(seq))
      problems.push({ seq, detail: `The ${type} belongs to nothing, or was there before.` });
  return problems;
});

type SameTenure = (one: number, other: number) => boolean;

function disorder(record: SessionRecord, history: History, isSameTenure: SameTenure): string | null {
  const { type, payload, seq } = record;
  if (type === 'lineage' || type === 'queued' || type === 'retracted') return null;
  const last = history.runs.at(-1);
  if (type === 'run_started')
    return last !== undefined && last.finished === undefined ? 'A run begins before the one before it has ended.' : null;
  const run = history.runsById.get(payload.run_id);
  // What names no run is a stray.
  if (run === undefined) return null;
  if (run !== last || run.finished !== undefined) return `The ${type} comes after the end of its run.`;
  switch (type) {
    case 'step_started':
      return stepWrong(run, record, isSameTenure);
    case 'model_attempt_started':
    case 'model_attempt_finished':
    case 'model_step_finished':
      return answerWrong(run, record, isSameTenure);
    case 'approval_requested':
      return isLastOf(run, payload.step_id) && run.lastFinished?.batch === undefined
        ? null
        : 'An approval is asked for at the wrong time.';
    case 'run_paused':
      return run.awaiting.size > 0 ? null : 'A run is paused that waits for nobody.';
    case 'tool_batch_started':
      return batchWrong(run, record);
    case 'tool_dispatch_intent':
    case 'tool_no_dispatch':
    case 'tool_result': {
      const key = callKey(history.sessionId ?? '', run.id, payload.batch_id, payload.tool_call_id);
      const call = history.callsByKey.get(key);
      return call === undefined ? null : callWrong(run, call, record);
    }
    case 'tool_batch_finished':
      return closedWrong(run, record);
    case 'turn_finished':
      return turnWrong(run, record);
    case 'run_cancel_requested':
      return run.cancels.length === 0 || (run.cancels.length === 1 && run.cancels[0]?.at !== 'now' && payload.at === 'now')
        ? null
        : 'A cancel is requested again.';
    case 'run_finished':
      return endWrong(run, record);
    case 'approval_resolved':
    case 'resume_started':
    case 'steered':
      return seq > run.seq ? null : 'A record comes before its run.';
  }
}

/** The step with the last answer, and nothing was begun after it. */
function isLastOf({ lastFinished, steps }: Run, id: string): boolean {
  return lastFinished?.id === id && steps.at(-1) === lastFinished;
}

function stepWrong(run: Run, { seq, payload }: RecordsOf<'step_started'>, isSameTenure: SameTenure): string | null {
  const last = run.steps.at(-1);
  const done = run.lastFinished;
  if ((done?.number ?? 0) >= run.config.max_steps) return 'A run takes more steps than it may.';
  const least = Math.max(run.seq, last?.watermark ?? 0, done?.turnFinished?.seq ?? 0);
  if (payload.watermark_seq < least) return 'A step renders less than what was done before it.';
  if (run.steers.some(({ steered }) => steered.seq > payload.watermark_seq))
    return 'A step leaves out a message that came before it.';
  if (last === undefined) return null;
  if (last.finished === undefined)
    return isSameTenure(last.seq, seq) ? 'A step begins before the one before it has its answer.' : null;
  if (last.calls.length === 0) return 'A step begins although the one before it asked for nothing.';
  return last.turnFinished === undefined ? 'A step begins before the turn before it is finished.' : null;
}

type OfAnswer = RecordsOf<'model_attempt_started' | 'model_attempt_finished' | 'model_step_finished'>;

function answerWrong(run: Run, { seq, type, payload }: OfAnswer, isSameTenure: SameTenure): string | null {
  const step = run.steps.at(-1);
  if (step?.id !== payload.step_id || step.finished !== undefined) return `The ${type} is of no open step.`;
  if (!isSameTenure(step.seq, seq)) return `The ${type} is of a step that another process began.`;
  const { attempts, attemptsFinished: ended } = step;
  const isIntent = run.config.model_leg === 'intent';
  const last = ended.at(-1);
  if (type === 'model_step_finished') {
    if (last?.outcome !== 'answer') return 'A step has an answer that no attempt brought.';
    const ids = payload.assistant.tool_calls.map(({ id }) => id);
    return new Set(ids).size === ids.length ? null : 'Two calls of one step have one id.';
  }
  if (last?.outcome === 'answer') return 'An attempt follows the answer of its step.';
  if (payload.attempt > run.config.model_attempts) return 'A step has more attempts than it may.';
  if (payload.attempt !== ended.length + 1) return 'Attempts of a step are not numbered from 1 without gaps.';
  if (type === 'model_attempt_started') {
    if (!isIntent) return 'An attempt is recorded before it is sent, where no such intent is asked for.';
    return attempts.length === ended.length ? null : 'An attempt begins before the one before it has ended.';
  }
  return isIntent && attempts.length !== payload.attempt ? 'An attempt ended that was not recorded before it was sent.' : null;
}

function batchWrong(run: Run, { payload }: RecordsOf<'tool_batch_started'>): string | null {
  if (!isLastOf(run, payload.step_id)) return 'A batch is of no step that is due.';
  const calls = run.lastFinished?.calls ?? [];
  if (calls.length === 0) return 'A batch is of a step that asked for nothing.';
  if (payload.mode !== run.config.batch) return 'The batch has another mode than its run.';
  const names = (list: readonly { id: string; name: string }[]): string[] => list.map(({ id, name }) => `${id} ${name}`);
  const planned = payload.planned.map(({ tool_call_id: id, name }) => ({ id, name }));
  if (!sameJson(names(planned), names(calls))) return 'The plan is not that of the calls of its step, in their order.';
  const wrong = calls.find((call, index) => {
    const { plan, reason } = payload.planned[index] ?? {};
    return !lawfulPlans(call, run.config).some((lawful) => lawful.plan === plan && lawful.reason === reason);
  });
  return wrong === undefined ? null : `The call ${wrong.id} is planned otherwise than it is to be.`;
}

type OfCall = RecordsOf<'tool_dispatch_intent' | 'tool_no_dispatch' | 'tool_result'>;

function callWrong(run: Run, call: Call, { type, payload }: OfCall): string | null {
  const { batch, calls, number } = call.step;
  const plan = planOf(call);
  if (batch === undefined || plan === undefined) return `The ${type} comes before the plan of its batch.`;
  if (batch.finished !== undefined) return `The ${type} comes after its batch is finished.`;
  if (terminalOf(call) !== null) return `The ${type} is of a call that has its terminal.`;
  if (type === 'tool_no_dispatch')
    return plan.plan === 'no_dispatch' && plan.reason === payload.reason
      ? null
      : 'A call is not dispatched for another reason than its plan.';
  if (plan.plan !== 'dispatch') return `The ${type} is of a call that is planned as not dispatched.`;
  const isLastStep = number === run.config.max_steps;
  if (type === 'tool_dispatch_intent') {
    if (call.intents.length > 0) return 'A call is intended twice.';
    if (payload.name !== call.name || payload.arguments !== call.arguments) return 'An intent has other bytes than its call.';
    if (isLastStep) return 'A call of the last step that a run may take is dispatched.';
    return calls.some(({ results }) => results.length > 0) ? 'A call is intended after a result of its batch.' : null;
  }
  const { outcome } = payload;
  const isSent = outcome === 'completed' || outcome === 'not_sent' || outcome === 'unknown';
  if (isSent && call.intents.length === 0) return 'A result comes before its intent.';
  if (outcome === 'max_steps' && !isLastStep) return 'A call is stopped by a limit that the run has not reached.';
  if (outcome === 'unknown' || !isSent || batch.started.mode === 'parallel') return null;
  return calls.slice(0, calls.indexOf(call)).some(isUnsettled)
    ? 'A call of a sequential batch has its result before the one before it.'
    : null;
}

function isUnsettled(call: Call): boolean {
  return planOf(call)?.plan === 'dispatch' && terminalOf(call) === null;
}

function closedWrong(run: Run, { payload }: RecordsOf<'tool_batch_finished'>): string | null {
  const step = run.lastFinished;
  if (step?.batchId !== payload.batch_id || step.batch === undefined) return null;
  const isOnce = ({ results, noDispatches }: Call): boolean => results.length + noDispatches.length === 1;
  return step.calls.every(isOnce) ? null : 'A batch is finished without exactly one terminal for each call.';
}

function turnWrong(run: Run, { payload }: RecordsOf<'turn_finished'>): string | null {
  if (!isLastOf(run, payload.step_id)) return 'The turn is of no step that is due.';
  return isBatchDone(run.lastFinished) ? null : 'A turn is finished before its batch.';
}

function isBatchDone(step: Step | undefined): boolean {
  return step === undefined || step.calls.length === 0 || step.batch?.finished !== undefined;
}

function endWrong(run: Run, { payload: { reason, error, usage } }: RecordsOf<'run_finished'>): string | null {
  const last = run.lastFinished;
  if ((error !== null) !== (reason === 'error')) return 'A run has an error exactly if that is how it ends.';
  if (last !== undefined && last.turnFinished === undefined) return 'A run ends before its last turn is finished.';
  const isAnswered = last !== undefined && run.steps.at(-1) === last;
  const asks = (last?.calls.length ?? 0) > 0;
  if (reason === 'completed' && (!isAnswered || asks)) return 'A run is completed that had not come to its end.';
  if (reason === 'max_steps' && (!isAnswered || !asks || last.number !== run.config.max_steps))
    return 'A run ends at a limit that it has not reached.';
  return sameJson(usage, usageOf(run)) ? null : 'The end of a run tells of another usage than its steps.';
}

/** A step without figures counts as nothing; a sum that could not be recorded is the largest that can. */
function usageOf({ steps }: Run): RecordsOf<'run_finished'>['payload']['usage'] {
  const sum = (member: 'input_tokens' | 'output_tokens'): number =>
    Math.min(
      Number.MAX_SAFE_INTEGER,
      steps.reduce((total, { finished }) => total + (finished?.usage?.[member] ?? 0), 0),
    );
  return { input_tokens: sum('input_tokens'), output_tokens: sum('output_tokens') };
}

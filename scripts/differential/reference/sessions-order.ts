/**
 * Which orders of records the words of the contract forbid (G34, G38 to G40, "Records and barriers"), one rule after another over what stood
 * before the record. Where the words say nothing, nothing is forbidden here; `freedoms.ts` says where somebody is finer.
 */
import { createHash } from 'node:crypto';
import { isKnown, type Frame, type Payload } from './log.js';
import {
  answeredSteps,
  answerOf,
  batchEndOf,
  batchId,
  batchOf,
  callsOf,
  hasTerminal,
  ofCall,
  ofRun,
  ofStep,
  ofType,
  planOf,
  queueOf,
  reasonAgainst,
  reasonOf,
  runsIn,
  stepsOf,
  toolOf,
  turnOf,
  awaiting,
  type Call,
} from './sessions.js';

type Frames = readonly Frame[];

export interface Broken {
  readonly seq: number;
  readonly rule: string;
}

/** Every record that breaks a rule, with the first that it breaks. Informational ones decide nothing, and have their place all the same. */
export function recordsBroken(all: Frames): Broken[] {
  const frames = all.filter(({ type }) => isKnown(type));
  return frames.flatMap((frame, index) => {
    const rule = ruleBroken(frames.slice(0, index), frame, frames[index + 1]);
    return rule === null ? [] : [{ seq: frame.seq, rule }];
  });
}

function ruleBroken(before: Frames, frame: Frame, next: Frame | undefined): string | null {
  const { type, payload } = frame;
  if (type === 'lineage') return null;
  const last = runsIn(before).at(-1);
  const isOpen = last !== undefined && reasonOf(before, last) === null;
  if (type === 'run_started') return runBroken(before, frame, isOpen);
  if (type === 'queued') {
    if (isTaken(before, payload.submission_id)) return 'an id names one message';
    const interrupts = payload.delivery === 'interrupt' && isOpen && ofRun(before, last, 'run_cancel_requested').length === 0;
    const isDone = next === undefined || next.type === 'run_cancel_requested' || next.type === 'lineage';
    return !interrupts || isDone ? null : 'an interrupting message: `queued` and `run_cancel_requested` together';
  }
  if (type === 'retracted')
    return queueOf(before).some((one) => one.payload.submission_id === payload.submission_id)
      ? null
      : 'a queued message starts one run or is retracted';
  if (!isOpen || last.payload.run_id !== payload.run_id) return 'nothing after the end of a run';
  return inRunBroken(before, last, frame);
}

/** "The ids of runs, queued messages and steers name one message each." */
function isTaken(before: Frames, id: string | undefined): boolean {
  return before.some(
    ({ type, payload }) =>
      (type === 'run_started' && payload.run_id === id) ||
      (type === 'queued' && payload.submission_id === id) ||
      (type === 'steered' && payload.send_id === id),
  );
}

function runBroken(before: Frames, { payload }: Frame, isOpen: boolean): string | null {
  if (isOpen) return 'a run begins after the end of the one before it';
  if (payload.session_id !== ofType(before, 'lineage')[0]?.payload.session_id) return 'a run is of the session of its log';
  const { run_id: id, submission_id: drained, input } = payload;
  if (drained === undefined) return isTaken(before, id) ? 'an id names one message' : null;
  const waiting = queueOf(before);
  const found = waiting.find((one) => one.payload.submission_id === drained);
  if (found === undefined) return 'a queued message starts one run or is retracted';
  if (id !== drained) return 'queued messages run as runs whose id is the submission’s';
  if (waiting[0] !== found) return 'interrupting ones first, each class in log order';
  if (found.payload.input?.text !== input?.text) return 'a message runs with its text';
  const last = runsIn(before).at(-1);
  const end = last === undefined ? undefined : ofRun(before, last, 'run_finished')[0];
  const waits = end?.payload.reason === 'interrupted' || end?.payload.reason === 'error';
  const isLater = before.some(({ type, seq }) => type === 'lineage' && seq > (end?.seq ?? 0));
  return waits && !isLater ? 'after `interrupted` or `error` they wait for the owner' : null;
}

function inRunBroken(before: Frames, run: Frame, frame: Frame): string | null {
  const { type, payload } = frame;
  const step = stepsOf(before, run).at(-1);
  switch (type) {
    case 'steered':
      return payload.send_id !== undefined && isTaken(before, payload.send_id) ? 'an id names one message' : null;
    case 'run_cancel_requested': {
      const asked = ofRun(before, run, type).map(({ payload: { at } }) => at);
      const isMore = asked.length === 0 || (!asked.includes('now') && payload.at === 'now');
      return isMore ? null : 'a cancel is requested once, and may be escalated';
    }
    case 'run_paused':
      return awaiting(before, run).length > 0 ? null : 'a run is paused where a call needs an answer';
    case 'step_started':
      return stepBroken(before, run, step, frame);
    case 'resume_started':
      return null;
    case 'model_attempt_started':
    case 'model_attempt_finished':
      return attemptBroken(before, run, step, frame);
    case 'model_step_finished': {
      if (!isUnanswered(before, step, payload)) return 'an answer is of the step that waits for it';
      if (step.fence !== frame.fence) return 'a started step is run again by whoever resumes';
      if (ofStep(before, step, 'model_attempt_finished').at(-1)?.payload.outcome !== 'answer')
        return '`model_attempt_finished`, `model_step_finished`: after the provider’s end';
      const ids = payload.assistant?.tool_calls.map(({ id }) => id) ?? [];
      return new Set(ids).size === ids.length ? null : 'a step whose calls repeat an id is `uninterpretable`';
    }
    case 'turn_finished':
      if (step === undefined || step.payload.step_id !== payload.step_id || answerOf(before, step) === undefined)
        return 'a turn is of the step with the last answer';
      if (turnOf(before, step) !== undefined) return 'a turn is finished once';
      return isBatchDone(before, run, step) ? null : 'the batch is finished before the turn';
    case 'run_finished':
      return endBroken(before, run, step, payload);
    default:
      return ofBatchBroken(before, run, step, frame);
  }
}

/**
 * "The key of a model request is `…/<attempt>`"; "under `intent` with `model_attempt_started`, synced before the request"; "a failed attempt
 * is appended alone", and "after its last attempt" a step without an answer fails its run.
 */
function attemptBroken(before: Frames, run: Frame, step: Frame | undefined, { type, payload, fence }: Frame): string | null {
  const isIntent = run.payload.config?.model_leg === 'intent';
  if (!isUnanswered(before, step, payload)) return 'an attempt is of the step that waits for its answer';
  if (step.fence !== fence) return 'a started step is run again by whoever resumes';
  const started = ofStep(before, step, 'model_attempt_started').length;
  const ended = ofStep(before, step, 'model_attempt_finished');
  if (ended.at(-1)?.payload.outcome === 'answer') return 'what was answered is not asked again';
  if (payload.attempt !== ended.length + 1) return 'attempts are numbered';
  if (ended.length >= (run.payload.config?.model_attempts ?? 0)) return 'a step has no more attempts than its run allows';
  if (type === 'model_attempt_started') {
    if (!isIntent) return 'under `intent` with `model_attempt_started`';
    return started === ended.length ? null : 'an attempt ends before the next';
  }
  return isIntent && started !== ended.length + 1 ? 'under `intent` with `model_attempt_started`' : null;
}

function isUnanswered(before: Frames, step: Frame | undefined, { step_id: id }: Payload): step is Frame {
  return step !== undefined && step.payload.step_id === id && answerOf(before, step) === undefined;
}

function isBatchDone(before: Frames, run: Frame, step: Frame): boolean {
  return callsOf(before, run, step).length === 0 || batchEndOf(before, step) !== undefined;
}

function stepBroken(before: Frames, run: Frame, last: Frame | undefined, frame: Frame): string | null {
  const { seq, payload, fence } = frame;
  const watermark = payload.watermark_seq ?? 0;
  if (payload.step_id !== `step-${seq}`) return 'ids: `step-<seq>` of its `step_started`';
  if (watermark >= seq) return 'a step renders the log up to its watermark';
  if (answeredSteps(before, run).length >= (run.payload.config?.max_steps ?? 0)) return 'the step number `max_steps` is the last';
  const done = answeredSteps(before, run).at(-1);
  const turn = done === undefined ? undefined : turnOf(before, done);
  const least = Math.max(run.seq, last?.payload.watermark_seq ?? 0, turn?.seq ?? 0);
  if (watermark < least) return 'a step renders what was done before it';
  if (ofRun(before, run, 'steered').some((steer) => steer.seq > watermark)) return 'a step renders the steers before it';
  if (last === undefined) return null;
  if (answerOf(before, last) === undefined) return last.fence === fence ? 'a step is run again by whoever resumes' : null;
  if (callsOf(before, run, last).length === 0) return 'after a step without calls the run ends';
  return turnOf(before, last) === undefined ? 'the batch and the turn finished before the next step' : null;
}

function endBroken(before: Frames, run: Frame, step: Frame | undefined, { reason, error, usage }: Payload): string | null {
  if ((error !== null) !== (reason === 'error')) return 'a run has an error exactly if that is how it ends';
  const answered = answeredSteps(before, run);
  const last = answered.at(-1);
  if (last !== undefined && turnOf(before, last) === undefined) return 'the turn is finished before the end';
  const isLast = last !== undefined && last === step;
  const asks = last !== undefined && callsOf(before, run, last).length > 0;
  if (reason === 'completed' && (!isLast || asks)) return 'a run is completed by a last answer without calls';
  if (reason === 'max_steps' && !(isLast && asks && answered.length === run.payload.config?.max_steps))
    return 'a run ends at a limit that it has reached';
  const sum = (member: 'input_tokens' | 'output_tokens'): number =>
    answered.reduce((total, one) => total + (answerOf(before, one)?.payload.usage?.[member] ?? 0), 0);
  const isSum = usage?.input_tokens === sum('input_tokens') && usage.output_tokens === sum('output_tokens');
  return isSum ? null : 'the `usage` of `run_finished` is the sum of that of its steps';
}

function ofBatchBroken(before: Frames, run: Frame, step: Frame | undefined, { type, payload }: Frame): string | null {
  if (step === undefined || payload.batch_id !== batchId(step) || answerOf(before, step) === undefined)
    return 'a batch is of the step with the last answer';
  const calls = callsOf(before, run, step);
  if (calls.length === 0) return 'a batch is of a step with calls';
  const batch = batchOf(before, step)?.payload;
  if (type === 'tool_batch_started') return planBroken(before, run, step, calls, payload);
  if (type === 'tool_batch_finished') {
    if (batch === undefined) return 'the plan before the end of a batch';
    if (batchEndOf(before, step) !== undefined) return 'a batch is finished once';
    return calls.every((call) => hasTerminal(before, call)) ? null : 'one terminal for each planned call';
  }
  const call = calls.find(({ id }) => id === payload.tool_call_id);
  if (call === undefined) return 'a record is of a call that the model asked for';
  if (type.startsWith('approval_')) return approvalBroken(before, call, batch !== undefined, type, payload);
  const plan = planOf(before, call);
  if (plan === undefined || batch === undefined) return 'the plan and its intents before any result';
  if (batchEndOf(before, step) !== undefined) return 'nothing after the end of a batch';
  if (hasTerminal(before, call)) return 'exactly one terminal for each planned call';
  if (type === 'tool_no_dispatch') return plan.reason === payload.reason ? null : '`tool_no_dispatch` is what was planned';
  if (plan.plan !== 'dispatch') return 'what is planned as `no_dispatch` is never dispatched';
  return type === 'tool_dispatch_intent'
    ? intentBroken(before, call, calls, payload)
    : resultBroken(before, call, calls, payload, batch.mode);
}

function isAtLimit(before: Frames, { run }: Call): boolean {
  return answeredSteps(before, run).length === run.payload.config?.max_steps;
}

function planBroken(before: Frames, run: Frame, step: Frame, calls: readonly Call[], payload: Payload): string | null {
  if (batchOf(before, step) !== undefined) return 'a step has one batch';
  if (payload.step_id !== step.payload.step_id) return '`batch-<n>` is the batch of `step-<n>`';
  if (payload.mode !== run.payload.config?.batch) return 'a batch has the mode of its run';
  const planned = payload.planned ?? [];
  const isSame =
    planned.length === calls.length &&
    calls.every(({ id, name }, at) => planned[at]?.tool_call_id === id && planned[at].name === name);
  if (!isSame) return 'a plan is of each call, in their order';
  const isRight = calls.every((call, at) => isPlanned(before, call, planned[at]?.plan, planned[at]?.reason ?? null));
  return isRight ? null : 'a call is planned as `no_dispatch` by the first that fits';
}

/** Only the process could see whether a tool was `unavailable`. */
function isPlanned(before: Frames, call: Call, plan: string | undefined, reason: string | null): boolean {
  const against = reasonAgainst(call);
  if (against !== null) return plan === 'no_dispatch' && reason === against;
  if (plan === 'no_dispatch' && reason === 'unavailable') return true;
  const isDenied = ofCall(before, call, 'approval_resolved')[0]?.payload.decision === 'denied';
  return isDenied ? plan === 'no_dispatch' && reason === 'denied' : plan === 'dispatch' && reason === null;
}

function approvalBroken(before: Frames, call: Call, isPlannedAlready: boolean, type: string, payload: Payload): string | null {
  if (isPlannedAlready) return 'an approval comes before the plan';
  const [asked] = ofCall(before, call, 'approval_requested');
  if (type === 'approval_requested') {
    if (asked !== undefined) return 'an approval is asked once';
    if (toolOf(call)?.approval !== 'required' || reasonAgainst(call) !== null)
      return 'an approval is asked where a call needs one';
    const isFor =
      payload.name === call.name && payload.arguments_sha256 === createHash('sha256').update(call.arguments).digest('hex');
    return isFor && payload.step_id === call.step.payload.step_id ? null : 'an approval is for these bytes';
  }
  if (asked === undefined || asked.seq !== payload.request_seq) return 'an answer is to a question';
  return ofCall(before, call, 'approval_resolved').length === 0 ? null : 'an approval is answered once';
}

function intentBroken(before: Frames, call: Call, calls: readonly Call[], payload: Payload): string | null {
  if (ofCall(before, call, 'tool_dispatch_intent').length > 0) return 'a call has one intent';
  if (payload.name !== call.name || payload.arguments !== call.arguments) return 'an intent has the bytes of its call';
  if (isAtLimit(before, call)) return 'the step number `max_steps` dispatches nothing';
  if (calls.some((other) => ofCall(before, other, 'tool_result').length > 0)) return 'the plan and its intents before any result';
  const [answer] = ofCall(before, call, 'approval_resolved');
  const isNeeded = toolOf(call)?.approval === 'required';
  if (!isNeeded) return payload.approval_seq === null ? null : 'an intent spends an approval of its call';
  if (answer?.payload.decision === 'denied') return 'what was denied is not dispatched';
  return answer !== undefined && payload.approval_seq === answer.seq ? null : 'what needs an approval is not dispatched without';
}

function resultBroken(
  before: Frames,
  call: Call,
  calls: readonly Call[],
  { outcome }: Payload,
  mode: string | undefined,
): string | null {
  const isSent = outcome === 'completed' || outcome === 'not_sent' || outcome === 'unknown';
  if (isSent && ofCall(before, call, 'tool_dispatch_intent').length === 0) return 'the plan and its intents before any result';
  if (outcome === 'max_steps' && !isAtLimit(before, call)) return 'the step number `max_steps` dispatches nothing';
  if (!isSent || outcome === 'unknown' || mode === 'parallel') return null;
  const isEarlierOpen = calls
    .slice(0, calls.indexOf(call))
    .some((other) => planOf(before, other)?.plan === 'dispatch' && !hasTerminal(before, other));
  return isEarlierOpen ? 'in a sequential batch before the next call is dispatched' : null;
}

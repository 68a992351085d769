/**
 * The state of a session, as literally as the words of the contract go ("Replay"): each call in the first state that fits, the last run in
 * the first stage that fits, the queue, what comes next. A question is a look through all frames.
 */
import { isKnown, kindOf, type Frame, type ModelCall, type Planned, type Tool } from './log.js';

type Frames = readonly Frame[];

/** Informational ones decide nothing: "skipped". */
export const recordsIn = (frames: Frames): Frames => frames.filter(({ type }) => isKnown(type) && kindOf(type) !== 2);
export const ofType = (frames: Frames, type: string): Frames => frames.filter((frame) => frame.type === type);

export const runsIn = (frames: Frames): Frames => ofType(frames, 'run_started');
export const ofRun = (frames: Frames, run: Frame, type: string): Frames =>
  ofType(frames, type).filter(({ payload }) => payload.run_id === run.payload.run_id);
export const ofStep = (frames: Frames, step: Frame, type: string): Frames =>
  ofType(frames, type).filter(
    ({ payload }) => payload.step_id === step.payload.step_id && payload.run_id === step.payload.run_id,
  );

export const stepsOf = (frames: Frames, run: Frame): Frames => ofRun(frames, run, 'step_started');
export const answerOf = (frames: Frames, step: Frame): Frame | undefined => ofStep(frames, step, 'model_step_finished')[0];
export const batchOf = (frames: Frames, step: Frame): Frame | undefined => ofStep(frames, step, 'tool_batch_started')[0];
export const turnOf = (frames: Frames, step: Frame): Frame | undefined => ofStep(frames, step, 'turn_finished')[0];
export const batchId = (step: Frame): string => (step.payload.step_id ?? '').replace('step', 'batch');
export const batchEndOf = (frames: Frames, step: Frame): Frame | undefined =>
  ofRun(frames, step, 'tool_batch_finished').find(({ payload }) => payload.batch_id === batchId(step));

export interface Call extends ModelCall {
  readonly run: Frame;
  readonly step: Frame;
  readonly key: string;
}

export function callsOf(frames: Frames, run: Frame, step: Frame): Call[] {
  const session = ofType(frames, 'lineage')[0]?.payload.session_id;
  const calls = answerOf(frames, step)?.payload.assistant?.tool_calls ?? [];
  return calls.map((call) => ({ ...call, run, step, key: `${session}/${run.payload.run_id}/${batchId(step)}/${call.id}` }));
}

export const ofCall = (frames: Frames, call: Call, type: string): Frames =>
  ofRun(frames, call.run, type).filter(
    ({ payload }) => payload.batch_id === batchId(call.step) && payload.tool_call_id === call.id,
  );

export const toolOf = ({ run, name }: Call): Tool | undefined => run.payload.config?.tools.find((tool) => tool.name === name);

/** "A call that *may go on* has a tool with `on_unknown` `continue` and `safety` `idempotent` or `pure`." */
export function mayGoOn(call: Call): boolean {
  const tool = toolOf(call);
  return tool?.on_unknown === 'continue' && (tool.safety === 'idempotent' || tool.safety === 'pure');
}

export const planOf = (frames: Frames, call: Call): Planned | undefined =>
  batchOf(frames, call.step)?.payload.planned?.find(({ tool_call_id: id }) => id === call.id);

export const outcomeOf = (frames: Frames, call: Call): string | undefined =>
  ofCall(frames, call, 'tool_result')[0]?.payload.outcome;
export const hasTerminal = (frames: Frames, call: Call): boolean =>
  outcomeOf(frames, call) !== undefined || ofCall(frames, call, 'tool_no_dispatch').length > 0;

/** The first that fits. */
export function callState(frames: Frames, call: Call): string {
  const outcome = outcomeOf(frames, call);
  if (outcome !== undefined) return outcome;
  if (ofCall(frames, call, 'tool_no_dispatch').length > 0) return 'no_dispatch';
  if (ofCall(frames, call, 'tool_dispatch_intent').length > 0) return isHeld(frames, call) ? 'held_successor' : 'indeterminate';
  const plan = planOf(frames, call);
  if (plan?.plan === 'no_dispatch') return 'never_dispatchable';
  if (plan?.plan === 'dispatch') return 'never_left';
  const [answer] = ofCall(frames, call, 'approval_resolved');
  if (answer !== undefined) return answer.payload.decision ?? '';
  return ofCall(frames, call, 'approval_requested').length > 0 ? 'awaiting_approval' : 'pending';
}

/** "Intent, sequential, planned after a call whose terminal is `interrupted` or `max_steps`." */
function isHeld(frames: Frames, call: Call): boolean {
  const batch = batchOf(frames, call.step)?.payload;
  if (batch?.mode !== 'sequential') return false;
  const place = batch.planned?.findIndex(({ tool_call_id: id }) => id === call.id) ?? 0;
  return callsOf(frames, call.run, call.step).some((other) => {
    const at = batch.planned?.findIndex(({ tool_call_id: id }) => id === other.id) ?? 0;
    const outcome = outcomeOf(frames, other);
    return at < place && (outcome === 'interrupted' || outcome === 'max_steps');
  });
}

export const answeredSteps = (frames: Frames, run: Frame): Frames =>
  stepsOf(frames, run).filter((step) => answerOf(frames, step) !== undefined);

/** Calls whose `approval_requested` has no answer, in the order in which they were asked about. */
export function awaiting(frames: Frames, run: Frame): Call[] {
  const calls = stepsOf(frames, run).flatMap((step) => callsOf(frames, run, step));
  const askedAt = (call: Call): number => ofCall(frames, call, 'approval_requested')[0]?.seq ?? 0;
  return calls
    .filter((call) => askedAt(call) > 0 && ofCall(frames, call, 'approval_resolved').length === 0)
    .sort((left, right) => askedAt(left) - askedAt(right));
}

/** Rows a to i, the first that fits. */
export function lastStage(frames: Frames, run: Frame): string {
  if (ofRun(frames, run, 'run_finished').length > 0) return 'finished';
  if (ofRun(frames, run, 'run_cancel_requested').length > 0) return 'cancelling';
  const steps = stepsOf(frames, run);
  const lastBatch = steps.findLast((step) => batchOf(frames, step) !== undefined);
  const inBatch = lastBatch === undefined ? [] : callsOf(frames, run, lastBatch);
  for (const call of inBatch) {
    const state = callState(frames, call);
    if (state === 'interrupted') return 'interrupted';
    if ((state === 'indeterminate' || state === 'unknown') && !mayGoOn(call)) return 'interrupted';
  }
  const last = steps.at(-1);
  if (last !== undefined && answerOf(frames, last) === undefined && ofStep(frames, last, 'model_attempt_started').length > 0)
    return 'model_unknown';
  const answered = answeredSteps(frames, run);
  const lastAnswered = answered.at(-1);
  const asks = lastAnswered !== undefined && callsOf(frames, run, lastAnswered).length > 0;
  if (asks && answered.length === run.payload.config?.max_steps) return 'stopped';
  if (awaiting(frames, run).length > 0) return 'paused';
  if (lastAnswered !== undefined && !asks && lastAnswered === last) return 'natural_end';
  if (asks && (batchEndOf(frames, lastAnswered) === undefined || turnOf(frames, lastAnswered) === undefined)) return 'tools_due';
  return 'step_due';
}

export const operationOf: Readonly<Record<string, string>> = {
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

/** "The last run is in one stage, the first that fits; an earlier one is `finished`." */
export function stageOf(frames: Frames, run: Frame): string {
  return runsIn(frames).at(-1) === run ? lastStage(frames, run) : 'finished';
}

/** "Interrupting ones first, each class in log order." */
export function queueOf(frames: Frames): Frames {
  const waiting = ofType(frames, 'queued').filter(
    ({ payload: { submission_id: id } }) =>
      !ofType(frames, 'retracted').some(({ payload }) => payload.submission_id === id) &&
      !runsIn(frames).some(({ payload }) => payload.submission_id === id),
  );
  const isFirst = ({ payload }: Frame): boolean => payload.delivery === 'interrupt';
  return [...waiting.filter(isFirst), ...waiting.filter((one) => !isFirst(one))];
}

export const reasonOf = (frames: Frames, run: Frame | undefined): string | null =>
  run === undefined ? null : (ofRun(frames, run, 'run_finished')[0]?.payload.reason ?? null);

function nextOf(frames: Frames): { next_operation: string; on: string | null } {
  const run = runsIn(frames).at(-1);
  if (run === undefined) return { next_operation: 'none', on: null };
  const operation = operationOf[lastStage(frames, run)] ?? '';
  if (operation === 'approve') return { next_operation: operation, on: awaiting(frames, run)[0]?.key ?? null };
  if (operation !== 'none') return { next_operation: operation, on: run.payload.run_id ?? null };
  const [first] = queueOf(frames);
  const drains = ['completed', 'cancelled', 'max_steps'].includes(reasonOf(frames, run) ?? '');
  if (first === undefined || !drains) return { next_operation: 'none', on: null };
  return { next_operation: 'drain_queue', on: first.payload.submission_id ?? null };
}

export function sessionState(all: Frames): Record<string, unknown> {
  const frames = recordsIn(all);
  const [named] = ofType(frames, 'lineage');
  return {
    version: 'session-state/v1',
    session_id: named?.payload.session_id,
    identity: named?.payload.identity,
    ...nextOf(frames),
    queue: queueOf(frames).map(({ payload }) => ({
      submission_id: payload.submission_id,
      delivery: payload.delivery ?? 'plain',
    })),
    runs: runsIn(frames).map((run, index) => {
      const stage = stageOf(frames, run);
      const cancels = ofRun(frames, run, 'run_cancel_requested').map(({ payload }) => payload.at);
      return {
        run_id: run.payload.run_id,
        episode: index + 1,
        stage,
        next_operation: operationOf[stage],
        reason: reasonOf(frames, run),
        cancel: cancels.includes('now') ? 'now' : (cancels[0] ?? null),
        model_leg: run.payload.config?.model_leg,
        steps: answeredSteps(frames, run).length,
        calls: stepsOf(frames, run)
          .flatMap((step) => callsOf(frames, run, step))
          .map((call) => ({ key: call.key, tool_call_id: call.id, name: call.name, state: callState(frames, call) })),
      };
    }),
  };
}

/**
 * What a resume of the last run would say of itself: "`replayed` counts inputs and placed steers, `model_step_finished`, terminals; `redone`
 * names the step that is run again (`run_step` after a started step) and the calls that are dispatched now; `indeterminate` the calls that
 * are, or the step under d." Null where it has nothing to do, or waits for a person.
 */
export function resumeReport(all: Frames): Record<string, unknown> | null {
  const frames = recordsIn(all);
  const runs = runsIn(frames);
  const run = runs.at(-1);
  if (run === undefined) return null;
  const stage = lastStage(frames, run);
  if (['none', 'approve'].includes(operationOf[stage] ?? '')) return null;
  const step = stepsOf(frames, run).at(-1);
  const calls = runs.flatMap((one) => stepsOf(frames, one).flatMap((each) => callsOf(frames, one, each)));
  const own = step === undefined ? [] : callsOf(frames, run, step);
  const isAgain = stage === 'step_due' && step !== undefined && answerOf(frames, step) === undefined;
  return {
    run_id: run.payload.run_id,
    episode: runs.length,
    resumed_from_seq: all.at(-1)?.seq ?? 0,
    replayed: {
      messages: runs.length + runs.reduce((sum, one) => sum + placedSteers(frames, one), 0),
      model_steps: ofType(frames, 'model_step_finished').length,
      tool_results: calls.filter((call) => hasTerminal(frames, call)).length,
    },
    redone: isAgain ? [step.payload.step_id] : stage === 'tools_due' ? dispatchedNow(frames, own).map(({ key }) => key) : [],
    indeterminate:
      stage === 'model_unknown'
        ? [step?.payload.step_id]
        : own.filter((call) => callState(frames, call) === 'indeterminate').map(({ key }) => key),
  };
}

/** "Steers, each before the first step whose `watermark_seq` is at or past it, or at the end of the run." */
function placedSteers(frames: Frames, run: Frame): number {
  const isOver = ofRun(frames, run, 'run_finished').length > 0;
  return ofRun(frames, run, 'steered').filter(
    ({ seq }) => isOver || stepsOf(frames, run).some(({ payload }) => (payload.watermark_seq ?? 0) >= seq),
  ).length;
}

/** None while a person has to be asked or to answer; then those that are planned as `dispatch`, or would be. */
function dispatchedNow(frames: Frames, calls: readonly Call[]): Call[] {
  const state = (call: Call): string => callState(frames, call);
  const isUnasked = (call: Call): boolean =>
    state(call) === 'pending' && toolOf(call)?.approval === 'required' && reasonAgainst(call) === null;
  if (calls.some(isUnasked)) return [];
  return calls.filter(
    (call) => state(call) === 'never_left' || (['pending', 'approved'].includes(state(call)) && reasonAgainst(call) === null),
  );
}

/** "A call is planned as `no_dispatch` by the first that fits"; `denied` and `unavailable` apart. */
export function reasonAgainst(call: Call): string | null {
  const tool = toolOf(call);
  if (tool === undefined) return 'unknown_tool';
  if (tool.approval === 'blocked') return 'policy_blocked';
  if (Buffer.byteLength(call.arguments) > 65_536) return 'oversized';
  return areLawful(call.arguments, tool) ? null : 'invalid_arguments';
}

/** "Not a JSON object with the required members, each of its type, and no other." */
function areLawful(text: string, tool: Tool): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const given = value as Record<string, unknown>;
  const isOf = (member: unknown, type: string): boolean =>
    type === 'integer' ? Number.isInteger(member) : typeof member === type;
  if (tool.arguments.some(({ name, required }) => required && !(name in given))) return false;
  return Object.keys(given).every((name) => tool.arguments.some((one) => one.name === name && isOf(given[name], one.type)));
}

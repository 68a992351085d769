/**
 * What a history says, read off its frames one question at a time: slow, without a fold, in the words of the contract. Tests hold the fold
 * and the tables against it.
 */
import type { Frame, FrameOf, FrameType, Payloads } from '../records.js';
import type { CallState } from '../vocabulary.js';

function all<T extends FrameType>(frames: readonly Frame[], type: T, run: string): FrameOf<T>[] {
  return frames.filter((frame) => frame.type === type && frame.payload['run_id'] === run) as FrameOf<T>[];
}

export interface ExpectedCall {
  id: string;
  step: string;
  name: string;
  state: CallState;
}

export function expectedCalls(frames: readonly Frame[], run: string): ExpectedCall[] {
  return all(frames, 'model_step_finished', run).flatMap(({ payload: { step_id: step, assistant } }) =>
    assistant.tool_calls.map(({ id, name }) => ({ id, step, name, state: expectedState(frames, run, step, id) })),
  );
}

function expectedState(frames: readonly Frame[], run: string, step: string, id: string): CallState {
  const batchId = step.replace('step', 'batch');
  type OfCall = 'tool_result' | 'tool_no_dispatch' | 'tool_dispatch_intent' | 'approval_requested' | 'approval_resolved';
  const of = <T extends OfCall>(type: T, call: string): Payloads[T] | undefined =>
    (all(frames, type, run) as Frame[]).find(({ payload }) => payload['batch_id'] === batchId && payload['tool_call_id'] === call)
      ?.payload as Payloads[T] | undefined;
  const result = of('tool_result', id);
  if (result !== undefined) return result.outcome;
  if (of('tool_no_dispatch', id) !== undefined) return 'no_dispatch';
  const batch = all(frames, 'tool_batch_started', run).find(({ payload }) => payload.batch_id === batchId)?.payload;
  if (of('tool_dispatch_intent', id) !== undefined) {
    const place = batch?.planned.findIndex((call) => call.tool_call_id === id);
    const before = batch?.planned.slice(0, place).map((call) => of('tool_result', call.tool_call_id)?.outcome) ?? [];
    const isHeld = batch?.mode === 'sequential' && before.some((outcome) => outcome === 'interrupted' || outcome === 'max_steps');
    return isHeld ? 'held_successor' : 'indeterminate';
  }
  const planned = batch?.planned.find((call) => call.tool_call_id === id);
  if (planned !== undefined) return planned.plan === 'no_dispatch' ? 'never_dispatchable' : 'never_left';
  const decision = of('approval_resolved', id)?.decision;
  if (decision !== undefined) return decision;
  return of('approval_requested', id) === undefined ? 'pending' : 'awaiting_approval';
}

/** The letter of the stage of a run. */
export function expectedStage(frames: readonly Frame[], run: string): string {
  if (all(frames, 'run_finished', run).length > 0) return 'a';
  if (all(frames, 'run_cancel_requested', run).length > 0) return 'b';
  const { config } = all(frames, 'run_started', run)[0]!.payload;
  const calls = expectedCalls(frames, run);
  const lastBatch = all(frames, 'tool_batch_started', run).at(-1)?.payload;
  const inLastBatch = calls.filter(({ step }) => step === lastBatch?.step_id);
  const mayGoOn = (name: string): boolean => {
    const tool = config.tools.find((known) => known.name === name);
    return tool?.on_unknown === 'continue' && ['idempotent', 'pure'].includes(tool.safety);
  };
  const isDoubtful = ({ state, name }: ExpectedCall): boolean =>
    (state === 'indeterminate' || state === 'unknown') && !mayGoOn(name);
  if (inLastBatch.some((call) => isDoubtful(call) || call.state === 'interrupted')) return 'c';
  const started = all(frames, 'step_started', run).at(-1);
  const answers = all(frames, 'model_step_finished', run);
  const answer = answers.find(({ payload }) => payload.step_id === started?.payload.step_id)?.payload;
  const attempts = all(frames, 'model_attempt_started', run);
  if (answer === undefined && attempts.some(({ payload }) => payload.step_id === started?.payload.step_id)) return 'd';
  const hasCalls = answer !== undefined && answer.assistant.tool_calls.length > 0;
  if (hasCalls && answers.length >= config.max_steps) return 'e';
  const answered = all(frames, 'approval_resolved', run).map(({ payload }) => payload.request_seq);
  if (
    all(frames, 'approval_requested', run).some(
      ({ seq, payload }) => payload.step_id === answer?.step_id && !answered.includes(seq),
    )
  )
    return 'f';
  if (answer !== undefined && !hasCalls) return 'g';
  const batchId = answer?.step_id.replace('step', 'batch');
  const isBatchDone = all(frames, 'tool_batch_finished', run).some(({ payload }) => payload.batch_id === batchId);
  const isTurnDone = all(frames, 'turn_finished', run).some(({ payload }) => payload.step_id === answer?.step_id);
  return hasCalls && !(isBatchDone && isTurnDone) ? 'h' : 'i';
}

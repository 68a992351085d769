/**
 * What each record of a run adds to it, one function a type.
 *
 * The rules of order were asked before, so nothing is checked twice here: a record that is taken over has its step and its call.
 */
import { invariant } from '../../core/errors.js';
import { batchIdOf, callKey } from './keys.js';
import type { FrameOf, FrameType, KnownFrame, Payloads } from './records.js';
import type { Run, Steer, Step, ToolCall } from './run.js';
import type { RunConfig } from './vocabulary.js';

type Open<T> = { -readonly [K in keyof T]: T[K] };
type OpenCall = Open<ToolCall>;
type OpenStep = Open<Omit<Step, 'calls'>> & { calls: OpenCall[] };
export type OpenRun = Open<Omit<Run, 'steps' | 'steers'>> & { steps: OpenStep[]; steers: Steer[] };

type Elsewhere = 'lineage' | 'run_started' | 'queued' | 'retracted' | 'model_attempt_finished' | 'resume_started';
type OfRun = Exclude<FrameType, Elsewhere>;

export function isOfRun(frame: KnownFrame): frame is FrameOf<OfRun> {
  return Object.hasOwn(takes, frame.type);
}

export function takeOfRun(run: OpenRun, { type, payload, seq }: FrameOf<OfRun>): void {
  const take = takes[type] as (run: OpenRun, payload: object, seq: number) => void;
  take(run, payload, seq);
}

export function startRun({ seq, payload }: FrameOf<'run_started'>, episode: number): OpenRun {
  return {
    sessionId: payload.session_id,
    runId: payload.run_id,
    episode,
    startedSeq: seq,
    // The shape of the record says that an argv has a program; its type does not.
    config: payload.config as RunConfig,
    input: payload.input.text,
    submissionId: payload.submission_id ?? null,
    steps: [],
    steers: [],
    cancel: null,
    finished: null,
  };
}

const takes: { [T in OfRun]: (run: OpenRun, payload: Payloads[T], seq: number) => void } = {
  steered: (run, { input }, seq) => {
    run.steers.push({ seq, text: input.text });
  },
  run_cancel_requested: (run, { at }) => {
    // A later `step_boundary` does not take `now` back.
    if (run.cancel !== 'now') run.cancel = at;
  },
  // What it says, the open questions say too.
  run_paused: () => undefined,
  run_finished: (run, { reason, error, usage }, seq) => {
    run.finished = { seq, reason, error, usage };
  },

  step_started: (run, { step_id: stepId, watermark_seq: watermark }, seq) => {
    const empty = { attempts: 0, answer: null, calls: [], batch: null, turnFinishedSeq: null };
    run.steps.push({ stepId, batchId: batchIdOf(stepId), seq, watermark, ...empty });
  },
  model_attempt_started: (run, { attempt }) => {
    stepOf(run).attempts = attempt;
  },
  model_step_finished: (run, { assistant, usage }, seq) => {
    const step = stepOf(run);
    step.answer = { seq, assistant, usage };
    step.calls = assistant.tool_calls.map((call, index) => ({
      key: callKey(run.sessionId, run.runId, step.batchId, call.id),
      index,
      call,
      tool: run.config.tools.find(({ name }) => name === call.name) ?? null,
      approval: null,
      planned: null,
      intent: null,
      terminal: null,
    }));
  },
  turn_finished: (run, _, seq) => {
    stepOf(run).turnFinishedSeq = seq;
  },

  approval_requested: (run, payload, seq) => {
    callOf(run, payload).approval = { requestSeq: seq, answer: null };
  },
  approval_resolved: (run, payload, seq) => {
    const { request_seq: requestSeq, decision, by } = payload;
    callOf(run, payload).approval = { requestSeq, answer: { seq, decision, by } };
  },
  tool_batch_started: (run, { mode, planned }) => {
    const step = stepOf(run);
    step.batch = { mode, finishedSeq: null };
    for (const call of step.calls) call.planned = planned[call.index] ?? null;
  },
  tool_dispatch_intent: (run, payload, seq) => {
    callOf(run, payload).intent = { seq };
  },
  tool_no_dispatch: (run, payload, seq) => {
    callOf(run, payload).terminal = { kind: 'no_dispatch', seq, reason: payload.reason };
  },
  tool_result: (run, payload, seq) => {
    const { outcome, output } = payload;
    callOf(run, payload).terminal = { kind: 'result', seq, outcome, output };
  },
  tool_batch_finished: (run, _, seq) => {
    const step = stepOf(run);
    invariant(step.batch !== null, 'the rules of order found the batch that a record names');
    step.batch = { ...step.batch, finishedSeq: seq };
  },
};

function stepOf(run: OpenRun): OpenStep {
  const step = run.steps.at(-1);
  invariant(step !== undefined, 'the rules of order found the step that a record names');
  return step;
}

function callOf(run: OpenRun, { tool_call_id: id }: { tool_call_id: string }): OpenCall {
  const found = stepOf(run).calls.find(({ call }) => call.id === id);
  invariant(found !== undefined, 'the rules of order found the call that a record names');
  return found;
}

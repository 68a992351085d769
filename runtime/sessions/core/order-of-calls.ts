/** The rules of order of approvals and of the tool batch: the barrier, seen from the side of the reader. */
import { sha256 } from '../../core/digest.js';
import { openRun, type Rules } from './order-view.js';
import type { Payloads } from './records.js';
import { lastStep, type Run, type Step, type ToolCall } from './run.js';

type CallRules = Pick<
  Rules,
  | 'approval_requested'
  | 'approval_resolved'
  | 'tool_batch_started'
  | 'tool_dispatch_intent'
  | 'tool_no_dispatch'
  | 'tool_result'
  | 'tool_batch_finished'
>;

export const callRules: CallRules = {
  approval_requested: openRun((run, payload) => {
    const step = stepWaitingForPlan(run, payload.batch_id);
    if (typeof step === 'string') return step;
    const call = callIn(step, payload.tool_call_id);
    if (typeof call === 'string') return call;
    if (payload.step_id !== step.stepId || payload.name !== call.call.name) return 'it names another step or tool than its call';
    if (payload.arguments_sha256 !== sha256(call.call.arguments)) return 'it shows other arguments than those of its call';
    return call.approval === null ? null : `call ${payload.tool_call_id} was asked about before`;
  }),

  approval_resolved: openRun((run, payload) => {
    const step = stepWaitingForPlan(run, payload.batch_id);
    if (typeof step === 'string') return step;
    const call = callIn(step, payload.tool_call_id);
    if (typeof call === 'string') return call;
    if (call.approval?.requestSeq !== payload.request_seq) return `frame ${payload.request_seq} asked nothing about its call`;
    return call.approval.answer === null ? null : `the question about call ${payload.tool_call_id} was answered before`;
  }),

  tool_batch_started: openRun((run, payload) => {
    const step = stepWaitingForPlan(run, payload.batch_id);
    if (typeof step === 'string') return step;
    if (payload.step_id !== step.stepId) return 'it names another step than its batch';
    const isPlanOf = ({ call }: ToolCall, at: number): boolean =>
      payload.planned[at]?.tool_call_id === call.id && payload.planned[at].name === call.name;
    if (payload.planned.length !== step.calls.length || !step.calls.every(isPlanOf))
      return `its plan is not one for each call of ${step.stepId}, in their order`;
    const isWhole = ({ plan, reason }: (typeof payload.planned)[number]): boolean => (plan === 'dispatch') === (reason === null);
    return payload.planned.every(isWhole) ? null : 'a call is planned with a reason that does not go with its plan';
  }),

  tool_dispatch_intent: openRun((run, payload) => {
    const call = openCall(run, payload);
    if (typeof call === 'string') return call;
    if (call.planned?.plan !== 'dispatch') return `call ${call.call.id} is planned as never dispatched`;
    if (call.intent !== null) return `call ${call.call.id} has an intent already`;
    if (payload.name !== call.call.name || payload.arguments !== call.call.arguments)
      return `it is not what the model asked for in call ${call.call.id}`;
    if (lastStep(run)?.calls.some(({ terminal }) => terminal?.kind === 'result') === true)
      return 'a call of its batch has a result already, and all intents come before the first';
    return spendingProblem(call, payload.approval_seq);
  }),

  tool_no_dispatch: openRun((run, payload) => {
    const call = openCall(run, payload);
    if (typeof call === 'string') return call;
    if (call.planned?.reason !== payload.reason) return `call ${call.call.id} is not planned as ${payload.reason}`;
    return null;
  }),

  tool_result: openRun((run, payload) => {
    const call = openCall(run, payload);
    if (typeof call === 'string') return call;
    if (call.planned?.plan !== 'dispatch') return `call ${call.call.id} is planned as never dispatched`;
    const closed = payload.outcome === 'interrupted' || payload.outcome === 'max_steps';
    return closed || call.intent !== null ? null : `call ${call.call.id} has no intent, so it has no ${payload.outcome} result`;
  }),

  tool_batch_finished: openRun((run, payload) => {
    const step = lastStep(run);
    if (step?.batchId !== payload.batch_id || step.batch === null) return `no batch ${payload.batch_id} is open`;
    if (step.batch.finishedSeq !== null) return `batch ${payload.batch_id} is finished already`;
    const open = step.calls.find(({ terminal }) => terminal === null);
    return open === undefined ? null : `call ${open.call.id} of ${payload.batch_id} has neither a result nor a no-dispatch`;
  }),
};

/** The last step, where it has calls and no batch yet; else a sentence. */
function stepWaitingForPlan(run: Run, batchId: string): Step | string {
  const step = lastStep(run);
  if (step?.batchId !== batchId || step.calls.length === 0) return `no step with calls goes with ${batchId}`;
  return step.batch === null ? step : `${batchId} is planned already`;
}

function callIn(step: Step, toolCallId: string): ToolCall | string {
  return step.calls.find(({ call }) => call.id === toolCallId) ?? `${step.stepId} asked for no call ${toolCallId}`;
}

/** A call of the open batch that has no terminal yet; else a sentence. A result is of the last step or of none: no other is open. */
function openCall(run: Run, { batch_id: batchId, tool_call_id: id }: Pick<Payloads['tool_result'], 'batch_id' | 'tool_call_id'>) {
  const step = lastStep(run);
  if (step?.batchId !== batchId || step.batch === null) return `no batch ${batchId} is open for call ${id}`;
  const call = callIn(step, id);
  if (typeof call === 'string') return call;
  return call.terminal === null ? call : `call ${id} has its end already`;
}

/** An intent spends the approval that it cites: an approved one of its own call, and it cites one where there is one to cite. */
function spendingProblem({ approval, tool, call }: ToolCall, cited: number | null): string | null {
  const given = approval?.answer?.decision === 'approved' ? approval.answer.seq : null;
  if (cited !== given)
    return `call ${call.id} ${given === null ? 'has no approval to spend' : `spends the approval of frame ${given}`}`;
  return tool?.approval === 'required' && given === null ? `call ${call.id} needs an approval` : null;
}

/**
 * Hands over calls whose intents are durable, and records what comes back.
 *
 * After an unknown outcome that stops the run nothing further leaves; what is on its way is awaited and recorded, since it was sent. After a
 * result that could not be recorded nothing leaves either.
 */
import { invariant } from '../../core/errors.js';
import type { Draft, DraftOf } from '../core/records.js';
import { SessionError } from '../core/refusals.js';
import { mayGoOn, type Run, type Step, type ToolCall } from '../core/run.js';
import { resultTexts } from '../core/texts.js';
import type { Outcome } from '../tools/plane.js';
import { isTooLarge, type LiveRun, type Tenure } from './tenure.js';

/** Calls of a parallel batch that are on their way at once. */
const parallelMax = 8;
const detailMax = 300;

type Result = DraftOf<'tool_result'>;

export async function handOver(tenure: Tenure, live: LiveRun, step: Step, calls: readonly ToolCall[]): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    try {
      for (let call = calls[next]; call !== undefined && !failed && mayLeave(live, step); call = calls[next]) {
        next += 1;
        await handOverOne(tenure, live, step, call);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const workers = step.batch?.mode === 'parallel' ? Math.min(parallelMax, calls.length) : 1;
  const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
  const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  // A log that failed outweighs one that is full.
  if (reasons.length > 0) throw reasons.find((reason) => !isTooLarge(reason)) ?? reasons[0];
}

/** Whether a further call may leave, by what is known of the batch so far. */
function mayLeave({ stop }: LiveRun, step: Step): boolean {
  if (stop.signal.aborted) return false;
  const unknown = step.calls.filter(({ terminal }) => terminal?.kind === 'result' && terminal.outcome === 'unknown');
  if (unknown.length === 0) return true;
  if (step.batch?.mode === 'sequential') return unknown.every(mayGoOn);
  // In a parallel batch every call that is not settled might go with the unknown one.
  const unsettled = step.calls.filter(({ intent, terminal }) => intent !== null && terminal === null);
  return [...unknown, ...unsettled].every(mayGoOn);
}

async function handOverOne(tenure: Tenure, live: LiveRun, step: Step, call: ToolCall): Promise<void> {
  const { key, tool } = call;
  invariant(tool !== null, 'a call with an intent has its tool');
  live.handedOver.add(key);
  const outcome = await tenure.plane.dispatch({ key, tool, arguments: call.call.arguments, signal: live.stop.signal });
  recordResult(tenure, resultOf(live.run, step, call, outcome));
}

/** A result for which there is no room is still a result: the call was made. The run ends with it. */
function recordResult(tenure: Tenure, result: Result): void {
  if (tenure.admits([result])) return tenure.append([result]);
  tenure.append([withoutOutput(result)], { closing: true });
  throw new SessionError('session-too-large', 'The session has no room for a result. Start a new one.');
}

function withoutOutput({ type, payload }: Result): Draft {
  if (payload.outcome !== 'completed') return { type, payload };
  return { type, payload: { ...payload, output: resultTexts.too_large, is_error: true } };
}

function resultOf(run: Run, step: Step, { call }: ToolCall, outcome: Outcome): Result {
  const ids = { run_id: run.runId, batch_id: step.batchId, tool_call_id: call.id };
  if (outcome.outcome === 'completed') {
    const { output, isError } = outcome;
    return { type: 'tool_result', payload: { ...ids, outcome: 'completed', output, is_error: isError } };
  }
  const reason = outcome.detail.slice(0, detailMax).toWellFormed();
  return {
    type: 'tool_result',
    payload: {
      ...ids,
      outcome: outcome.outcome,
      output: resultTexts[outcome.outcome],
      is_error: true,
      ...(reason !== '' && { reason }),
    },
  };
}

/**
 * Names that follow from places: nothing here is drawn, so a second process makes the same ones.
 *
 * A key is compound on purpose. A model gives the same `tool_call_id` again in another step, and a key of that alone would take a new call
 * for an old one.
 */

/** The step whose `step_started` has this seq. */
export function stepId(seq: number): string {
  return `step-${seq}`;
}

/** The one batch of a step. */
export function batchIdOf(step: string): string {
  return step.replace(/^step-/, 'batch-');
}

/** Idempotency key of a tool call. */
export function callKey(sessionId: string, runId: string, batchId: string, toolCallId: string): string {
  return `${sessionId}/${runId}/${batchId}/${toolCallId}`;
}

/** Idempotency key of a model request. */
export function modelKey(sessionId: string, runId: string, step: string, attempt: number): string {
  return `${sessionId}/${runId}/${step}/${attempt}`;
}

/** The keys under which a session asks: compound, so that no two requests of a provider share one by chance. Pure. */

/** Of a tool call. */
export function callKey(sessionId: string, runId: string, batchId: string, toolCallId: string): string {
  return `${sessionId}/${runId}/${batchId}/${toolCallId}`;
}

/** Of a model request; attempts of a step are numbered from 1. */
export function modelKey(sessionId: string, runId: string, stepId: string, attempt: number): string {
  return `${sessionId}/${runId}/${stepId}/${attempt}`;
}

export function stepId(seq: number): string {
  return `step-${seq}`;
}

/** A step has one batch at most, and both have one number. */
export function batchIdOf(step: string): string {
  return step.replace('step-', 'batch-');
}

export interface ModelKey {
  readonly sessionId: string;
  readonly runId: string;
  readonly stepId: string;
  readonly attempt: number;
}

/** Null where a key is not that of a model request. */
export function modelKeyIn(key: string | null): ModelKey | null {
  const [, sessionId, runId, step, attempt] = /^([^/]+)\/([^/]+)\/(step-\d{1,16})\/([1-9]\d{0,15})$/.exec(key ?? '') ?? [];
  if (sessionId === undefined || runId === undefined || step === undefined) return null;
  return { sessionId, runId, stepId: step, attempt: Number(attempt) };
}

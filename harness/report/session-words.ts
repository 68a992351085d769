/**
 * What a model said in a session, found in the exported frames: the arguments of each call, which the projection does not hold, and the
 * answer of a run. The frames are those of an inspector that may be wrong; what has not the shape is passed over. Pure.
 */
import type { Answer, SessionState } from '../contract/types.js';

/** Null where the log is too large to be told whole. */
export type Log = NonNullable<Answer['log']> | null;

interface Answered {
  readonly runId: string;
  readonly batch: string;
  readonly text: string | null;
  readonly calls: readonly { readonly id: string; readonly arguments: string }[];
}

/** Of every call, by its key, as the model wrote them. Null where the frames are not told. */
export type Arguments = Readonly<Record<string, string>> | null;

export function argumentsIn({ session_id: session }: Pick<SessionState, 'session_id'>, log: Log): Arguments {
  if (log === null) return null;
  const entries = answersIn(log).flatMap(({ runId, batch, calls }) =>
    calls.map(({ id, arguments: given }): [string, string] => [`${session}/${runId}/${batch}/${id}`, given]),
  );
  return Object.fromEntries(entries);
}

/** What the model said last in a run, where it said something. */
export function answerOf(runId: string, log: Log): string | null {
  if (log === null) return null;
  return answersIn(log).findLast((answer) => answer.runId === runId)?.text ?? null;
}

function answersIn({ frames }: NonNullable<Log>): Answered[] {
  return frames.flatMap((frame) => {
    const { type, payload } = frame as { type?: unknown; payload?: unknown };
    if (type !== 'model_step_finished' || !isObject(payload) || !isObject(payload['assistant'])) return [];
    const { run_id: runId, step_id: step, assistant } = payload;
    if (typeof runId !== 'string' || typeof step !== 'string') return [];
    const { text, tool_calls: calls } = assistant as Record<string, unknown>;
    return [
      {
        runId,
        // A step has one batch at most, of its own number.
        batch: step.replace(/^step-/, 'batch-'),
        text: typeof text === 'string' ? text : null,
        calls: Array.isArray(calls) ? calls.filter(isCall) : [],
      },
    ];
  });
}

function isCall(value: unknown): value is Answered['calls'][number] {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['arguments'] === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

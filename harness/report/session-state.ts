/**
 * What a session's log says, for people: its runs, each call in a line with its key, and what waits. Pure.
 */
import type { Answer, SessionState } from '../contract/types.js';

type Run = SessionState['runs'][number];

/** `log` is null where it is too large to be told whole. */
export function sessionText(session: SessionState, log: NonNullable<Answer['log']> | null): string {
  const { session_id: id, runs, queue } = session;
  const waiting = queue.map(({ submission_id, delivery }) => `${submission_id} (${delivery})`);
  const lines = [
    `session ${id}: ${nextOf(session)}${log === null ? '' : ` (${log.frames.length} frames)`}`,
    ...tornLines(log?.torn_bytes ?? 0),
    ...runs.flatMap(runLines),
    ...(runs.length === 0 ? ['  No run is recorded.'] : []),
    ...(waiting.length === 0 ? [] : [`  queue: ${waiting.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function tornLines(bytes: number): string[] {
  if (bytes === 0) return [];
  return [`  The last write was not finished: ${bytes} bytes that nobody was told of; the next owner drops them.`];
}

function runLines(run: Run): string[] {
  const { run_id, stage, reason, next_operation: next, cancel, steps, model_leg, calls, detail } = run;
  const facts = [
    reason === null ? stage : `${stage} (${reason})`,
    `next ${next}`,
    `${steps} model ${steps === 1 ? 'step' : 'steps'}, ${model_leg}`,
    ...(cancel === null ? [] : [`cancel at ${cancel}`]),
  ];
  return [
    `  run ${run_id}: ${facts.join(', ')}. ${detail}`,
    ...calls.map((call) => `    ${call.tool_call_id} (${call.name}): ${callText(call)}, key ${call.key}`),
  ];
}

function callText({ state }: Run['calls'][number]): string {
  return state === 'indeterminate' || state === 'unknown' ? `${state} (IT MAY HAVE HAPPENED)` : state;
}

export function nextOf({ next_operation: next, on }: Pick<SessionState, 'next_operation' | 'on'>): string {
  return `next ${on === null ? next : `${next} on ${on}`}`;
}

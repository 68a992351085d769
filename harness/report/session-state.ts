/**
 * What a session's log says, for people: its runs, each call with its key and what it was asked to do, and what waits. Pure.
 */
import type { SessionState } from '../contract/types.js';
import { oneLine } from './foreign-text.js';
import { argumentsIn, type Arguments, type Log } from './session-words.js';

type Run = SessionState['runs'][number];

/** `log` is null where it is too large to be told whole. */
export function sessionText(session: SessionState, log: Log): string {
  const given = argumentsIn(session, log);
  const { session_id: id, runs, queue } = session;
  const waiting = queue.map(({ submission_id, delivery }) => `${submission_id} (${delivery})`);
  const lines = [
    `session ${id}: ${nextOf(session)}${log === null ? '' : ` (${log.frames.length} frames)`}`,
    ...tornLines(log?.torn_bytes ?? 0),
    ...runs.flatMap((run) => runLines(run, given)),
    ...(runs.length === 0 ? ['  No run is recorded.'] : []),
    ...(waiting.length === 0 ? [] : [`  queue: ${waiting.join(', ')}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function tornLines(bytes: number): string[] {
  if (bytes === 0) return [];
  const what = bytes === 1 ? 'byte is' : `${bytes} bytes are`;
  return [
    `  The last ${what} no whole frame: a last write that was not finished, or damage to it, which cannot be told apart.`,
    '  The next owner drops them; copy the folder first if anybody was told of what they held.',
  ];
}

function runLines(run: Run, given: Arguments): string[] {
  const { run_id, stage, reason, next_operation: next, cancel, steps, model_leg, calls, detail } = run;
  const facts = [
    reason === null ? stage : `${stage} (${reason})`,
    `next ${next}`,
    `${steps} model ${steps === 1 ? 'step' : 'steps'}, ${model_leg}`,
    ...(cancel === null ? [] : [`cancel at ${cancel}`]),
  ];
  return [
    `  run ${run_id}: ${facts.join(', ')}. ${detail}`,
    ...calls.flatMap((call) => [
      `    ${call.tool_call_id} (${nameOf(call)}): ${callText(call)}, key ${call.key}`,
      `      arguments ${argumentsText(given, call.key)}`,
    ]),
  ];
}

const argumentsMax = 300;

/** As the model wrote it, so that nothing of it may be missed. */
export function nameOf({ name }: Pick<Run['calls'][number], 'name'>): string {
  return oneLine(name, 100);
}

/** Who has to answer about a call sees what it would do, or that it is not seen here. */
export function argumentsText(given: Arguments, key: string): string {
  const told = given?.[key];
  if (told === undefined) return given === null ? 'not told: the log is too large to be told whole' : 'not found in the log';
  if (told === '') return '(empty)';
  return `${oneLine(told, argumentsMax)}${told.length > argumentsMax ? '; state --json tells them whole' : ''}`;
}

function callText({ state }: Run['calls'][number]): string {
  return state === 'indeterminate' || state === 'unknown' ? `${state} (IT MAY HAVE HAPPENED)` : state;
}

export function nextOf({ next_operation: next, on }: Pick<SessionState, 'next_operation' | 'on'>): string {
  return `next ${on === null ? next : `${next} on ${on}`}`;
}

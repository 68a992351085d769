/**
 * Which command carries out what a session's log asks for: a person's way on, for every stage that a run can be in. Pure.
 *
 * What only the person knows stands in a command as a variable of their shell.
 */
import type { SessionState } from '../contract/types.js';
import type { NextCommand } from './next-commands.js';
import { argumentsText, nameOf } from './session-state.js';
import type { Arguments } from './session-words.js';

export const sessionVariables = {
  PROVIDER_URL: "your provider's URL",
  RUN_ID: 'a new id for the run that your message starts',
  TEXT: 'your message',
} as const;

const provider = ['--provider', '$PROVIDER_URL'];

/** None where the log asks for nothing; several where a person must choose. */
export function commandsForSession(session: SessionState, given: Arguments): NextCommand[] {
  const command = (when: string, name: string, ...args: string[]): NextCommand => ({ name, args, when });
  switch (session.next_operation) {
    case 'close_out':
    case 'finalize':
      return [command('', 'resume')];
    case 'run_tools':
    case 'run_step':
    case 'drain_queue':
      return [command('', 'resume', ...provider)];
    case 'approve':
      return awaiting(session).flatMap(({ tool_call_id: id, key, ...call }) => [
        command(`let ${id} be dispatched: ${nameOf(call)}, arguments ${argumentsText(given, key)}`, 'approve', id),
        command(`never dispatch ${id}`, 'approve', id, '--deny'),
      ]);
    case 'none':
      return ownersChoice(session).map(([when, name, ...args]) => command(when, name, ...args));
  }
}

/** Calls of the last run that wait for an answer. */
function awaiting({ runs }: SessionState): SessionState['runs'][number]['calls'] {
  return (runs.at(-1)?.calls ?? []).filter(({ state }) => state === 'awaiting_approval');
}

/** Something that the last run sent may have happened, and nobody can know; or it failed: the owner has to look, whatever ended it. */
function asksToLook({ runs }: SessionState): boolean {
  const last = runs.at(-1);
  if (last === undefined || last.reason === 'completed') return false;
  const inDoubt = last.calls.some(({ state }) => state === 'unknown' || state === 'indeterminate');
  return inDoubt || last.reason === 'interrupted' || last.reason === 'error';
}

/** After an end that the owner has to look at, the session waits for a decision. */
function ownersChoice(session: SessionState): [string, string, ...string[]][] {
  const { queue } = session;
  if (!asksToLook(session)) return [];
  const send: [string, string, ...string[]] = [
    'go on with a message',
    'send',
    '--run-id',
    '$RUN_ID',
    '--text',
    '$TEXT',
    ...provider,
  ];
  return queue.length === 0 ? [send] : [send, ['let what is queued run', 'recover', ...provider]];
}

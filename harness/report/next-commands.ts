/**
 * Which command carries out what a work state names: a person's way on, for every stage that a record can be in. Pure.
 *
 * What only the person knows stands in a command as a variable of their shell (`$PROVIDER_URL`): no record holds it.
 */
import type { WorkState } from '../contract/types.js';

export interface NextCommand {
  /** The command of killpoint. The state folder stands after it, then the arguments. */
  readonly name: string;
  readonly args: readonly string[];
  /** When this is the one to choose, in a few words; empty where there is no choice. */
  readonly when: string;
}

/** What each variable of a command stands for. */
export const variables = {
  PROVIDER_URL: "your provider's URL",
  INPUTS_FILE: 'a JSON file: {"items", "required_ids"} for a compilation, {"instruction"} or {"compilation_id"} for a call',
  RESPONSE_FILE: 'the response body, as the provider sent it',
  FINDING: 'served, not_served or unknown',
  WHY: 'your reason, which is recorded',
} as const;

type Variable = keyof typeof variables;
const value = (variable: Variable): string => `$${variable}`;
const sends = ['--provider', value('PROVIDER_URL')];
const why = ['--note', value('WHY')];

/** None where the record asks for nothing; several where a person must choose. */
export function commandsFor({ task, calls }: WorkState): NextCommand[] {
  const { next_operation: operation, on } = task;
  if (on === null) return [];
  const command = (when: string, name: string, ...more: string[]): NextCommand => ({ name, args: [on, ...more], when });
  switch (operation) {
    case 'none':
      return [];
    case 'start_call':
      return [command('', 'resume', ...sends)];
    case 'recompile':
      return [command('', 'recompile')];
    case 'fix_inputs': {
      const isCall = calls.some(({ call_id }) => call_id === on);
      return [command('', 'fix-inputs', '--inputs', value('INPUTS_FILE'), ...(isCall ? sends : []))];
    }
    case 'reconcile_effect':
      return [
        command('ask the provider', 'reconcile', '--lookup', ...sends),
        command('ask a provider that fences keys', 'reconcile', '--fence', ...sends),
        command('state what you know', 'reconcile', '--finding', value('FINDING'), ...why),
      ];
    case 'decide':
      return [
        command('ask the provider again', 'reconcile', '--lookup', ...sends),
        command('ask a provider that fences keys', 'reconcile', '--fence', ...sends),
        command('state what you know', 'reconcile', '--finding', value('FINDING'), ...why),
        command('give the response', 'reconcile', '--finding', 'served', '--response', value('RESPONSE_FILE'), ...why),
        command('accept that it may be paid for twice', 'accept', '--duplicate', ...why),
      ];
    case 'reinterpret':
      return [command('', 'reinterpret')];
    case 'redecide':
      return [command('', 'redecide')];
    case 'start_next_attempt':
      return [command('', 'retry', ...sends)];
    case 'finalize':
      return [command('', 'finalize')];
    case 'check_and_accept':
      return [command('accept the result', 'accept', ...why), command('reject it', 'accept', '--reject', ...why)];
  }
}

/** The variables that commands hold, in the order of the list that says what they mean. */
export function variablesIn(commands: readonly NextCommand[], meanings: Readonly<Record<string, string>>): string[] {
  const words = new Set(commands.flatMap(({ args }) => args));
  return Object.keys(meanings).filter((name) => words.has(`$${name}`));
}

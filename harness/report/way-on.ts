/** What a person can do next about a state folder, as lines to paste and as data. Pure. */
import type { WorkState } from '../contract/types.js';
import { commandLine, quoted } from './command-line.js';
import { commandsFor, variables, variablesIn } from './next-commands.js';

export interface Place {
  /** How this program is called. */
  readonly own: string;
  readonly state: string;
  /** Subjects of one's own, by their folders: a command must be told of them again. */
  readonly subjects: readonly string[];
  /** It lies in a bundle, so that only a copy may be acted on. */
  readonly evidence: boolean;
}

export interface WayOn {
  readonly task_id: string;
  readonly operation: string;
  readonly on: string | null;
  /** Each carries it out; where there are several, a person must choose. */
  readonly commands: readonly { readonly line: string; readonly when: string }[];
  /** What the variables in the lines stand for. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Where evidence is copied to in the printed lines: beside the person, never beside the evidence. */
const copy = './killpoint-state';

export function copyLine(state: string): string {
  return `mkdir ${copy} && cp -R ${quoted(state)}/. ${copy}`;
}

export function waysOn(projections: readonly WorkState[], { own, state, subjects, evidence }: Place): WayOn[] {
  const told = subjects.flatMap((folder) => ['--subject', folder]);
  return projections.map((projection) => {
    const { task_id, task } = projection;
    const commands = commandsFor(projection);
    return {
      task_id,
      operation: task.next_operation,
      on: task.on,
      commands: commands.map(({ name, args, when }) => {
        return { line: commandLine(own, [name, evidence ? copy : state, ...args, ...told]), when };
      }),
      variables: Object.fromEntries(variablesIn(commands).map((name) => [name, variables[name]])),
    };
  });
}

/** Empty where no task asks for anything. */
export function wayOnLines(ways: readonly WayOn[], { state, evidence }: Place): string[] {
  const open = ways.filter(({ commands }) => commands.length > 0);
  if (open.length === 0) return [];
  const meanings = Object.entries(Object.assign({}, ...open.map((way) => way.variables)) as WayOn['variables']);
  return [
    ...(evidence ? ['This is evidence. To act, copy it first:', `  ${copyLine(state)}`] : []),
    'To carry it out (--dry-run says what would be appended and sent):',
    ...open.flatMap(({ commands }) =>
      commands.flatMap(({ line, when }) => [...(when === '' ? [] : [`  # ${when}`]), `  ${line}`]),
    ),
    ...meanings.map(([name, meaning]) => `${name}: ${meaning}`),
  ];
}

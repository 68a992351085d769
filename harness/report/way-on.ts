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
  /** Where it lies in a bundle, so that only a copy may be acted on: the folder to copy it to, which is not there yet. */
  readonly copy: string | null;
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

export function copyLine(state: string, copy: string): string {
  return `mkdir ${quoted(copy)} && cp -R ${quoted(state)}/. ${quoted(copy)}`;
}

export function waysOn(projections: readonly WorkState[], { own, state, subjects, copy }: Place): WayOn[] {
  const told = subjects.flatMap((folder) => ['--subject', folder]);
  return projections.map((projection) => {
    const { task_id, task } = projection;
    const commands = commandsFor(projection);
    return {
      task_id,
      operation: task.next_operation,
      on: task.on,
      commands: commands.map(({ name, args, when }) => {
        return { line: commandLine(own, [name, copy ?? state, ...args, ...told]), when };
      }),
      variables: Object.fromEntries(variablesIn(commands).map((name) => [name, variables[name]])),
    };
  });
}

/** Empty where no task is recorded. */
export function wayOnLines(ways: readonly WayOn[], { state, copy }: Place): string[] {
  const open = ways.filter(({ commands }) => commands.length > 0);
  if (open.length === 0) return ways.length === 0 ? [] : ['Nothing is left to carry out.'];
  const meanings = Object.entries(Object.assign({}, ...open.map((way) => way.variables)) as WayOn['variables']);
  return [
    ...(copy === null ? [] : ['This is evidence. To act, copy it first:', `  ${copyLine(state, copy)}`]),
    'To carry it out (--dry-run says what would be appended and sent):',
    ...open.flatMap(({ commands }) =>
      commands.flatMap(({ line, when }) => [...(when === '' ? [] : [`  # ${when}`]), `  ${line}`]),
    ),
    ...meanings.map(([name, meaning]) => `${name}: ${meaning}`),
  ];
}

/** What the record asks for, and the lines that carry it out. */
export function nextLines(ways: readonly WayOn[], place: Place): string[] {
  const tasks = ways.map(
    ({ task_id, operation, on }) => `task ${task_id}: next ${on === null ? operation : `${operation} on ${on}`}`,
  );
  return [...tasks, ...wayOnLines(ways, place)];
}

/** What a person can do next about a state folder, as lines to paste and as data. Pure. */
import type { SessionState, WorkState } from '../contract/types.js';
import { commandLine, quoted } from './command-line.js';
import { commandsFor, type NextCommand, variables, variablesIn } from './next-commands.js';
import { commandsForSession, sessionVariables } from './session-commands.js';
import { nextOf } from './session-state.js';
import type { Arguments } from './session-words.js';

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
  readonly operation: string;
  readonly on: string | null;
  /** Each carries it out; where there are several, a person must choose. */
  readonly commands: readonly { readonly line: string; readonly when: string }[];
  /** What the variables in the lines stand for. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface TaskWayOn extends WayOn {
  readonly task_id: string;
}

export interface SessionWayOn extends WayOn {
  readonly session_id: string;
}

export function copyLine(state: string, copy: string): string {
  return `mkdir ${quoted(copy)} && cp -R ${quoted(state)}/. ${quoted(copy)}`;
}

/** The line that tells what a state folder asks for. */
export function stateLine({ own, state, subjects }: Place): string {
  return commandLine(own, ['state', state, ...told(subjects)]);
}

export function waysOn(projections: readonly WorkState[], place: Place): TaskWayOn[] {
  return projections.map((projection) => {
    const { task_id, task } = projection;
    const commands = commandsFor(projection);
    return { task_id, operation: task.next_operation, on: task.on, ...said(commands, variables, place) };
  });
}

export function wayOnOfSession(session: SessionState, given: Arguments, place: Place): SessionWayOn {
  const { session_id, next_operation: operation, on } = session;
  return { session_id, operation, on, ...said(commandsForSession(session, given), sessionVariables, place) };
}

function said(
  commands: readonly NextCommand[],
  meanings: Readonly<Record<string, string>>,
  { own, state, subjects, copy }: Place,
): Pick<WayOn, 'commands' | 'variables'> {
  return {
    commands: commands.map(({ name, args, when }) => {
      return { line: commandLine(own, [name, copy ?? state, ...args, ...told(subjects)]), when };
    }),
    variables: Object.fromEntries(variablesIn(commands, meanings).map((name) => [name, meanings[name] ?? ''])),
  };
}

function told(subjects: readonly string[]): string[] {
  return subjects.flatMap((folder) => ['--subject', folder]);
}

/** Empty where no task is recorded. */
export function wayOnLines(ways: readonly TaskWayOn[], place: Place): string[] {
  return ways.length === 0 ? [] : linesOf(ways, place, 'To carry it out (--dry-run says what would be appended and sent):');
}

function linesOf(ways: readonly WayOn[], { state, copy }: Place, heading: string): string[] {
  const open = ways.filter(({ commands }) => commands.length > 0);
  if (open.length === 0) return ['Nothing is left to carry out.'];
  const meanings = Object.entries(Object.assign({}, ...open.map((way) => way.variables)) as WayOn['variables']);
  return [
    ...(copy === null ? [] : ['This is evidence. To act, copy it first:', `  ${copyLine(state, copy)}`]),
    heading,
    ...open.flatMap(({ commands }) =>
      commands.flatMap(({ line, when }) => [...(when === '' ? [] : [`  # ${when}`]), `  ${line}`]),
    ),
    ...meanings.map(([name, meaning]) => `${name}: ${meaning}`),
  ];
}

/** What the record asks for, and the lines that carry it out. */
export function nextLines(ways: readonly TaskWayOn[], place: Place): string[] {
  const tasks = ways.map(
    ({ task_id, operation, on }) => `task ${task_id}: next ${on === null ? operation : `${operation} on ${on}`}`,
  );
  return [...tasks, ...wayOnLines(ways, place)];
}

export function sessionWayOnLines(way: SessionWayOn, place: Place): string[] {
  return linesOf(
    [way],
    place,
    way.operation === 'none' ? 'Nothing is left to carry out. To go on, if you want to:' : 'To carry it out:',
  );
}

export function sessionNextLines(way: SessionWayOn, place: Place): string[] {
  const next = nextOf({ next_operation: way.operation as SessionState['next_operation'], on: way.on });
  return [`session ${way.session_id}: ${next}`, ...sessionWayOnLines(way, place)];
}

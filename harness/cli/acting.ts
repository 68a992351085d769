/**
 * What every command that acts on a state folder needs: what it was asked, what the role is told, and what is said where the role left no
 * answer.
 */
import { HarnessError } from '../errors.js';
import type { Installation } from '../io/installation.js';
import { copyLine, type Place, stateLine } from '../report/way-on.js';
import { readJsonFile } from './inputs.js';
import type { RoleEnd, RoleRequest } from './role.js';
import { isSession, placeOf, type StateFolder, stateFolderAt } from './state-folder.js';

export interface CarryOutOptions {
  provider?: string;
  scenario?: string;
  dryRun: boolean;
  json: boolean;
  subject: string[];
}

/** What a command carries out, by what the folder holds; what is missing is no command of such a folder. */
export interface Operations {
  readonly calls?: string;
  /** Empty: the session is resumed. */
  readonly session?: string;
}

export interface CarryOutRequest {
  readonly command: string;
  readonly operations: Operations;
  readonly input: object | null;
  readonly folder: string;
  readonly id: string | undefined;
  readonly options: CarryOutOptions;
}

/** A request that is about this folder. */
export interface Acting extends CarryOutRequest {
  readonly operation: string;
  readonly state: StateFolder;
  readonly place: Place;
}

/** What the command says, where, and the code that it leaves by. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Refuses a folder that this command is not for, and one that nobody may act on. */
export function actingOn(request: CarryOutRequest, installation: Installation): Acting {
  const { operations, options } = request;
  const state = stateFolderAt(request.folder, options.subject, installation);
  const place = placeOf(state, options.subject);
  const operation = isSession(state) ? operations.session : operations.calls;
  if (operation === undefined) throw otherKind(request.command, state, place);
  if (place.copy !== null) throw sealed(state.path, place.copy);
  return { ...request, operation, state, place };
}

function otherKind(command: string, state: StateFolder, place: Place): HarnessError {
  const [holds, is] = isSession(state) ? ['a session', 'calls'] : ['calls', 'a session'];
  return new HarnessError(
    'operation-refused',
    `${state.path} holds ${holds}, and "${command}" is a command for ${is}. What can be done with it is told by:`,
    { items: [stateLine(place)] },
  );
}

function sealed(state: string, copy: string): HarnessError {
  const sentence = `${state} is evidence, and nobody acts on that. Copy it first, and act on the copy:`;
  return new HarnessError('state-sealed', sentence, { items: [copyLine(state, copy)] });
}

export function roleRequest({ operation, input, id, options, state }: Acting): RoleRequest {
  const { provider, scenario, dryRun } = options;
  if (provider !== undefined && !/^https?:$/.test(URL.canParse(provider) ? new URL(provider).protocol : ''))
    throw new HarnessError('usage', '--provider is no http or https URL. Is the variable that should hold it set?');
  return {
    installation: state.installation,
    subject: state.subject,
    role: 'resume',
    state: state.path,
    variables: {
      KILLPOINT_OPERATION: operation,
      KILLPOINT_ON: id ?? '',
      KILLPOINT_DRY_RUN: dryRun ? '1' : '',
      KILLPOINT_PROVIDER_URL: provider ?? '',
    },
    files: {
      ...(scenario !== undefined && { KILLPOINT_SCENARIO: `${JSON.stringify(readJsonFile(scenario))}\n` }),
      ...(input !== null && { KILLPOINT_INPUT: `${JSON.stringify(input)}\n` }),
    },
  };
}

export interface Look<Found> {
  /** Null where nobody looked, or nobody could. */
  readonly found: Found | null;
  /** Why nobody could. */
  readonly why: string | null;
  /** Another process owns it: what it asks for is about to change. */
  readonly owned: boolean;
}

/** Another process may own it by now. What was done was done all the same. */
export async function lookAt<Found>(look: () => Promise<Found>): Promise<Look<Found>> {
  try {
    return { found: await look(), why: null, owned: false };
  } catch (error) {
    if (error instanceof HarnessError) return { found: null, why: error.message, owned: error.code === 'owner-alive' };
    throw error;
  }
}

/** `unknown` is null where the record could not be read: then nobody can say that nothing is unknown. */
export function brokenOff(
  { command, folder }: Acting,
  { interrupted, exitCode: code, stderr }: Omit<RoleEnd, 'answer'>,
  { unknown, wayOn, canSend }: { unknown: boolean | null; wayOn: readonly string[]; canSend: boolean },
): HarnessError {
  const words = stderr.trim().split('\n').filter(Boolean);
  // Exit 64 is the role's own refusal of what it was given, in its own sentence: it had not begun.
  if (code === 64 && words.length > 0) return new HarnessError('operation-refused', words.join(' '), { items: wayOn });
  const how = interrupted ? 'was interrupted' : code === null ? 'was ended by a signal' : `ended with exit code ${code}`;
  const sentence = `${command} on ${folder} ${how}, without an answer. ${knowledge(unknown)}`;
  const items = [...words, ...wayOn];
  if (interrupted) return new HarnessError('interrupted', sentence, { items });
  return new HarnessError((unknown ?? canSend) ? 'effect-unknown' : 'operation-failed', sentence, { items });
}

function knowledge(unknown: boolean | null): string {
  if (unknown === null) return 'What it left could not be read; killpoint state tells it as soon as it can be.';
  return unknown ? 'The effect is unknown: its request may have been served.' : 'By the record no effect is unknown.';
}

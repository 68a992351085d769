/**
 * Carries out one operation for a person: the role does it, and the record is looked at afterwards, whatever came of it.
 *
 * Guarantee: what is said at the end is what the record says, not what was hoped for. A role that was interrupted or that broke may have
 * sent its request; then the work state knows more than this process, and its next command is told.
 */
import type { Answer, WorkState } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import type { Installation } from '../io/installation.js';
import { carriedOutDocument, carriedOutText, type CarriedOut } from '../report/carried-out.js';
import { copyLine, nextLines, waysOn } from '../report/way-on.js';
import { readJsonFile } from './inputs.js';
import { runRole, type RoleEnd, type RoleRequest } from './role.js';
import { placeOf, projectionsOf, stateFolderAt, type StateFolder } from './state-folder.js';

export interface CarryOutOptions {
  provider?: string;
  scenario?: string;
  dryRun: boolean;
  json: boolean;
  subject: string[];
}

export interface CarryOutRequest {
  readonly command: string;
  readonly operation: string;
  readonly input: object | null;
  readonly folder: string;
  readonly id: string | undefined;
  readonly options: CarryOutOptions;
}

/** What may leave an effect unknown, or asks about one. Elsewhere one that was unknown before is no news. */
const concernsEffect = new Set(['start_call', 'start_next_attempt', 'fix_inputs', 'reconcile_effect', 'recover']);

/** What the command says, where, and the code that it leaves by. */
export interface Said {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export async function carryOut(request: CarryOutRequest, installation: Installation): Promise<Said> {
  const { options } = request;
  const state = stateFolderAt(request.folder, options.subject, installation);
  const place = placeOf(state, options.subject);
  if (place.copy !== null) throw sealed(state.path, place.copy);
  const { answer, ...end } = await runRole(roleRequest(request, state));
  const { projections, why } = options.dryRun && answer?.status === 'completed' ? unseen : await lookAt(state);
  const next = projections && waysOn(projections, place);
  const unknown = projections && isEffectUnknown(projections, request.id ?? null);
  if (answer === null) throw brokenOff(request, end, unknown, next === null ? [] : nextLines(next, place));
  const concerned = answer.status === 'failed' || concernsEffect.has(request.operation);
  const done = { answer, next, hint: hintFor(answer, why, request), effectUnknown: concerned && unknown === true };
  const text = options.json ? `${JSON.stringify(carriedOutDocument(done))}\n` : carriedOutText(done, place);
  const aside = answer.status === 'refused' && !options.json;
  return { stdout: aside ? '' : text, stderr: aside ? text : '', code: exitCode(done) };
}

/** Why the record cannot be told; else, where what was right to ask for could not be done as it was asked, how else it may be asked. */
function hintFor({ refusal, would }: Answer, why: string | null, { operation, input, options }: CarryOutRequest): string | null {
  if (refusal?.error === 'OwnerAlive') return null;
  if (why !== null) return why;
  if (operation === 'recover' && (would?.appends.length ?? 0) > 0)
    return 'That is its first step; what follows depends on what comes of it.';
  if (refusal?.error !== 'RecoveryRefused' || refusal.hazard !== null) return null;
  const { scenario, provider, dryRun } = options;
  if (refusal.drift.length > 0) return 'Without --scenario the recorded request is sent as it is.';
  const canBeAsked = scenario === undefined || provider !== undefined || dryRun;
  if (refusal.operation === 'reconcile_effect' && input === null && canBeAsked)
    return 'Ask the provider by --lookup or --fence, whichever it offers; or state what you know by reconcile --finding.';
  if (!concernsEffect.has(operation)) return null;
  const missing = [
    ...(provider === undefined && !dryRun ? ['The provider is named by --provider.'] : []),
    ...(scenario === undefined ? ['The settings of today are given by --scenario.'] : []),
  ];
  return missing.length === 0 ? null : missing.join(' ');
}

function exitCode({ answer: { status }, effectUnknown }: CarriedOut): number {
  if (status === 'refused') return 64;
  if (effectUnknown) return 2;
  return status === 'failed' ? 1 : 0;
}

function roleRequest({ operation, input, id, options }: CarryOutRequest, state: StateFolder): RoleRequest {
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

function sealed(state: string, copy: string): HarnessError {
  const sentence = `${state} is evidence, and nobody acts on that. Copy it first, and act on the copy:`;
  return new HarnessError('state-sealed', sentence, { items: [copyLine(state, copy)] });
}

interface Look {
  /** Null where nobody looked, or nobody could. */
  readonly projections: readonly WorkState[] | null;
  /** Why nobody could. */
  readonly why: string | null;
}

const unseen: Look = { projections: null, why: null };

/** Another process may own it by now. What was done was done all the same. */
async function lookAt(state: StateFolder): Promise<Look> {
  try {
    return { projections: await projectionsOf(state), why: null };
  } catch (error) {
    if (error instanceof HarnessError) return { projections: null, why: error.message };
    throw error;
  }
}

/** Of the task that the id belongs to, or of any. Where a person decided to pay again, nobody waits to know. */
function isEffectUnknown(projections: readonly WorkState[], id: string | null): boolean {
  const concerned = projections.filter(
    ({ task_id, calls, compilations }) =>
      [null, task_id].includes(id) ||
      calls.some(({ call_id }) => call_id === id) ||
      compilations.some(({ compilation_id }) => compilation_id === id),
  );
  return concerned
    .flatMap(({ calls }) => calls)
    .some(({ provider_effect, stage }) => provider_effect === 'unknown' && !['superseded', 'duplicate_accepted'].includes(stage));
}

/** `unknown` is null where the record could not be read: then nobody can say that nothing is unknown. */
function brokenOff(
  { command, folder, operation }: CarryOutRequest,
  { interrupted, exitCode: code, stderr }: Omit<RoleEnd, 'answer'>,
  unknown: boolean | null,
  wayOn: readonly string[],
): HarnessError {
  const words = stderr.trim().split('\n').filter(Boolean);
  // Exit 64 is the role's own refusal of what it was given, in its own sentence: it had not begun.
  if (code === 64 && words.length > 0) return new HarnessError('operation-refused', words.join(' '), { items: wayOn });
  const how = interrupted ? 'was interrupted' : code === null ? 'was ended by a signal' : `ended with exit code ${code}`;
  const sentence = `${command} on ${folder} ${how}, without an answer. ${knowledge(unknown)}`;
  const items = [...words, ...wayOn];
  if (interrupted) return new HarnessError('interrupted', sentence, { items });
  const open = unknown ?? concernsEffect.has(operation);
  return new HarnessError(open ? 'effect-unknown' : 'operation-failed', sentence, { items });
}

function knowledge(unknown: boolean | null): string {
  if (unknown === null) return 'What it left could not be read; killpoint state tells it as soon as it can be.';
  return unknown ? 'The effect is unknown: its request may have been served.' : 'By the record no effect is unknown.';
}

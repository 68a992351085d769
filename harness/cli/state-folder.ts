/**
 * A state folder that a person named: which installed subject it belongs to, and whether it may be acted on.
 *
 * The folder is untrusted: its `format.json` only picks one of the installed subjects, no command comes from it. What lies in a bundle is
 * evidence: it may be looked at, and is acted on only as a copy.
 */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Answer, Format, SessionState, WorkState } from '../contract/types.js';
import { validateFormat, validateSessionState } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import { parseCanonical } from '../io/canonical.js';
import type { Installation } from '../io/installation.js';
import { limits, readPlainFile } from '../io/read.js';
import type { Place } from '../report/way-on.js';
import { findSubjects, type InstalledSubject, subjectNamed } from '../subject/find.js';
import { ownCommand } from './own-command.js';
import { runRole, type RoleEnd } from './role.js';

export interface StateFolder {
  readonly installation: Installation;
  readonly path: string;
  readonly subject: InstalledSubject;
}

export function isSession({ subject }: Pick<StateFolder, 'subject'>): boolean {
  return subject.description.model === 'sessions/v1';
}

export function stateFolderAt(folder: string, subjects: readonly string[], installation: Installation): StateFolder {
  const path = resolve(folder);
  return { installation, path, subject: subjectNamed(findSubjects(installation, subjects), formatOf(path).subject) };
}

function formatOf(state: string): Format {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HarnessError('state-unreadable', `${state} is not a state folder of killpoint: ${why}.`, { cause });
  };
  const file = join(state, 'format.json');
  const folder = factsOf(state);
  if (folder === undefined) return refuse('it does not exist');
  if (!folder.isDirectory()) return refuse('it is not a folder');
  if (factsOf(file) === undefined) return refuse(`it has no format.json${isBundle(state) ? inABundle : ''}`);
  let format: unknown;
  try {
    format = parseCanonical(readPlainFile(file, limits.description).toString('utf8'));
  } catch (error) {
    return refuse(`its format.json cannot be read (${(error as Error).message})`, error);
  }
  if (!validateFormat(format)) return refuse('its format.json names another product or another format');
  return format;
}

const inABundle = '; it is a bundle, in which states lie at data/cases/<case>/<snapshot>/state';

function isBundle(folder: string): boolean {
  return factsOf(join(folder, 'bagit.txt')) !== undefined;
}

/** Undefined where nothing is there. What may not be looked at is never taken for absent. */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const why = `cannot be looked at (${(cause as NodeJS.ErrnoException).code ?? 'no reason was given'})`;
    throw new HarnessError('state-unreadable', `${path} ${why}. Check the path and its permissions.`, { cause });
  }
}

/** What the lines that are printed for it must say, to a person who stands in the folder of this process. */
export function placeOf({ installation, path }: StateFolder, subjects: readonly string[]): Place {
  const own = ownCommand(installation, process.cwd(), process.env);
  return { own, state: path, subjects, copy: isEvidence(path) ? freeName('./killpoint-state') : null };
}

/** Beside the person, never beside the evidence; and never where an older copy lies, which the lines would then act on. */
function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n += 1) name = `${wanted}-${n}`;
  return name;
}

/** True below `data/cases` of a bundle, sealed or in the making, by whatever name the folder was reached. */
function isEvidence(state: string): boolean {
  for (let at = realpathSync(state); at !== dirname(at); at = dirname(at)) {
    if (!at.endsWith('/data/cases')) continue;
    const data = dirname(at);
    if (existsSync(join(data, 'plan.json')) || existsSync(join(dirname(data), 'bagit.txt'))) return true;
  }
  return false;
}

/** An inspector that does not answer in this time will not. */
const inspectorMs = 300_000;

/** The work state of every task, as the inspector of the subject projects it. */
export async function projectionsOf(state: StateFolder): Promise<readonly WorkState[]> {
  return (await inspectionOf(state)).projections ?? [];
}

export interface InspectedSession {
  readonly session: SessionState;
  /** Null where it is too large to be told whole. */
  readonly log: NonNullable<Answer['log']> | null;
}

/** What a session's log says, as the inspector of the subject tells it. Throws where the log cannot be read, and says why. */
export async function sessionOf(state: StateFolder): Promise<InspectedSession> {
  const { session, log = null, session_refusal: refusal, detail } = await inspectionOf(state);
  if (refusal !== undefined)
    throw new HarnessError('state-unreadable', detail ?? `${state.path} cannot be read: ${refusal.reason}.`);
  if (validateSessionState(session)) return { session, log };
  throw new HarnessError('inspection-failed', `The inspector of ${state.path} told no state of a session.`);
}

/** What the inspector answers, from a private copy. Not a byte is changed. */
async function inspectionOf({ installation, path, subject }: StateFolder): Promise<Answer> {
  const run = await runRole({
    installation,
    subject,
    role: 'inspect',
    state: path,
    variables: { KILLPOINT_PROVIDER_URL: '' },
    files: { KILLPOINT_SCENARIO: '{}\n' },
    timeoutMs: inspectorMs,
  });
  if (run.interrupted) throw new HarnessError('interrupted', `The look at ${path} was interrupted.`);
  if (run.timedOut) throw new HarnessError('inspection-failed', `${path} could not be inspected within ${inspectorMs} ms.`);
  return inspected(path, run);
}

function inspected(state: string, { answer, exitCode, stderr }: RoleEnd): Answer {
  const words = stderr.trim().split('\n').at(-1) ?? '';
  if (answer?.refusal?.error === 'OwnerAlive' || /OwnerAlive/.test(words))
    throw new HarnessError('owner-alive', `${state} is owned by a living process; its state can be read when that has ended.`);
  // Exit 64 is the inspector's own refusal, in its own sentence.
  if (exitCode === 64 && words !== '') throw new HarnessError('inspection-failed', `${state} cannot be inspected. ${words}`);
  if (exitCode === 0 && answer !== null) return answer;
  const how = exitCode === null ? 'ended by a signal' : `exit ${exitCode}`;
  throw new HarnessError('inspection-failed', `${state} could not be inspected (${how})${words === '' ? '.' : `: ${words}`}`);
}

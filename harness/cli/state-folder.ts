/**
 * A state folder that a person named: which installed subject it belongs to, and whether it may be acted on.
 *
 * The folder is untrusted: its `format.json` only picks one of the installed subjects, no command comes from it. What lies in a bundle is
 * evidence: it may be looked at, and is acted on only as a copy.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Answer, Format, WorkState } from '../contract/types.js';
import { validateFormat } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import { parseCanonical } from '../io/canonical.js';
import type { Installation } from '../io/installation.js';
import { limits, readPlainFile } from '../io/read.js';
import { ownName } from '../report/command-line.js';
import type { Place } from '../report/way-on.js';
import { findSubjects, type InstalledSubject, subjectNamed } from '../subject/find.js';
import { runRole, type RoleEnd } from './role.js';

export interface StateFolder {
  readonly installation: Installation;
  readonly path: string;
  readonly subject: InstalledSubject;
}

export function stateFolderAt(folder: string, subjects: readonly string[], installation: Installation): StateFolder {
  const path = resolve(folder);
  return { installation, path, subject: subjectNamed(findSubjects(installation, subjects), formatOf(path).subject) };
}

function formatOf(state: string): Format {
  const refuse = (why: string, cause?: unknown): never => {
    throw new HarnessError('state-unreadable', `${state} is not a state folder of killpoint: ${why}.`, { cause });
  };
  const facts = statSync(state, { throwIfNoEntry: false });
  if (facts === undefined) return refuse('it does not exist');
  if (!facts.isDirectory()) return refuse('it is not a folder');
  if (!existsSync(join(state, 'format.json'))) return refuse('it has no format.json');
  let format: unknown;
  try {
    format = parseCanonical(readPlainFile(join(state, 'format.json'), limits.description).toString('utf8'));
  } catch (error) {
    return refuse(`its format.json cannot be read (${(error as Error).message})`, error);
  }
  if (!validateFormat(format)) return refuse('its format.json names another product or another format');
  return format;
}

/** What the lines that are printed for it must say. */
export function placeOf({ path }: StateFolder, subjects: readonly string[]): Place {
  return { own: ownName(process.argv[1] ?? '', process.env), state: path, subjects, evidence: isEvidence(path) };
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

/** The work state of every task, as the inspector of the subject projects it, from a private copy. Not a byte is changed. */
export async function projectionsOf({ installation, path, subject }: StateFolder): Promise<readonly WorkState[]> {
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
  return inspected(path, run).projections ?? [];
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

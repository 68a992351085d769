/**
 * Finds subjects: the installed ones (below the build folder) and the folders that the caller names.
 *
 * No command is ever taken from a state directory or a bundle: only from these folders. Roles run in the folder of their
 * `subject.json`, and "node" in a command means the Node that runs the harness.
 */
import { existsSync, readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Subject } from '../contract/types.js';
import { validateSubject } from '../contract/validators.js';
import { HarnessError } from '../errors.js';
import { type Installation, within } from '../io/installation.js';
import { limits, readPlainFile } from '../io/read.js';

export interface InstalledSubject {
  readonly folder: string;
  readonly description: Subject;
}

export type Role = 'produce' | 'inspect' | 'resume' | 'restart' | 'serve';

export function loadSubject(folder: string): InstalledSubject {
  const path = join(folder, 'subject.json');
  let description: unknown;
  try {
    description = JSON.parse(readPlainFile(path, limits.description).toString('utf8'));
  } catch (error) {
    throw new HarnessError('subject-malformed', `${path} cannot be read as a subject: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (!validateSubject(description)) {
    const items = (validateSubject.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`);
    throw new HarnessError('subject-malformed', `${path} does not describe a subject.`, { items });
  }
  return { folder: resolve(folder), description };
}

/** Named folders come first: a person who names one wants that one, also under the name of an installed subject. */
export function findSubjects(installation: Installation, folders: readonly string[]): InstalledSubject[] {
  const named = folders.map(loadSubject);
  const installed = existsSync(installation.subjects)
    ? readdirSync(installation.subjects)
        .map((name) => join(installation.subjects, name))
        .filter((folder) => existsSync(join(folder, 'subject.json')))
        .map(loadSubject)
    : [];
  const taken = new Set<string>();
  return [...named, ...installed].filter(({ description: { name } }) => !taken.has(name) && taken.add(name));
}

export function subjectNamed(subjects: readonly InstalledSubject[], name: string): InstalledSubject {
  const found = subjects.find(({ description }) => description.name === name);
  if (found === undefined) {
    const names = subjects.map(({ description }) => description.name);
    throw new HarnessError(
      'subject-unknown',
      `The subject "${name}" is not installed (installed: ${names.join(', ') || 'none'}).`,
    );
  }
  return found;
}

export interface Command {
  readonly file: string;
  readonly args: string[];
  /** As evidence shows it: without a machine path. */
  readonly recorded: string[];
}

export function commandOf(subject: InstalledSubject, role: Role, installation: Installation): Command {
  const [program = 'node', ...args] = subject.description.roles[role] ?? [];
  const recorded = [program, ...args].map((word) => recordedWord(word, subject.folder, installation.build));
  return { file: program === 'node' ? process.execPath : program, args, recorded };
}

function recordedWord(word: string, folder: string, build: string): string {
  const path = resolve(folder, word);
  if (!existsSync(path)) return word;
  // A folder that is itself the base would be an empty word.
  if (within(build, path)) return relative(build, path) || '.';
  if (within(folder, path)) return `<subject>/${relative(folder, path)}`.replace(/\/$/, '');
  return isAbsolute(word) ? `<outside>/${word.split('/').at(-1) ?? ''}` : word;
}

/**
 * The execution record: what ran, from what, where, by which mechanisms. Pure assembly.
 *
 * It holds no path of this machine: arguments are recorded relative to the folder they were given in.
 */
import { isAbsolute, relative } from 'node:path';
import type { Execution } from '../contract/types.js';
import { within } from '../io/installation.js';
import type { Check } from '../probe/check.js';

/** What a bundle proves and what it does not; printed with every bundle, because hashes invite to read more into them. */
const says = [
  'A bundle proves what ran: which bytes were recorded, by which build, for which plan.',
  'It does not prove that the plan was written before anybody looked: commit dates can be set at will.',
  'Every kill is a process crash (SIGKILL). Power loss is not simulated and not claimed.',
  'Dropping the last records of ledger and receipts in step leaves no trace inside the bundle; only an outer anchor of its root hash would show it.',
];

export interface ExecutionParts extends Omit<Execution, 'version' | 'mechanisms' | 'says' | 'exploratory_reason' | 'argv'> {
  readonly reason: string | null;
  readonly argv: readonly string[];
  readonly folder: string;
  readonly checks: readonly Check[];
}

export function executionRecord({ reason, argv, folder, checks, ...rest }: ExecutionParts): Execution {
  return {
    version: 'execution/v1',
    ...rest,
    exploratory_reason: reason,
    argv: argv.map((word) => portable(word, folder)),
    mechanisms: Object.fromEntries(checks.map(({ name, available, detail }) => [name, { available, detail }])),
    says,
  };
}

/** A path inside the working folder becomes relative, any other keeps only its last part. */
export function portable(word: string, folder: string): string {
  const [option = '', value] = /^--[a-z-]+=/.test(word)
    ? [word.slice(0, word.indexOf('=') + 1), word.slice(word.indexOf('=') + 1)]
    : ['', word];
  if (value === undefined || !isAbsolute(value)) return word;
  return option + (within(folder, value) ? relative(folder, value) || '.' : `<outside>/${value.split('/').at(-1) ?? ''}`);
}

/**
 * Which mutants are tried, and what came of them. A run may be ended at any time: what it found out of a state of the sources stays in a journal, and the next run
 * of the same state goes on from there.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mutant as Stryker tells it. */
export interface Told {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

export interface Line {
  key: string;
  file: string;
  line: number;
  mutator: string;
  replacement: string;
  status: string;
}

/** Ids are numbers that move with every change; a place and what stands there do not. */
export function keyOf(file: string, { mutatorName, replacement, location: { start, end } }: Told): string {
  return hashOf([file, start.line, start.column, end.line, end.column, mutatorName, replacement].join(' ')).slice(0, 16);
}

/** As many as are asked for: always the same for a seed, and of two sizes the larger holds the smaller. */
export function chosenAmong<T extends { key: string }>(all: readonly T[], size: number | null, seed: string): T[] {
  if (size === null) return [...all];
  const places = new Map(all.map((one) => [one, hashOf(`${seed} ${one.key}`)]));
  const place = (one: T): string => places.get(one) ?? '';
  return all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)).slice(0, size);
}

export function readJournal(state: string): Map<string, Line> {
  return new Map(linesIn<Line>(join(state, 'journal.jsonl')).map((line) => [line.key, line]));
}

/** Tests that were asked with nothing mutated, before every so many mutants. */
export const control = { file: 'control.jsonl', every: 25 } as const;

export interface Controlled {
  tests: number;
  /** Which test, and why; null where none noticed anything, as it should be. */
  noticed: string | null;
}

export function readControl(state: string): Controlled[] {
  return linesIn(join(state, control.file));
}

/** The last line of a run that was ended may be cut short. */
function linesIn<T>(path: string): T[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.filter(Boolean).map((line) => JSON.parse(line) as T);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

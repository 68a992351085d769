/**
 * Files of facts → typed values, each with its reason when it cannot be had. Nothing throws past here: a file that is absent or
 * malformed is a value too, which G3 reports once and every other check treats as a missing precondition.
 */
import type { Validator } from '../contract/validators.js';
import { EvidenceError, type EvidenceCode } from '../errors.js';
import { parseCanonicalFile, parseCanonicalLines } from './canonical.js';
import type { Memory } from './memory.js';

export type Read<T> = { readonly value: T; readonly problem?: never } | { readonly problem: Problem; readonly value?: never };

export interface Problem {
  readonly code: EvidenceCode;
  readonly file: string;
  readonly detail: string;
}

export type Files = ReadonlyMap<string, Buffer>;

export function attempt<T>(file: string, read: () => T): Read<T> {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { problem: { code: error.code, file, detail: error.message } };
  }
}

export function bytesOf(files: Files, file: string): Buffer {
  const bytes = files.get(file);
  if (bytes === undefined) throw new EvidenceError('absent', 'The file is not there.');
  return bytes;
}

export function shaped<T>(value: unknown, validate: Validator<T>, what: string): T {
  if (validate(value)) return value;
  const { instancePath = '', message = 'does not fit' } = validate.errors?.[0] ?? {};
  throw new EvidenceError('wrong-shape', `This is not ${what}: ${instancePath === '' ? 'it' : instancePath} ${message}.`);
}

/** The files of a bundle, with what was read of them before. */
export interface Source {
  readonly files: Files;
  readonly memory: Memory;
}

/** One canonical document of a shape. */
export function readFact<T>(source: Source, file: string, validate: Validator<T>, what: string): Read<T> {
  return remembered(source, file, validate, (bytes) => shaped(parseCanonicalFile(bytes), validate, what));
}

/** Canonical lines, each of a shape. */
export function readFactLines<T>(source: Source, file: string, validate: Validator<T>, what: string): Read<T[]> {
  return remembered(source, file, validate, (bytes) => parseCanonicalLines(bytes).map((value) => shaped(value, validate, what)));
}

function remembered<T>({ files, memory }: Source, file: string, key: unknown, read: (bytes: Buffer) => T): Read<T> {
  const bytes = files.get(file);
  if (bytes === undefined) return attempt(file, () => read(bytesOf(files, file)));
  const slots = memory.facts.get(bytes) ?? new Map<unknown, Read<unknown>>();
  memory.facts.set(bytes, slots);
  const before = slots.get(key) as Read<T> | undefined;
  if (before !== undefined) return before;
  const result = attempt(file, () => read(bytes));
  slots.set(key, result);
  return result;
}

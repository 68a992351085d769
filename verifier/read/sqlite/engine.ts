/**
 * What the verifier asks of a SQLite engine: an image opened in memory, or where the engine cannot do that in a private file, for the length of
 * one call. Which engine answers is no part of what it answers: two of them give the same values for the same bytes.
 */
import { EvidenceError } from '../../errors.js';

/** A column's value: text, a number (the nearest one to a large integer), bytes, or null. */
export type Row = Readonly<Record<string, unknown>>;

/** An open image. Tables and columns are named by the caller and never by the evidence. */
export interface OpenImage {
  /** In the order of a column. Text is decoded tolerantly. */
  rows(table: string, columns: readonly string[], order: string): Row[];
  /** The bytes of each cell, as they are stored. */
  cells(table: string, columns: readonly string[]): Iterable<readonly (Uint8Array | null)[]>;
  /** Every page has one place and every cell the type of its column: the engine's own check. */
  isSound(): boolean;
  exec(sql: string): void;
  prepare(sql: string): { run(...parameters: readonly unknown[]): unknown };
  serialize(): Buffer;
}

export interface Engine {
  /** Throws an EvidenceError where the engine cannot read what the image is. */
  open<T>(image: Buffer, use: (db: OpenImage) => T): T;
}

/** Where there is none: nothing is known of rows, which is no fault of theirs. */
export const noEngine: Engine = {
  open() {
    throw new EvidenceError('no-engine', 'There is no SQLite engine here that could read the rows.');
  },
};

/** Without the engine's own words: which they are depends on the engine. */
export function unreadable(cause: unknown): EvidenceError {
  return new EvidenceError('ledger-unreadable', 'SQLite cannot read the database.', { cause });
}

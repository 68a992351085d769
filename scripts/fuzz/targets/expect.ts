/**
 * What any input may do to a reader: be read, or be refused by the reader's own error, in little time. Everything else is a
 * find.
 */
import { EvidenceError } from '../../../verifier/errors.js';

/** Of processor time, so that a busy machine finds nothing; an input is at most 64 KiB. */
const mostMs = 2000;
/** What is instrumented takes longer, and most of all the first time. */
const mostMsInstrumented = 20_000;
const most = '__coverage__' in globalThis ? mostMsInstrumented : mostMs;

export function bounded(use: () => void): void {
  const before = process.cpuUsage();
  use();
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1000 > most) throw new Error(`The reader took ${(user + system) / 1000} ms.`);
}

/** Undefined where the reader refuses. */
export function readOrRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvidenceError) return undefined;
    throw error;
  }
}

export function demand(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise);
}

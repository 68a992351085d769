/** Parsed JSON that nobody has vouched for: read without a complaint, and looked into without assuming its shape. Pure. */
import { EvidenceError } from '../errors.js';

type Members = Readonly<Record<string, unknown>>;

/** What a reader of evidence returns; undefined where the evidence is not what it reads. */
export function parsed(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof EvidenceError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is Members {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function hasExactly(value: Members, names: readonly string[]): boolean {
  return Object.keys(value).sort().join() === [...names].sort().join();
}

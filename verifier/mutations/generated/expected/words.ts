/** Short ways to write rows. */
import type { FindingCode } from '../../../checks/check.js';
import type { Caught, Free, Row } from '../operator.js';

/** What a subject left is in the trace of its run by place and size, and a forger who changed it did not change the trace. */
export const byTrace: readonly FindingCode[] = ['syscall-missed', 'fault-unproven'];

export function by(...codes: readonly FindingCode[]): Caught {
  return { by: codes };
}

export function free(why: string): Free {
  return { free: why };
}

/** The same row for several fields. */
export function each(fields: readonly string[], row: Row | readonly Row[]): Record<string, Row | readonly Row[]> {
  return Object.fromEntries(fields.map((field) => [field, row]));
}

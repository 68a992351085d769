/**
 * Exit codes, everywhere the same: 0 valid, 1 invalid, 2 unknown, 64 usage or refused, 70 internal error. Found tampering must
 * never look like "could not run", or a scheduler would retry instead of raising the alarm.
 */
import type { Verdict } from '../contract/types.js';

export const exitCodes = { valid: 0, invalid: 1, unknown: 2, usage: 64, internal: 70 } as const;

export function exitCodeOf(verdict: Verdict['verdict']): number {
  return exitCodes[verdict];
}

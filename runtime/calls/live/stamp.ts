/** The stamp of a recovery: which operation, which process, which version. The straight path leaves none. */
import { runtimeVersion } from '../core/version.js';
import type { Payloads } from '../core/events.js';
import type { CarriedOut } from '../core/vocabulary.js';

export type Recovery = Payloads['effect.reconciled']['recovery'];
export type Stamp = { recovery?: Recovery };

export const straight: Stamp = {};

export function recoveredBy(operation: CarriedOut): { recovery: Recovery } {
  return { recovery: { operation, pid: process.pid, version: runtimeVersion } };
}

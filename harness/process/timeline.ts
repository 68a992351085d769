/**
 * The harness's clock of one role process: what was seen, in the order of seeing, in monotonic nanoseconds.
 *
 * Wall time decides nothing. The order of entries is the evidence that a kill came after the announcement and before the exit.
 */
import type { Process } from '../contract/types.js';

export type Moment = Process['timeline'][number]['what'];

export interface Timeline {
  mark(what: Moment, atNs?: bigint): void;
  has(what: Moment): boolean;
  before(first: Moment, second: Moment): boolean;
  /** When it was seen first, to hold one process's timeline against another's; null where it never was. */
  at(what: Moment): bigint | null;
  readonly entries: Process['timeline'];
}

export function startTimeline(clock: () => bigint = () => process.hrtime.bigint()): Timeline {
  const entries: Process['timeline'] = [];
  const position = (what: Moment): number => entries.findIndex((entry) => entry.what === what);
  return {
    entries,
    mark: (what, atNs = clock()) => void entries.push({ what, monotonic_ns: String(atNs) }),
    has: (what) => position(what) >= 0,
    at: (what) => {
      const entry = entries[position(what)];
      return entry === undefined ? null : BigInt(entry.monotonic_ns);
    },
    before: (first, second) => position(first) >= 0 && position(second) >= 0 && position(first) < position(second),
  };
}

/**
 * The system-call ratchet: a role that is killed before each call of a family, or for which that call fails, and what carries on. Pure.
 *
 * How many calls there are is not in the plan: the arm itself runs under a tracer that kills nobody, and the calls that it made are the
 * points. Each point is an ordinary snapshot; so is what carries on from it. The verifier expands the same by code of its own.
 */
import type { PlannedSnapshot, Ratchet, Traced } from './types.js';

/** One call of the family on a durable file, by the traced run. */
export interface Call {
  readonly name: string;
  /** An open that creates nothing changes nothing: it is counted, and no point. */
  readonly mayChange: boolean;
  /** Below the state folder; empty for the folder itself. */
  readonly paths: readonly string[];
}

/** The points, in the order of the calls, and behind them one for each name that was never reached. */
export function pointsOf(arm: PlannedSnapshot, { every, offset }: Ratchet, calls: readonly Call[]): PlannedSnapshot[] {
  const paths = [...new Set(calls.flatMap((call) => call.paths))].sort();
  const counts = new Map<string, number>();
  const all = calls.flatMap(({ name, mayChange }) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return mayChange ? [{ name, nth }] : [];
  });
  const points = all.filter((_point, index) => (index + 1) % every === offset);
  const names = [...new Set(all.map(({ name }) => name))];
  const watched = watchOf(arm);
  const at = (name: string, nth: number, reached: boolean): PlannedSnapshot => ({
    ...arm,
    snapshot: `${arm.snapshot}-${name}-${nth}`,
    ratchet: null,
    traced: { ...watched, call: { name, nth }, paths, reached },
  });
  return [
    ...points.map(({ name, nth }) => at(name, nth, true)),
    ...names.map((name) => at(name, (counts.get(name) ?? 0) + 1, false)),
  ];
}

/** Who carries on from a point: a state that was never finished is nothing to recover. */
export function endOf(point: PlannedSnapshot, { carry_on: carryOn }: Ratchet, finished: boolean): PlannedSnapshot {
  const end = { ...point, snapshot: `${point.snapshot}-end`, from: point.snapshot, traced: null };
  if (point.role !== 'produce' || carryOn === 'produce' || !finished) return end;
  return { ...end, role: 'resume', operation: carryOn === 'recover' ? 'recover' : null };
}

function watchOf({ traced }: PlannedSnapshot): Traced {
  if (traced === null || traced.family === 'persistence') throw new Error('Only a snapshot under a ratchet has points.');
  return traced;
}

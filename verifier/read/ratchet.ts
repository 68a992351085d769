/**
 * An arm under a ratchet → itself and the snapshots that it stands for: one for each call of the family that its traced run made, what
 * carries on from each, and behind them one for each name that nothing reached. Pure.
 *
 * The calls are the tracer's word about the run that nobody killed (G45 holds the others against it). Who carries on depends on whether
 * the state was made when its producer died, which the files say.
 */
import type { Beginning } from './power-loss-arm.js';
import type { CallPlace, Expected, Fault, PlannedSnapshot, Ratchet } from './plan.js';
import type { TracedCall } from './trace.js';

export interface Found {
  /** Of the run that nobody killed; none where there is no record of it. */
  calls(arm: string): readonly TracedCall[];
  /** The state of the snapshot has its format record. */
  isMade(snapshot: string): boolean;
  /** Of an arm under power loss: the states that somebody carries on from. */
  beginnings(arm: string): readonly Beginning[];
}

export const nothingFound: Found = { calls: () => [], isMade: () => true, beginnings: () => [] };

/** What may come of a process that was killed before any of its calls. */
const ofKilled: NonNullable<Expected['outcomes']> = ['completed_once', 'undecided'];
/** The same of one for which a call failed, and which ends as it will. */
const ofFaulted: NonNullable<Expected['outcomes']> = [...ofKilled, 'refused'];

export function ratchetOf(arm: PlannedSnapshot, ratchet: Ratchet, found: Found): PlannedSnapshot[] {
  const calls = found.calls(arm.id);
  const places = placesOf(calls);
  const points = places.filter((_place, index) => (index + 1) % ratchet.every === ratchet.offset);
  const at = ({ name, nth }: CallPlace): string => `${arm.id}-${name}-${nth}`;
  const traced = (call: CallPlace, fault: Fault | null): PlannedSnapshot['traced'] =>
    arm.traced && { ...arm.traced, call, fault };
  const struck = (place: CallPlace): PlannedSnapshot => {
    const id = at(place);
    if (ratchet.model === 'io-fault') {
      const { error, lasting } = ratchet;
      return { ...arm, id, traced: traced(place, { error, lasting }), expect: { outcomes: ofFaulted } };
    }
    const expect: Expected = { ended: 'killed', outcomes: ofKilled };
    return { ...arm, id, kill: { at: 'call', ...place }, traced: traced(place, null), expect };
  };
  const beyond = [...new Set(places.map(({ name }) => name))].map((name): CallPlace => ({ name, nth: countOf(calls, name) + 1 }));
  return [
    arm,
    ...points.flatMap((place) => {
      const point = struck(place);
      return [point, endOf(point, arm, ratchet, found.isMade(point.id))];
    }),
    ...beyond.map((place): PlannedSnapshot => ({ ...arm, id: at(place), traced: traced(place, null) })),
  ];
}

/** Every call before which something may change, by its place among all of its name. */
export function placesOf(calls: readonly TracedCall[]): CallPlace[] {
  const counts = new Map<string, number>();
  return calls.flatMap(({ name, mayChange }) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    return mayChange ? [{ name, nth }] : [];
  });
}

export function countOf(calls: readonly TracedCall[], wanted: string): number {
  return calls.filter(({ name }) => name === wanted).length;
}

function endOf(
  point: PlannedSnapshot,
  arm: PlannedSnapshot,
  { carry_on: carryOn, outcomes }: Ratchet,
  isMade: boolean,
): PlannedSnapshot {
  const isProducer = arm.role === 'produce' && (carryOn === 'produce' || !isMade);
  const asArm = arm.role === 'resume' || isProducer;
  return {
    ...arm,
    ...{ id: `${point.id}-end`, from: point.id, traced: null, expect: { outcomes } },
    ...(asArm ? {} : { role: 'resume', operation: carryOn === 'recover' ? 'recover' : null }),
  };
}

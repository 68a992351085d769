/**
 * What the arms of a case reached that stand for many crashes: the points of each ratchet, and the states that a power loss may leave. Counted
 * for people; the evidence is in the bundle, and that nothing was left out is for the verifier to say.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Derivation } from '../contract/types.js';
import type { PlannedSnapshot, PowerLoss, Ratchet } from '../plan/types.js';
import { namePlaces, type RunContext } from './context.js';
import { keptCalls } from './trace.js';

interface OfArm {
  readonly case: string;
  readonly arm: string;
  readonly role: 'producer' | 'resume';
}

export interface PointsReached extends OfArm, Pick<Ratchet, 'model' | 'family'> {
  /** Calls of the family that the traced run made, and before which something may change. */
  readonly found: number;
  /** Those of them that the plan's sample names, and from which somebody carried on. */
  readonly tried: number;
}

export interface StatesReached extends OfArm, Pick<PowerLoss, 'model' | 'persistence'>, Omit<Derivation, 'workers'> {
  /** Different things that opened states hold, with what the provider had received, from which somebody carried on. */
  readonly carried_on: number;
}

export type Reached = PointsReached | StatesReached;

/** Of the arms that ran, in the order of the snapshots. `ran` are the names of those that count. */
export function reachedIn(context: RunContext, snapshots: readonly PlannedSnapshot[], ran: ReadonlySet<string>): Reached[] {
  const all = snapshots.filter(({ snapshot }) => ran.has(snapshot));
  return all.flatMap((one): Reached[] => {
    const { caseId, snapshot, ratchet, powerLoss } = one;
    const arm: OfArm = { case: caseId, arm: snapshot, role: one.role === 'resume' ? 'resume' : 'producer' };
    const places = namePlaces(context, caseId, snapshot);
    if (ratchet !== null) {
      const { model, family } = ratchet;
      const found = keptCalls(places).filter(({ mayChange }) => mayChange).length;
      const tried = all.filter(({ snapshot: end, from }) => from?.startsWith(`${snapshot}-`) && end === `${from}-end`).length;
      return [{ ...arm, model, family, found, tried }];
    }
    if (powerLoss === null) return [];
    const { model, persistence } = powerLoss;
    const {
      workers: _workers,
      beginnings: _beginnings,
      ...counts
    } = JSON.parse(readFileSync(join(places.folder, 'derivation.json'), 'utf8')) as Derivation;
    const carriedOn = all.filter(({ from, receipts }) => from === snapshot && receipts !== null).length;
    return [{ ...arm, model, persistence, ...counts, carried_on: carriedOn }];
  });
}

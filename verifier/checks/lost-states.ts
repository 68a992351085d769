/** What G47 holds against what a subject said of a state that a power loss may leave: what had been promised, and what the bytes hold. */
import type { Snapshot } from '../read/bundle.js';
import { noDigest } from '../read/events.js';
import { nameOf, type LossEvidence } from '../read/loss.js';
import type { Derivation } from '../read/power-loss/derive.js';
import type { StateEvidence } from '../read/state.js';
import { need } from './check.js';
import type { SubjectModel } from './subject-model.js';

/**
 * By cut: how many entries of the arm's record are promised. What the arm began with lay there before the power could go; a request promises its
 * intent, with all that precedes it, and the answer the whole record.
 */
export function promisesOf(arm: Snapshot, derivation: Derivation, model: SubjectModel): number[] {
  const { base } = arm;
  const whole = need(model.digests(arm.state)).length;
  const times = new Map<string, number>();
  let promised = base === undefined ? 0 : need(model.digests(base.state)).length;
  return [
    promised,
    ...derivation.trace.items.map(({ asks, answers }) => {
      if (asks !== null) {
        const name = nameOf(asks);
        const nth = (times.get(name) ?? 0) + 1;
        times.set(name, nth);
        promised = Math.max(promised, model.restsOn(arm, asks, nth));
      }
      if (answers) promised = Math.max(promised, whole);
      return promised;
    }),
  ];
}

/** What the verifier reads in a state. */
export interface Reading {
  /** -1 where there is no record that can be read. */
  readonly entries: number;
  readonly digest: string;
  readonly words: string;
}

const known = new WeakMap<Derivation, Map<number, Reading>>();

/** Of each opened state of the sample without a journal, read once: what was opened does not depend on who says so. */
export function readingsOf(loss: LossEvidence, derivation: Derivation, model: SubjectModel): ReadonlyMap<number, Reading> {
  const readings = known.get(derivation) ?? new Map<number, Reading>();
  known.set(derivation, readings);
  const unread = loss.sample.filter(({ number, isMade, hasJournal }) => isMade && !hasJournal && !readings.has(number));
  for (const [{ number }, state] of loss.statesOf(unread)) readings.set(number, readingOf(state, model));
  return readings;
}

function readingOf(state: StateEvidence, model: SubjectModel): Reading {
  const { value, problem } = model.digests(state);
  if (problem !== undefined) return { entries: -1, digest: noDigest, words: `no record that can be read (${problem.detail})` };
  return { entries: value.length, digest: value.at(-1) ?? noDigest, words: `${value.length} entries` };
}

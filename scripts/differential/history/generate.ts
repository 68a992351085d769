/** Histories as fast-check makes and shrinks them: a tape of numbers for the walk, and in a share of them up to two breaches. */
import fc from 'fast-check';
import { broken, type Breach } from './breaking.js';
import { callsWalk } from './calls.js';
import type { History, Subject } from './drafts.js';
import { sessionWalk } from './sessions.js';
import { Tape } from './tape.js';

const breach: fc.Arbitrary<Breach> = fc.record({ kind: fc.nat(999), at: fc.nat(999), pick: fc.nat(99_999) });

export interface Recipe {
  readonly tape: readonly number[];
  readonly breaches: readonly Breach[];
  /** Of calls: whether a part still lies in the log. */
  readonly hasLog: boolean;
}

const tapes = fc.array(fc.nat(999_999), { minLength: 1, maxLength: 120, size: 'max' });

export const recipes: fc.Arbitrary<Recipe> = fc.record({
  tape: tapes,
  breaches: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 4, arbitrary: fc.array(breach, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(breach, { minLength: 2, maxLength: 2 }) },
  ),
  hasLog: fc.nat(19).map((number) => number === 19),
});

export function historyOf(subject: Subject, { tape, breaches, hasLog }: Recipe): History {
  const nothing = { forgeries: [], spoils: [], breaches: [] };
  const lawful: History =
    subject === 'calls'
      ? { subject, drafts: callsWalk(new Tape(tape)), hasLog, ...nothing }
      : { subject, drafts: sessionWalk(new Tape(tape)), ...nothing };
  return breaches.reduce<History>(broken, lawful);
}

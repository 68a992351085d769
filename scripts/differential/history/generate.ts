/** Histories as fast-check makes and shrinks them: a tape of numbers for the walk, and in those that are broken one breach or two. */
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

const tape = (maxLength: number): fc.Arbitrary<number[]> => fc.array(fc.nat(999_999), { minLength: 1, maxLength, size: 'max' });
/** A step of calls asks the tape oftener. */
const tapes: Readonly<Record<Subject, fc.Arbitrary<number[]>>> = { calls: tape(260), sessions: tape(130) };

/** `mixed`: half of them are lawful. */
export type Kind = 'lawful' | 'broken' | 'mixed';

const none: fc.Arbitrary<Breach[]> = fc.constant([]);
const some: fc.Arbitrary<Breach[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(breach, { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(breach, { minLength: 2, maxLength: 2 }) },
);
const breachesOf: Readonly<Record<Kind, fc.Arbitrary<Breach[]>>> = { lawful: none, broken: some, mixed: fc.oneof(none, some) };

export function recipesOf(subject: Subject, kind: Kind): fc.Arbitrary<Recipe> {
  return recipesFrom(tapes[subject], kind);
}

/** Of ten entries or so. */
export function shortRecipesOf(subject: Subject, kind: Kind): fc.Arbitrary<Recipe> {
  return recipesFrom(tape(subject === 'calls' ? 90 : 45), kind);
}

function recipesFrom(numbers: fc.Arbitrary<number[]>, kind: Kind): fc.Arbitrary<Recipe> {
  // Without a bias towards what is small: it would make every fourth history one of five entries.
  return fc.noBias(fc.record({ tape: numbers, breaches: breachesOf[kind], hasLog: fc.nat(19).map((number) => number === 19) }));
}

export function historyOf(subject: Subject, { tape, breaches, hasLog }: Recipe): History {
  const nothing = { forgeries: [], spoils: [], breaches: [] };
  const lawful: History =
    subject === 'calls'
      ? { subject, drafts: callsWalk(new Tape(tape)), hasLog, ...nothing }
      : { subject, drafts: sessionWalk(new Tape(tape)), ...nothing };
  return breaches.reduce<History>(broken, lawful);
}

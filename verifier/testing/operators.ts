/** Which mutants of a small bundle each test run makes. The gate makes all of them: `verifier/cli/corrupt.gate.test.ts`. */
import type { ModelName } from '../checks/subject-model.js';
import { operatorList, type Operator } from '../mutations/corrupt.js';
import { faultMutations } from '../mutations/faults.js';
import { powerLossMutations } from '../mutations/power-loss.js';
import { syscallMutations } from '../mutations/syscalls.js';

/** The corruptions that a requirement names, whatever else there is of their families. */
export const named: readonly string[] = [
  'an intent event deleted',
  'an inspector’s state altered',
  'an event appended by an inspection',
  'a receipt added',
  'a manifest’s body hash altered',
];

/**
 * The first of each family, and those that are named; of sessions those of families that calls have not. All, where the tests themselves are
 * judged: `KILLPOINT_MUTANTS=all` of `scripts/stryker.ts`.
 */
export function isLeading(model: ModelName): (operator: Operator) => boolean {
  if (process.env.KILLPOINT_MUTANTS === 'all') return () => true;
  const elsewhere = new Set<string>(model === 'calls/v1' ? [] : operatorList('calls/v1').map(({ family }) => family));
  const first = new Map(
    operatorList(model)
      .toReversed()
      .map(({ family, name }) => [family, name]),
  );
  return ({ family, name }) => !elsewhere.has(family) && (named.includes(name) || first.get(family) === name);
}

/** A session is told nothing of places elsewhere, so no plan plants a reach for one; what a tracer told is the same for every subject. */
export const withoutPlaceInSessions: readonly string[] = [
  ...[syscallMutations, powerLossMutations, faultMutations].flatMap((part) => Object.values(part).flat()).map(({ name }) => name),
  ...['the planted reach was not refused', 'another reach was refused than the planted one'],
];

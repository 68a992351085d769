/** What became of the generated mutants of a bundle, counted: nothing that was made is left out of the sum. */
import { classOf, type Choice } from './choose.js';
import type { Outcome, Result } from './outcome.js';
import type { Done } from './run.js';

interface Counts {
  /** Chosen sites. */
  readonly generated: number;
  /** Changed nothing, or gave the same files as another one. */
  readonly discarded: number;
  /** An honest run could have left it: found valid, as its row says. */
  readonly equivalent: number;
  /** Distinct mutants that are to be rejected. */
  readonly applied: number;
  readonly rejected: number;
}

export interface Survivor extends Omit<Outcome, 'digest'> {}

export interface Generated extends Counts, Choice {
  /** Places that the operators found; of each class the bound is broken at most. */
  readonly found: number;
  readonly operators: Readonly<Record<string, Counts>>;
  readonly survivors: readonly Survivor[];
}

const settled: ReadonlySet<Result> = new Set(['rejected', 'equivalent', 'unchanged']);

export function reportOf(done: readonly Done[], { seed, bound, sample }: Choice): Generated {
  const outcomes = distinct(
    done
      .flatMap((share) => share.outcomes)
      .sort(([left], [right]) => left - right)
      .map(([, outcome]) => outcome),
  );
  const names = [...new Set(outcomes.map(({ operator }) => operator))].sort();
  const survivors = outcomes.filter(({ result }) => !settled.has(result)).map(({ digest: _digest, ...rest }) => rest);
  survivors.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  return {
    ...{ seed, bound, sample, found: done[0]?.found ?? 0 },
    ...countsOf(outcomes),
    operators: Object.fromEntries(names.map((name) => [name, countsOf(outcomes.filter(({ operator }) => operator === name))])),
    survivors,
  };
}

/** What is made a second time counts as discarded. */
function distinct(outcomes: readonly Outcome[]): Outcome[] {
  const seen = new Set<string>();
  return outcomes.map((outcome) => {
    const { digest } = outcome;
    if (digest === null || !seen.has(digest)) return (seen.add(digest ?? ''), outcome);
    return { ...outcome, result: 'unchanged' };
  });
}

function countsOf(outcomes: readonly Outcome[]): Counts {
  const count = (wanted: Result): number => outcomes.filter(({ result }) => result === wanted).length;
  const [discarded, equivalent] = [count('unchanged'), count('equivalent')];
  const generated = outcomes.length;
  return { generated, discarded, equivalent, applied: generated - discarded - equivalent, rejected: count('rejected') };
}

function nameOf(survivor: Pick<Outcome, 'operator' | 'document' | 'field' | 'place'>): string {
  return `${classOf(survivor)} ${survivor.place}`;
}

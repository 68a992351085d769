/**
 * The generated mutants of one bundle, or one share of them: every nth of the chosen sites, so that several threads need not speak with each
 * other. Who reads the same bytes lists and chooses the same sites.
 */
import { readBundle } from '../../read/bundle.js';
import type { Memory } from '../../read/memory.js';
import type { Tree } from '../../read/tree.js';
import { chosenOf, type Choice } from './choose.js';
import type { Good, Site } from './operator.js';
import { operators } from './operators.js';
import { outcomeOf, type Outcome } from './outcome.js';

export interface Share {
  readonly number: number;
  readonly of: number;
}

/** The outcomes of a share, each with its place among all. */
export interface Done {
  /** How many sites the operators found, and how many of them were chosen. */
  readonly found: number;
  readonly chosen: number;
  readonly outcomes: readonly (readonly [number, Outcome])[];
}

export function goodOf(tree: Tree, memory: Memory): Good {
  const bundle = readBundle(tree, memory);
  return { tree, memory, bundle, snapshots: bundle.cases.flatMap(({ snapshots }) => snapshots) };
}

export function sitesOf(good: Good): Site[] {
  return operators.flatMap((operator) => [...operator.sites(good)]);
}

export function shareOf(good: Good, choice: Choice, { number, of }: Share): Done {
  const sites = sitesOf(good);
  const chosen = chosenOf(sites, choice);
  const own = [...chosen.entries()].filter(([index]) => index % of === number);
  const outcomes = own.map(([index, site]): readonly [number, Outcome] => [index, outcomeOf(good, site, index)]);
  return { found: sites.length, chosen: chosen.length, outcomes };
}

/**
 * What a file system really left, held against what the persistence model says that it may leave.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../../harness/io/inventory.js';
import { contentOf } from '../../harness/power-loss/content.js';
import { digestOf, statesOf, survey } from '../../harness/power-loss/derive.js';
import type { Persistence } from '../../harness/power-loss/pending.js';

export interface Left {
  readonly sha256: string;
  readonly files: readonly string[];
}

export function leftIn(folder: string, volatile: readonly string[]): Left {
  const files = filesBelow(folder, volatile);
  return { sha256: digestOf(new Map(files.map((name) => [name, contentOf(readFileSync(join(folder, name)))]))), files };
}

export interface Derived {
  /** Of the cut behind the last item: each digest, with the names that are there. */
  readonly states: ReadonlyMap<string, readonly string[]>;
  readonly items: number;
  readonly pending: number;
  /** Of these, the one in which nothing survived that had not been synced. */
  readonly allLost: string;
}

/** A call that the kill came before never happened. */
export function derivedAtEnd(lines: readonly string[], volatile: readonly string[], persistence: Persistence): Derived {
  const happened = lines.filter((line) => !/\) = \?$/.test(line) || /^\d+ (?:request|answer)\(/.test(line));
  const source = { begun: new Map<string, Buffer>(), lines: () => happened, volatile };
  const parameters = { persistence, subsets: 64, seed: 'ground-truth' };
  const { items } = survey(source, parameters);
  const states = new Map<string, string[]>();
  let pending = 0;
  let allLost = '';
  // All cuts are derived, whatever their weight: only the last one is looked at.
  for (const state of statesOf(source, parameters, { weight: 0 })) {
    if (state.cut !== items) continue;
    states.set(state.sha256, [...state.files.keys()]);
    pending = state.pending.length;
    if (state.choice.rule === 'all-lost') allLost = state.sha256;
  }
  return { states, items, pending, allLost };
}

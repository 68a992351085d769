/** The known answers about power loss, and the derivation of each. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { Derivation } from '../read/power-loss/derive.js';
import type { Asked } from '../read/power-loss/items.js';
import type { Settings } from '../read/power-loss/rules.js';

interface Vector extends Settings {
  readonly name: string;
  readonly base: Record<string, string>;
  readonly trace: readonly string[];
  readonly unmodelled?: true;
  readonly counts: { readonly derived: number };
  /** Of each line of the receipts, what it received. */
  readonly receipts?: readonly (Asked | null)[];
  readonly moments?: readonly { state: number; cut: number; receipts: number }[];
  readonly states: readonly { cut: number; rule: string; at: number; sha256: string; files: Record<string, string> }[];
}

const file = new URL('../../evidence/schema/vectors/power-loss.json', import.meta.url);
export const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

/** One whose states are too many for a test that is to be quick. */
export function isLarge({ unmodelled, counts }: Vector): boolean {
  return unmodelled === undefined && counts.derived > 10_000;
}

export function derive({ trace, base, persistence = 'strictest', subsets = 0, seed = 's' }: Vector): Derivation {
  const beginning = new Map(Object.entries(base).map(([name, data]) => [name, Buffer.from(data, 'base64')]));
  return new Derivation(Buffer.from(`${trace.join('\n')}\n`), beginning, { persistence, subsets, seed });
}

export function expectAnswer(vector: Vector): void {
  const derivation = derive(vector);
  const states = [...derivation.filesOf(derivation.states)].map(
    ([
      {
        sha256,
        occurrences: [{ cut, rule, at }],
      },
      content,
    ]) => {
      const files = Object.fromEntries([...content].map(([name, bytes]) => [name, bytes.toString('base64')]));
      return { cut, rule, at, sha256, files };
    },
  );
  expect(states).toEqual(vector.states);
  expect(derivation.counts).toEqual(vector.counts);
}

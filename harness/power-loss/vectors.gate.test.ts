/** The known answers of the persistence model, which are data that the verifier's own derivation is held against too. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesOf } from './content.js';
import { distinctStatesOf, type NumberedState, type Source, survey } from './derive.js';
import { type Received, receiptLinesAt } from './receipts.js';
import type { Parameters } from './rules.js';
import { Unmodelled } from './unmodelled.js';

interface Vector extends Parameters {
  readonly name: string;
  readonly base: Readonly<Record<string, string>>;
  readonly trace: readonly string[];
  readonly unmodelled?: true;
  readonly counts: Readonly<Record<string, number>>;
  /** Of each line of the receipts, what it received. */
  readonly receipts?: readonly Received[];
  readonly moments?: readonly { state: number; cut: number; receipts: number }[];
  readonly states: readonly { cut: number; rule: string; at: number; sha256: string; files: Readonly<Record<string, string>> }[];
}

const file = resolve(import.meta.dirname, '../../evidence/schema/vectors/power-loss.json');
const { vectors } = JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{"vectors":[]}') as { vectors: Vector[] };

/** Those of every subject of the contract. */
const volatile = ['lease.sqlite', 'ledger.sqlite-shm', 'wal-feature-floor.lock'];

function sourceOf({ base = {}, trace }: Vector): Source {
  const begun = new Map(Object.entries(base).map(([name, bytes]) => [name, Buffer.from(bytes, 'base64')]));
  return { begun, lines: () => trace, volatile };
}

function derived(vector: Vector) {
  const source = sourceOf(vector);
  const { items, operations, requests, weight } = survey(source, vector);
  const linesAt = (cut: number): number => receiptLinesAt(cut, requests, 0, vector.receipts ?? []);
  const all = distinctStatesOf(source, vector, { weight }, linesAt);
  const states: NumberedState[] = [];
  const moments: NonNullable<Vector['moments']>[number][] = [];
  for (let result = all.next(); ; result = all.next()) {
    if (result.done === true)
      return { states, moments, counts: { items, operations, requests: requests.length, ...result.value } };
    const { number, cut, isAgain } = result.value;
    moments.push({ state: number, cut, receipts: linesAt(cut) });
    if (!isAgain) states.push(result.value);
  }
}

const told = ({ cut, choice: { rule, at }, sha256, files }: NumberedState): Vector['states'][number] => ({
  cut,
  rule,
  at,
  sha256,
  files: Object.fromEntries([...files].map(([name, content]) => [name, Buffer.concat(bytesOf(content)).toString('base64')])),
});

describe.skipIf(vectors.length === 0)('a known answer', () => {
  it.each(vectors.filter(({ unmodelled }) => unmodelled !== true))('is found: $name', (vector) => {
    const { states, moments, counts } = derived(vector);
    expect(states.map(told)).toEqual(vector.states);
    expect(counts).toEqual(vector.counts);
    if (vector.moments !== undefined) expect(moments).toEqual(vector.moments);
  });

  it.each(vectors.filter(({ unmodelled }) => unmodelled === true))('is that there is none: $name', (vector) => {
    expect(() => survey(sourceOf(vector), { persistence: 'strictest', subsets: 0, seed: 's' })).toThrow(Unmodelled);
  });
});

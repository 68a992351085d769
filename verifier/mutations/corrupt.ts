/**
 * Shows that the verifier has teeth: breaks copies of a valid bundle, in memory, and judges each. A mutant counts as rejected only
 * if it caused exactly its declared codes: one code too few is a blind check, one too many is a check that cries at the wrong thing.
 */
import { modelOf } from '../checks/all.js';
import { findingCodes, type FindingCode } from '../checks/check.js';
import type { ModelName } from '../checks/subject-model.js';
import { readBundle } from '../read/bundle.js';
import { Memory } from '../read/memory.js';
import type { Tree } from '../read/tree.js';
import { verify } from '../verdict.js';
import { mutationsOf } from './all.js';
import { Editor, type Mutation } from './editor.js';

export interface CorruptionResult {
  readonly operator: string;
  readonly expected: readonly string[];
  readonly given: readonly string[];
  readonly rejected: boolean;
}

export interface Corruption {
  /** The verdict of the bundle itself; only a valid one is broken. */
  readonly base: 'valid' | 'invalid' | 'unknown';
  readonly operators: number;
  readonly mutants: number;
  readonly rejected: number;
  readonly survivors: readonly string[];
  readonly not_applicable: readonly string[];
  readonly results: readonly CorruptionResult[];
}

export type Operator = Mutation & { readonly family: FindingCode };

/** By every operator, or by those that are `wanted`. */
export function corrupt(tree: Tree, memory = new Memory(), wanted: (operator: Operator) => boolean = () => true): Corruption {
  const base = verify(tree, memory).verdict.verdict;
  const operators = operatorList(modelOf(readBundle(tree, memory)).name).filter(wanted);
  if (base !== 'valid')
    return { base, operators: operators.length, mutants: 0, rejected: 0, survivors: [], not_applicable: [], results: [] };
  const outcomes = operators.map((operator) => ({ operator, result: breakOnce(tree, operator, memory) }));
  const results = outcomes.flatMap(({ result }) => result ?? []);
  return {
    base,
    operators: operators.length,
    mutants: results.length,
    rejected: results.filter(({ rejected }) => rejected).length,
    survivors: results.filter(({ rejected }) => !rejected).map(({ operator }) => operator),
    not_applicable: outcomes.filter(({ result }) => result === null).map(({ operator }) => operator.name),
    results,
  };
}

export function operatorList(model: ModelName): Operator[] {
  const mutations = mutationsOf(model);
  return findingCodes.flatMap((family) => (mutations[family] ?? []).map((mutation) => ({ ...mutation, family })));
}

/** Null where the bundle holds nothing that it could break. */
export function breakOnce(tree: Tree, { name, codes, family, apply }: Operator, memory: Memory): CorruptionResult | null {
  const editor = new Editor(tree, memory);
  if (!apply(editor)) return null;
  if (!pinsAreBroken.has(family)) editor.repin();
  const { verdict } = verify(editor.tree, memory);
  const given = [...new Set(verdict.findings.map(({ code }) => code))].sort();
  const expected = [...codes].sort();
  const rejected = verdict.verdict === 'invalid' && given.join() === expected.join();
  return { operator: `${family}: ${name}`, expected, given, rejected };
}

/** These break the pins themselves; everything else is re-pinned, so that only meaning can tell. */
const pinsAreBroken: ReadonlySet<FindingCode> = new Set([
  'bag-malformed',
  'file-forbidden',
  'file-unlisted',
  'file-missing',
  'file-altered',
]);

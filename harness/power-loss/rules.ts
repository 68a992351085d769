/**
 * The rules: which of the pending pieces of a cut are kept. Pure.
 *
 * They are listed in the order of the contract, since the states are numbered in it.
 */
import type { DerivedState } from '../contract/types.js';
import { bitsOf, draw } from './draw.js';
import type { Pending, Persistence } from './pending.js';
import type { AnyPiece } from './pieces.js';

export interface Parameters {
  readonly persistence: Persistence;
  readonly subsets: number;
  readonly seed: string;
}

export type Rule = DerivedState['rule'];
export type Range = readonly [from: number, to: number];

/** Of a pending piece: kept or not; of a data piece, some of its bytes only. */
export type Keeping = boolean | readonly Range[];

export interface Choice {
  readonly rule: Rule;
  readonly at: number;
  /** For each pending piece, in their order. */
  readonly kept: readonly Keeping[];
}

/** Beyond so many pending pieces a few places stand for all. */
const mostPlaces = 64;
const mostParts = 4096;
export const blockSize = 4096;
const sectorSize = 512;

export function weightOf({ pieces, entries }: Pending, cut: number, { subsets, seed }: Parameters): number {
  if (pieces.length === 0) return 1;
  const places = placesOf(pieces.length, cut, seed);
  const torn = places.reduce((sum, place) => sum + tearsOf(pieces[place]).length, 0);
  const mixed = entries > 0 && entries < pieces.length ? 1 + 3 * entries : 0;
  return (2 + 3 * places.length + torn + mixed + subsets) * (1 + Math.floor(pieces.length / mostPlaces));
}

export function* choicesOf(pending: readonly AnyPiece[], cut: number, parameters: Parameters): Generator<Choice> {
  const { persistence } = parameters;
  for (const choice of unordered(pending, cut, parameters))
    yield persistence === 'ext4' ? { ...choice, kept: entriesInOrder(pending, choice.kept) } : choice;
}

function* unordered(pending: readonly AnyPiece[], cut: number, { subsets, seed }: Parameters): Generator<Choice> {
  const every = (keep: (place: number) => Keeping): Keeping[] => pending.map((_piece, place) => keep(place));
  yield { rule: 'all-lost', at: 0, kept: every(() => false) };
  if (pending.length === 0) return;
  yield { rule: 'all-kept', at: 0, kept: every(() => true) };
  const places = placesOf(pending.length, cut, seed);
  for (const at of places) yield { rule: 'lost-alone', at: at + 1, kept: every((place) => place !== at) };
  for (const at of places) yield { rule: 'kept-alone', at: at + 1, kept: every((place) => place === at) };
  for (const at of places) yield { rule: 'prefix', at: at + 1, kept: every((place) => place <= at) };
  for (const at of places)
    for (const { rule, range } of tearsOf(pending[at]))
      yield { rule, at: at + 1, kept: every((place) => (place === at ? [range] : place < at)) };
  const entries = entriesOf(pending);
  if (entries.length > 0 && entries.length < pending.length) {
    const others = (keep: (entry: number) => boolean): Keeping[] => {
      const kept = every(() => true);
      for (const [index, place] of entries.entries()) kept[place] = keep(index);
      return kept;
    };
    yield { rule: 'entries-all-lost', at: 0, kept: others(() => false) };
    for (const at of entries.keys()) yield { rule: 'entries-lost-alone', at: at + 1, kept: others((entry) => entry !== at) };
    for (const at of entries.keys()) yield { rule: 'entries-kept-alone', at: at + 1, kept: others((entry) => entry === at) };
    for (const at of entries.keys()) yield { rule: 'entries-prefix', at: at + 1, kept: others((entry) => entry <= at) };
  }
  const partsOfAll = pending.map(partsOf);
  for (let at = 1; at <= subsets; at++) yield { rule: 'subset', at, kept: subsetOf(partsOfAll, bitsOf(seed, cut, at)) };
}

/** From 0, ascending. */
function placesOf(count: number, cut: number, seed: string): number[] {
  const step = Math.ceil(count / mostPlaces);
  const drawn = step === 1 ? 0 : draw(seed, 'position', cut);
  const places: number[] = [];
  for (let place = step - 1 - (drawn % step); place < count; place += step) places.push(place);
  return places;
}

function entriesOf(pending: readonly AnyPiece[]): number[] {
  return pending.flatMap(({ kind }, place) => (kind === 'entry' ? [place] : []));
}

/** A torn write ends before the first multiple of its unit behind its place, where it has bytes beyond that. */
function tearsOf(piece: AnyPiece | undefined): { rule: 'torn-512' | 'torn-4096'; range: Range }[] {
  if (piece?.kind !== 'data') return [];
  const tear = <R extends Rule>(rule: R, unit: number): { rule: R; range: Range }[] => {
    const end = (Math.floor(piece.at / unit) + 1) * unit;
    return end < piece.at + piece.length ? [{ rule, range: [piece.at, end] }] : [];
  };
  return [...tear('torn-512', sectorSize), ...tear('torn-4096', blockSize)];
}

function subsetOf(partsOfAll: readonly (readonly Range[])[], isKept: (bit: number) => boolean): Keeping[] {
  const count = partsOfAll.reduce((sum, { length }) => sum + length, 0);
  const together = count > mostParts ? Math.ceil(count / mostParts) : 1;
  let part = 0;
  return partsOfAll.map((parts) => {
    const kept = parts.filter(() => isKept(Math.floor(part++ / together)));
    return kept.length === parts.length || (kept.length > 0 && kept);
  });
}

/** What a subset keeps or not: the blocks of a data piece; any other piece is one part, of no bytes. */
function partsOf(piece: AnyPiece): Range[] {
  if (piece.kind !== 'data') return [[0, 0]];
  const { at, length } = piece;
  const parts: Range[] = [];
  for (let from = at; from < at + length;) {
    const to = Math.min((Math.floor(from / blockSize) + 1) * blockSize, at + length);
    parts.push([from, to]);
    from = to;
  }
  return parts;
}

/** Entries last in their order: behind the first one that is lost none is kept. */
export function entriesInOrder(pending: readonly AnyPiece[], kept: readonly Keeping[]): Keeping[] {
  let lost = false;
  return kept.map((keep, place) => {
    if (pending[place]?.kind !== 'entry') return keep;
    lost ||= keep === false;
    return lost ? false : keep;
  });
}

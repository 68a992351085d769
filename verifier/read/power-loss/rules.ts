/**
 * The states of one cut: which of its pending pieces each rule keeps, in the order of the contract. Pure.
 *
 * Counting comes apart from making, so that a trace whose cuts are too many is thinned before anything is derived.
 */
import type { DerivedState } from '../../contract/types.js';
import { blockBytes, type Range } from './content.js';
import { Bits, draw } from './draw.js';
import type { DataPiece, Persistence, Piece } from './pieces.js';

export type Rule = DerivedState['rule'];

/** What the plan says of an arm under power loss. */
export interface Settings {
  readonly persistence: Persistence;
  readonly subsets: number;
  readonly seed: string;
}

/** A pending piece that a state keeps; of a data piece perhaps only some of its bytes. */
export interface Kept {
  readonly piece: Piece;
  /** Null is all of it. */
  readonly ranges: readonly Range[] | null;
  /** Tells what is kept of the piece. */
  readonly key: number | string;
}

export interface Choice {
  readonly rule: Rule;
  readonly at: number;
  readonly kept: readonly Kept[];
}

const mostPositions = 64;
const tears = [512, 4096] as const;
const mostBits = 4096;

/** How many states a cut has, without making them. */
export function countChoices(cut: number, pending: readonly Piece[], entries: number, settings: Settings): number {
  const places = placesOf(cut, pending.length, settings);
  if (pending.length === 0) return 1;
  const torn = places.reduce((sum, place) => sum + tearsOf(pending[place - 1]).length, 0);
  const ofEntries = entries > 0 && entries < pending.length ? 1 + 3 * entries : 0;
  return 2 + 3 * places.length + torn + ofEntries + settings.subsets;
}

export function weightOf(states: number, pending: number): number {
  return states * (1 + Math.floor(pending / mostPositions));
}

/** Places from 1 of the pieces that the rules about one piece are about: all, or at most about 64 of them. */
function placesOf(cut: number, count: number, { seed }: Settings): number[] {
  const step = Math.max(1, Math.ceil(count / mostPositions));
  const first = step === 1 ? 1 : step - (draw(seed, 'position', cut) % step);
  const places: number[] = [];
  for (let place = first; place <= count; place += step) places.push(place);
  return places;
}

export function* choicesOf(cut: number, pending: readonly Piece[], settings: Settings): Generator<Choice> {
  const { persistence, subsets } = settings;
  const all = wholly(pending);
  const choice = (rule: Rule, at: number, kept: readonly Kept[]): Choice => {
    return { rule, at, kept: persistence === 'ext4' ? entriesInOrder(pending, kept) : kept };
  };
  yield choice('all-lost', 0, []);
  if (pending.length === 0) return;
  yield choice('all-kept', 0, all);
  const places = placesOf(cut, pending.length, settings);
  for (const at of places)
    yield choice(
      'lost-alone',
      at,
      all.filter((_kept, index) => index !== at - 1),
    );
  for (const at of places) yield choice('kept-alone', at, all.slice(at - 1, at));
  for (const at of places) yield choice('prefix', at, all.slice(0, at));
  for (const at of places) {
    const torn = pending[at - 1];
    for (const tear of tearsOf(torn))
      yield choice(`torn-${tear}`, at, [
        ...all.slice(0, at - 1),
        tornAt(torn as DataPiece, nextMultiple(torn as DataPiece, tear)),
      ]);
  }
  for (const { rule, at, lost } of entryRules(pending)) {
    const gone = new Set(lost);
    yield choice(
      rule,
      at,
      all.filter(({ piece }) => !gone.has(piece)),
    );
  }
  for (let subset = 1; subset <= subsets; subset += 1)
    yield choice('subset', subset, keptOf(pending, new Bits(settings.seed, cut, subset)));
}

/** All of each. */
export function wholly(pending: readonly Piece[]): Kept[] {
  return pending.map(whole);
}

function whole(piece: Piece): Kept {
  return { piece, ranges: null, key: piece.id };
}

/** The multiples behind its place beyond which it has bytes. */
function tearsOf(piece: Piece | undefined): (512 | 4096)[] {
  if (piece?.is !== 'data') return [];
  return tears.filter((tear) => nextMultiple(piece, tear) < piece.at + piece.bytes.length);
}

function nextMultiple({ at }: DataPiece, of: number): number {
  return (Math.floor(at / of) + 1) * of;
}

function tornAt(piece: DataPiece, to: number): Kept {
  return { piece, ranges: [{ from: piece.at, to }], key: `${piece.id}<${to}` };
}

interface EntryRule {
  readonly rule: Rule;
  readonly at: number;
  readonly lost: readonly Piece[];
}

/** With all other pieces kept. */
function* entryRules(pending: readonly Piece[]): Generator<EntryRule> {
  const entries = pending.filter(({ is }) => is === 'entry');
  if (entries.length === 0 || entries.length === pending.length) return;
  yield { rule: 'entries-all-lost', at: 0, lost: entries };
  for (const [index, entry] of entries.entries()) yield { rule: 'entries-lost-alone', at: index + 1, lost: [entry] };
  for (const [index, entry] of entries.entries())
    yield { rule: 'entries-kept-alone', at: index + 1, lost: entries.filter((one) => one !== entry) };
  for (const index of entries.keys()) yield { rule: 'entries-prefix', at: index + 1, lost: entries.slice(index + 1) };
}

/** Data pieces are divided at the multiples of a block; a bit decides over each part. */
function keptOf(pending: readonly Piece[], bits: Bits): Kept[] {
  const parts = pending.map((piece) => (piece.is === 'data' ? partsOf(piece) : null));
  const count = parts.reduce((sum, ofPiece) => sum + (ofPiece?.length ?? 1), 0);
  const each = Math.max(1, Math.ceil(count / mostBits));
  let bit = 0;
  const isKept = (): boolean => bits.at(Math.floor(bit++ / each));
  return pending.flatMap((piece, index): Kept[] => {
    const ofPiece = parts[index];
    if (ofPiece === null || ofPiece === undefined) return isKept() ? [whole(piece)] : [];
    const ranges = ofPiece.filter(isKept);
    if (ranges.length === 0) return [];
    if (ranges.length === ofPiece.length) return [whole(piece)];
    return [{ piece, ranges, key: `${piece.id}:${ranges.map(({ from }) => from).join()}` }];
  });
}

function partsOf({ at, bytes }: DataPiece): Range[] {
  const end = at + bytes.length;
  const parts: Range[] = [];
  for (let from = at; from < end;) {
    const to = Math.min(end, (Math.floor(from / blockBytes) + 1) * blockBytes);
    parts.push({ from, to });
    from = to;
  }
  return parts;
}

/** Entries last in their order: behind the first that is not kept, none is. */
function entriesInOrder(pending: readonly Piece[], kept: readonly Kept[]): readonly Kept[] {
  const pieces = new Set(kept.map(({ piece }) => piece));
  const broken = pending.find((piece) => piece.is === 'entry' && !pieces.has(piece));
  if (broken === undefined) return kept;
  return kept.filter(({ piece }) => piece.is !== 'entry' || piece.id < broken.id);
}

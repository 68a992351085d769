/**
 * From a trace to the states that a power loss may leave: cut by cut, rule by rule, equal ones once. Pure.
 *
 * Fault model: power loss of the machine of the role at any moment. What no sync covers persists or not, piece by piece, as the
 * persistence model of the contract says; the verifier derives the same by code of its own.
 *
 * The trace is read twice and never held: only what is pending at a cut, and what states share, is in memory.
 */
import { hash } from 'node:crypto';
import { type Content, contentOf } from './content.js';
import { draw } from './draw.js';
import { itemsOf } from './items.js';
import { createPending } from './pending.js';
import type { AnyPiece, Request } from './pieces.js';
import { choicesOf, type Choice, entriesInOrder, type Keeping, type Parameters, weightOf } from './rules.js';
import { createStore, type Store } from './store.js';

export interface Source {
  /** The durable files at the beginning. */
  readonly begun: ReadonlyMap<string, Buffer>;
  /** The lines of the trace, as often as they are asked for. */
  readonly lines: () => Iterable<string>;
  readonly volatile: readonly string[];
}

export interface Survey {
  readonly items: number;
  readonly operations: number;
  readonly requests: readonly Request[];
  /** Of all cuts. */
  readonly weight: number;
}

export interface State {
  readonly cut: number;
  readonly choice: Choice;
  readonly pending: readonly AnyPiece[];
  readonly sha256: string;
  readonly files: ReadonlyMap<string, Content>;
}

export interface NumberedState extends State {
  readonly number: number;
  /** It was told before, and now occurs at another moment. */
  readonly isAgain: boolean;
}

export interface Counts {
  readonly cuts: number;
  readonly left_out: number;
  readonly derived: number;
  readonly distinct: number;
}

/** So many pending pieces that rules often agree on what is kept of them. */
const fewPieces = 16;
/** The work that a derivation may be. */
const mostWeight = 262_144;

/** Throws Unmodelled, for the whole trace, before anything is derived. */
export function survey(source: Source, parameters: Parameters): Survey {
  const requests: Request[] = [];
  const pending = createPending(parameters.persistence);
  let [items, operations] = [0, 0];
  let weight = weightOf(pending, 0, parameters);
  for (const { number, pieces, sync, request } of itemsIn(source, false)) {
    items = number;
    if (pieces.length > 0 || sync !== null) operations += 1;
    if (request !== null) requests.push(request);
    pending.add(pieces);
    if (sync !== null) pending.sync(sync);
    weight += weightOf(pending, number, parameters);
  }
  return { items, operations, requests, weight };
}

/** All states, equal ones too, of all cuts that are not left out. */
export function* statesOf(source: Source, parameters: Parameters, surveyed: Pick<Survey, 'weight'>): Generator<State> {
  for (const chosen of chosenIn(source, parameters, surveyed, () => undefined)) yield stateOf(chosen);
}

/** A state that is not made yet: what is durable is as it was at the cut until the next one is asked for. */
interface Chosen extends Pick<State, 'cut' | 'choice' | 'pending'> {
  readonly store: Store;
}

function stateOf({ cut, choice, pending, store }: Chosen): State {
  const files = store.filesWith(pending, choice.kept);
  return { cut, choice, pending, files, sha256: digestOf(files) };
}

function* chosenIn(
  source: Source,
  parameters: Parameters,
  { weight }: Pick<Survey, 'weight'>,
  onCut: (isLeftOut: boolean) => void,
): Generator<Chosen> {
  const pending = createPending(parameters.persistence);
  const store = createStore([...source.begun].map(([name, bytes]) => [name, contentOf(bytes)]));
  function* chosenAt(cut: number): Generator<Chosen> {
    const isLeftOut = weight > mostWeight && draw(parameters.seed, 'cut', cut) % weight >= mostWeight;
    onCut(isLeftOut);
    if (isLeftOut) return;
    const { pieces } = pending;
    for (const choice of choicesOf(pieces, cut, parameters)) yield { cut, choice, pending: pieces, store };
  }
  yield* chosenAt(0);
  for (const { number, pieces, sync } of itemsIn(source, true)) {
    pending.add(pieces);
    if (sync !== null) store.makeDurable(pending.sync(sync));
    yield* chosenAt(number);
  }
}

export interface EndState extends Pick<State, 'pending' | 'files'> {
  readonly kept: readonly Keeping[];
}

/** The one state behind the last item in which of the pending pieces is kept what is asked for. */
export function stateAtEnd(
  source: Source,
  { persistence }: Pick<Parameters, 'persistence'>,
  keep: (piece: AnyPiece) => Keeping,
): EndState {
  const pending = createPending(persistence);
  const store = createStore([...source.begun].map(([name, bytes]) => [name, contentOf(bytes)]));
  for (const { pieces, sync } of itemsIn(source, true)) {
    pending.add(pieces);
    if (sync !== null) store.makeDurable(pending.sync(sync));
  }
  const { pieces } = pending;
  const wanted = pieces.map(keep);
  const kept = persistence === 'ext4' ? entriesInOrder(pieces, wanted) : wanted;
  return { pending: pieces, kept, files: store.filesWith(pieces, kept) };
}

/** For those to whom all moments are the same. */
const oneMoment = (): number => 0;

/**
 * The distinct ones, numbered from 1 in the order of their first occurrence. What it returns at its end is counts.
 *
 * `momentOf`: of a cut, a number that never falls from one cut to the next. A state is told again at the first cut of each later moment at which it occurs.
 */
export function* distinctStatesOf(
  source: Source,
  parameters: Parameters,
  surveyed: Pick<Survey, 'weight'>,
  momentOf: (cut: number) => number = oneMoment,
): Generator<NumberedState, Counts> {
  const seen = new Map<string, { readonly number: number; moment: number }>();
  const counts = { cuts: 0, left_out: 0, derived: 0 };
  const onCut = (isLeftOut: boolean): void => {
    if (isLeftOut) counts.left_out += 1;
    else counts.cuts += 1;
  };
  // Of a few pending pieces many rules keep the same: that is seen before anything is made.
  const keptAtCut = new Set<string>();
  let cut = -1;
  let moment = 0;
  for (const chosen of chosenIn(source, parameters, surveyed, onCut)) {
    counts.derived += 1;
    if (chosen.cut !== cut) {
      keptAtCut.clear();
      moment = momentOf(chosen.cut);
    }
    cut = chosen.cut;
    if (chosen.pending.length <= fewPieces) {
      const kept = wordOf(chosen.choice.kept);
      if (keptAtCut.has(kept)) continue;
      keptAtCut.add(kept);
    }
    const state = stateOf(chosen);
    const known = seen.get(state.sha256);
    if (known === undefined) {
      const number = seen.size + 1;
      seen.set(state.sha256, { number, moment });
      yield { number, isAgain: false, ...state };
    } else if (known.moment !== moment) {
      known.moment = moment;
      yield { number: known.number, isAgain: true, ...state };
    }
  }
  return { ...counts, distinct: seen.size };
}

/** What is kept, as a text: equal for equal choices at one cut, and for no others. */
function wordOf(kept: readonly Keeping[]): string {
  let word = '';
  for (const keep of kept) word += keep === true ? 'k' : keep === false ? 'l' : `[${keep.join(';')}]`;
  return word;
}

function itemsIn({ begun, lines, volatile }: Source, withBytes: boolean): ReturnType<typeof itemsOf> {
  return itemsOf(lines(), { begun: [...begun].map(([name, bytes]) => [name, bytes.length]), volatile, withBytes });
}

export function digestOf(files: ReadonlyMap<string, Pick<Content, 'size' | 'sha256'>>): string {
  const lines = [...files].map(([name, { size, sha256 }]) => ({ name, line: `${name} ${size} ${sha256}\n` }));
  lines.sort((left, right) => (left.name < right.name ? -1 : 1));
  return hash('sha256', lines.map(({ line }) => line).join(''));
}

/**
 * The shortest story of a failing state: as few items as possible, and as few lost pieces, with which it still fails in the same way.
 *
 * Items are left out in ever smaller groups, then pieces that were lost are kept again. What is found is the least in the sense that no
 * single item can be left out of it, and no single lost piece kept; a shorter one of another kind may exist. With nothing lost the story
 * must not fail, where the whole one does not: else nothing would be left of what had been promised.
 */
import { type Source, stateAtEnd, type EndState } from './derive.js';
import type { AnyPiece } from './pieces.js';
import type { Keeping, Parameters } from './rules.js';
import { Unmodelled } from './unmodelled.js';

/** What was made of a state: the name of how it fails, or null where it does not. */
export type Failing = (state: EndState) => Promise<string | null>;

export interface Story {
  /** Numbers of items of the whole trace, ascending. */
  readonly items: readonly number[];
  readonly state: EndState;
  /** How it fails. */
  readonly failure: string;
  /** The whole trace up to the cut fails so with nothing lost, too: then it is no loss that the story tells of. */
  readonly withoutLoss: boolean;
  readonly tried: number;
}

interface Losses {
  /** By item and kind of piece; what is not among them is kept. */
  readonly lost: ReadonlyMap<string, Keeping>;
  /** The lines that are told, by their numbers. */
  readonly items: readonly number[];
}

export interface ReduceRequest {
  readonly source: Source;
  /** The lines of the items, in their order, up to the cut. */
  readonly lines: readonly string[];
  readonly parameters: Pick<Parameters, 'persistence'>;
  readonly pending: readonly AnyPiece[];
  readonly kept: readonly Keeping[];
  readonly failing: Failing;
}

/** Null where the state does not fail. */
export async function reduce(request: ReduceRequest): Promise<Story | null> {
  const { source, lines, parameters, pending, kept, failing } = request;
  let tried = 0;
  const stateOf = ({ items, lost }: Losses): EndState | null => {
    const told = items.map((item) => lines[item - 1] ?? '');
    const keep = (piece: AnyPiece): Keeping => lost.get(nameOf(items[piece.item - 1] ?? 0, piece)) ?? true;
    try {
      return stateAtEnd({ ...source, lines: () => told }, parameters, keep);
    } catch (error) {
      if (error instanceof Unmodelled) return null;
      throw error;
    }
  };
  const failureOf = async (losses: Losses): Promise<string | null> => {
    const state = stateOf(losses);
    tried += 1;
    return state === null ? null : failing(state);
  };
  const whole: Losses = {
    items: lines.map((_line, index) => index + 1),
    lost: new Map(
      pending.flatMap((piece, place) => (kept[place] === true ? [] : [[nameOf(piece.item, piece), kept[place] ?? false]])),
    ),
  };
  const failure = await failureOf(whole);
  if (failure === null) return null;
  const withoutLoss = (await failureOf({ ...whole, lost: new Map() })) === failure;
  const stillFails = async (losses: Losses): Promise<boolean> =>
    (await failureOf(losses)) === failure && (withoutLoss || (await failureOf({ ...losses, lost: new Map() })) === null);
  const items = await least(whole.items, (some) => stillFails({ ...whole, items: some }));
  const here = [...whole.lost].filter(([name]) => items.includes(Number.parseInt(name, 10)));
  const lost = await least(here, (some) => stillFails({ items, lost: new Map(some) }));
  const state = stateOf({ items, lost: new Map(lost) });
  if (state === null) throw new Error('What was tried can be told.');
  return { items, state, failure, withoutLoss, tried };
}

/** Leaves out groups, halved until they are single ones, as long as what is left still holds. */
async function least<Item>(all: readonly Item[], holds: (some: readonly Item[]) => Promise<boolean>): Promise<readonly Item[]> {
  let left = all;
  for (let size = Math.max(1, Math.ceil(left.length / 2)); ; size = Math.ceil(size / 2)) {
    let removed = false;
    for (let at = left.length - size; at > -size; at -= size) {
      const from = Math.max(0, at);
      const some = [...left.slice(0, from), ...left.slice(at + size)];
      if (some.length < left.length && (await holds(some))) {
        left = some;
        removed = true;
      }
    }
    // Single ones are tried again, since what one leaves may free another.
    if (size === 1 && !removed) return left;
  }
}

function nameOf(item: number, { kind }: AnyPiece): string {
  return `${item} ${kind}`;
}

/**
 * The states that a power loss may leave of a traced run, by the persistence model of the contract: cut by cut, rule by rule, numbered by
 * their content. Pure; the verifier's own account, derived from the words of the contract alone.
 *
 * Fault model: the machine of the role loses power between two items; what no sync covered persists or not, each piece apart. Not known here: a disk
 * that lies about a sync, a bit that turns, a file system that breaks.
 */
import { InternalError } from '../../errors.js';
import { sha256 } from '../hash.js';
import { Content, Effort } from './content.js';
import { draw } from './draw.js';
import { isVolatile } from './files.js';
import { Image } from './image.js';
import { readItems, type Asked, type LossTrace } from './items.js';
import { choicesOf, countChoices, weightOf, wholly, type Choice, type Rule, type Settings } from './rules.js';

const mostWeight = 262_144;
/** Of one line of a state, against one piece that is gone through. */
const lineEffort = 8;

/** Where a state comes from: at most one for each cut, the first of its rules. */
export interface Occurrence {
  readonly cut: number;
  readonly rule: Rule;
  readonly at: number;
  /** Its place, from 1, among all states of all cuts, equal ones too. */
  readonly place: number;
}

export interface LostState {
  readonly number: number;
  readonly sha256: string;
  readonly occurrences: readonly [Occurrence, ...Occurrence[]];
  /** It has its format record, or at least the name of one. */
  readonly isMade: boolean;
  /** A journal of SQLite lies in it, which whoever opens it rolls back. */
  readonly hasJournal: boolean;
}

export interface Counts {
  readonly items: number;
  readonly operations: number;
  readonly requests: number;
  readonly cuts: number;
  readonly left_out: number;
  readonly derived: number;
  readonly distinct: number;
}

export class Derivation {
  readonly counts: Counts;
  readonly states: readonly LostState[];
  readonly trace: LossTrace;
  /** Of the state at the end, with everything kept. */
  readonly end: string;

  private readonly beginning: ReadonlyMap<string, Buffer>;

  /** `beginning`: the files of the state that the arm began with, by name. */
  constructor(
    bytes: Uint8Array,
    beginning: ReadonlyMap<string, Buffer>,
    private readonly settings: Settings,
  ) {
    this.beginning = new Map([...beginning].filter(([name]) => !isVolatile(name)));
    this.trace = readItems(bytes, new Map([...this.beginning].map(([name, { length }]) => [name, length])));
    const { items } = this.trace;
    const isIncluded = this.cutsIncluded();
    const cuts = isIncluded.filter(Boolean).length;
    const { states, derived, end } = this.derived(isIncluded);
    this.states = states;
    this.end = end;
    this.counts = {
      items: items.length,
      operations: items.filter(({ pieces, sync }) => pieces.length > 0 || sync !== null).length,
      requests: this.requests.length,
      ...{ cuts, left_out: isIncluded.length - cuts, derived, distinct: states.length },
    };
  }

  /** With the item that each is. */
  get requests(): { readonly item: number; readonly asks: Asked }[] {
    return this.trace.items.flatMap(({ asks }, index) => (asks === null ? [] : [{ item: index + 1, asks }]));
  }

  /** The item behind which the role had answered; null where it never did. */
  get answeredAt(): number | null {
    const index = this.trace.items.findIndex(({ answers }) => answers);
    return index < 0 ? null : index + 1;
  }

  get answers(): number {
    return this.trace.items.filter(({ answers }) => answers).length;
  }

  /** The files of states, which come in the order of their numbers. */
  *filesOf(states: readonly LostState[]): Generator<[LostState, ReadonlyMap<string, Buffer>]> {
    const wanted = states.map((state) => ({ state, first: state.occurrences[0] }));
    let next = 0;
    for (const [cut, image] of this.images()) {
      if (next >= wanted.length) return;
      if (wanted[next]?.first.cut !== cut) continue;
      for (const { rule, at, kept } of choicesOf(cut, image.pending, this.settings)) {
        const { state, first } = wanted[next] ?? {};
        if (state === undefined || first?.cut !== cut) break;
        if (first.rule !== rule || first.at !== at) continue;
        yield [state, new Map([...image.with(kept)].map(([name, content]) => [name, content.bytes]))];
        next += 1;
      }
    }
    if (next < wanted.length) throw new InternalError('invariant', 'States were asked for out of their order.');
  }

  /** What was pending and is not in the state as it occurs there, with the item that each is of. */
  lostAt({ cut, rule, at }: Occurrence): { readonly item: number; readonly words: string }[] {
    for (const [here, image] of this.images()) {
      if (here < cut) continue;
      const choice = [...choicesOf(cut, image.pending, this.settings)].find((one) => one.rule === rule && one.at === at);
      const kept = new Map(choice?.kept.map(({ piece, ranges }) => [piece, ranges]));
      return image.pending.flatMap((piece) => {
        const ranges = kept.get(piece);
        if (ranges === null) return [];
        return [{ item: piece.item, words: ranges === undefined ? piece.words : `a part of ${piece.words}` }];
      });
    }
    return [];
  }

  private *images(effort = new Effort()): Generator<[cut: number, image: Image]> {
    const image = new Image(this.beginning, this.settings.persistence, effort);
    yield [0, image];
    for (const [index, item] of this.trace.items.entries()) {
      image.take(item);
      yield [index + 1, image];
    }
  }

  /** By cut: what is too much to derive is left out by the seed. */
  private cutsIncluded(): boolean[] {
    const { settings } = this;
    const weights: number[] = [];
    for (const [cut, { pending, entries }] of this.images())
      weights.push(weightOf(countChoices(cut, pending, entries, settings), pending.length));
    const sum = weights.reduce((all, weight) => all + weight, 0);
    return weights.map((_weight, cut) => sum <= mostWeight || draw(settings.seed, 'cut', cut) % sum < mostWeight);
  }

  private derived(isIncluded: readonly boolean[]): { states: LostState[]; derived: number; end: string } {
    const states = new States();
    const effort = new Effort();
    let end = '';
    for (const [cut, image] of this.images(effort)) {
      if (cut === this.trace.items.length) end = digestOf(image.with(wholly(image.pending)), effort);
      if (isIncluded[cut] !== true) continue;
      for (const choice of choicesOf(cut, image.pending, this.settings))
        states.occurs(cut, choice, image.with(choice.kept), effort);
    }
    return { states: states.all, derived: states.count, end };
  }
}

type Mutable = Omit<LostState, 'occurrences'> & { readonly occurrences: [Occurrence, ...Occurrence[]] };

class States {
  readonly all: Mutable[] = [];
  count = 0;
  private readonly byDigest = new Map<string, Mutable>();

  occurs(cut: number, { rule, at }: Choice, files: ReadonlyMap<string, Content>, effort: Effort): void {
    this.count += 1;
    const digest = digestOf(files, effort);
    const known = this.byDigest.get(digest);
    if (known !== undefined) {
      if (known.occurrences.at(-1)?.cut !== cut) known.occurrences.push({ cut, rule, at, place: this.count });
      return;
    }
    const state: Mutable = {
      ...{ number: this.all.length + 1, sha256: digest, occurrences: [{ cut, rule, at, place: this.count }] },
      isMade: files.has('format.json'),
      hasJournal: [...files.keys()].some((name) => name.endsWith('-journal')),
    };
    this.all.push(state);
    this.byDigest.set(digest, state);
  }
}

/** The digest of a state, from the bytes of its files. */
export function stateDigest(files: ReadonlyMap<string, Buffer>): string {
  return digestOf(new Map([...files].map(([name, bytes]) => [name, Content.of(bytes)])), new Effort());
}

function digestOf(files: ReadonlyMap<string, Content>, effort: Effort): string {
  effort.spend(lineEffort * files.size);
  const names = [...files.keys()].sort();
  // Only beyond those two orders differ: that of characters as they are kept here, and that of their bytes.
  if (names.some((name) => /[\uD800-\uFFFF]/.test(name)))
    names.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const lines = names.map((name) => {
    const content = files.get(name);
    return content === undefined ? '' : `${name} ${content.size} ${content.digest(effort)}\n`;
  });
  return sha256(Buffer.from(lines.join('')));
}

/**
 * The folder of a trace at one cut after another: what is durable of it, what is pending, and what any choice of the pending pieces leaves. Pure.
 *
 * A sync of a file covers all of its pieces so far, and a sync of names all names so far, so what is durable of either is a beginning: the rest is
 * laid over it.
 */
import { Content, type Effort, type Step } from './content.js';
import type { Item } from './items.js';
import { left, type Inode, type Persistence, type Piece } from './pieces.js';
import type { Kept } from './rules.js';

/** Of one pending piece that a choice is about, against one step of the rest. */
const pendingEffort = 4;

export class Image {
  /** How many of them change names. */
  entries = 0;
  private waits: Piece[] = [];
  private readonly names = new Map<string, Inode>();
  private readonly contents = new Map<Inode, Content>();
  /** How many pieces of each file are pending, and how many take names along. */
  private readonly waitingOf = new Map<Inode, number>();

  constructor(
    beginning: ReadonlyMap<string, Buffer>,
    private readonly persistence: Persistence,
    private readonly effort: Effort,
  ) {
    for (const [index, [name, bytes]] of [...beginning].entries()) {
      this.names.set(name, index);
      this.contents.set(index, Content.of(bytes));
    }
  }

  /** What no sync has covered, in the order of items; another one after the next item. */
  get pending(): readonly Piece[] {
    return this.waits;
  }

  /** Goes on behind the next item. */
  take({ pieces, sync }: Item): void {
    if (pieces.length > 0) this.add(pieces);
    if (sync === null || !this.mayCover(sync)) return;
    this.effort.spend(this.waits.length);
    const still = left(this.waits, sync, this.persistence);
    const isLeft = new Set(still);
    for (const piece of this.waits) if (!isLeft.has(piece)) this.endure(piece);
    this.waits = still;
  }

  /** Names with what their files hold; nothing is changed. */
  with(kept: readonly Kept[]): ReadonlyMap<string, Content> {
    if (this.effort.isFull) this.forget();
    const names = kept.some(({ piece }) => piece.is === 'entry') ? new Map(this.names) : this.names;
    const contents = new Map<Inode, Content>();
    this.effort.spend(pendingEffort * this.waits.length + names.size);
    for (const { piece, ranges, key } of kept) {
      if (piece.is === 'entry') rename(names, piece.sets);
      else contents.set(piece.of, this.next(contents.get(piece.of), { piece, ranges, key }));
    }
    const files = new Map<string, Content>();
    for (const [name, inode] of names) files.set(name, contents.get(inode) ?? this.content(inode));
    return files;
  }

  private add(pieces: readonly Piece[]): void {
    this.waits.push(...pieces);
    for (const { is, of } of pieces) {
      if (is === 'entry') this.entries += 1;
      this.waitingOf.set(of, (this.waitingOf.get(of) ?? 0) + 1);
    }
  }

  /** A sync that covers nothing costs nothing. */
  private mayCover(sync: NonNullable<Item['sync']>): boolean {
    if (sync === 'everything') return this.waits.length > 0;
    return sync === 'folder' ? this.entries > 0 : (this.waitingOf.get(sync.of) ?? 0) > 0;
  }

  private endure(piece: Piece): void {
    this.waitingOf.set(piece.of, (this.waitingOf.get(piece.of) ?? 1) - 1);
    if (piece.is === 'entry') {
      this.entries -= 1;
      rename(this.names, piece.sets);
    } else this.contents.set(piece.of, this.next(undefined, { piece, ranges: null, key: piece.id }));
  }

  private next(before: Content | undefined, step: Step): Content {
    return (before ?? this.content(step.piece.of)).after(step, this.effort);
  }

  private content(inode: Inode): Content {
    const known = this.contents.get(inode);
    if (known !== undefined) return known;
    const content = Content.of();
    this.contents.set(inode, content);
    return content;
  }

  private forget(): void {
    for (const [inode, content] of this.contents) this.contents.set(inode, content.alone());
  }
}

function rename(names: Map<string, Inode>, sets: readonly (readonly [name: string, inode: Inode | null])[]): void {
  for (const [name, inode] of sets) {
    if (inode === null) names.delete(name);
    else names.set(name, inode);
  }
}

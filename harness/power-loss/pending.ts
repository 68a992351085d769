/**
 * Which pieces are pending, and which are durable: what a sync covers. Pure.
 */
import type { AnyPiece, Inode, Sync } from './pieces.js';

export type Persistence = 'strictest' | 'ext4';

/** Pieces that became durable, in the order of items. */
export type Durable = readonly AnyPiece[];

export interface Pending {
  readonly pieces: readonly AnyPiece[];
  /** How many of them are entry pieces. */
  readonly entries: number;
  add(pieces: readonly AnyPiece[]): void;
  sync(what: Sync): Durable;
}

export function createPending(persistence: Persistence): Pending {
  // A new list for each change: who holds one keeps it.
  let pieces: readonly AnyPiece[] = [];
  let entries = 0;
  const countOf = (some: readonly AnyPiece[]): number => some.filter(({ kind }) => kind === 'entry').length;
  return {
    get pieces() {
      return pieces;
    },
    get entries() {
      return entries;
    },
    add: (more) => {
      if (more.length === 0) return;
      pieces = [...pieces, ...more];
      entries += countOf(more);
    },
    sync: (what) => {
      if (pieces.length === 0) return [];
      const commits = what === 'folder' || (persistence === 'ext4' && commitsJournal(what, pieces));
      const isCovered = (one: AnyPiece): boolean =>
        what === 'everything' || (one.kind === 'entry' ? commits : one.inode === what);
      const durable = pieces.filter(isCovered);
      if (durable.length > 0) pieces = pieces.filter((one) => !isCovered(one));
      entries -= countOf(durable);
      return durable;
    },
  };
}

/** The size of a file, and the entry that tells of it, are in one transaction of the journal with all entries so far. */
function commitsJournal(what: Inode | 'folder' | 'everything', pieces: readonly AnyPiece[]): boolean {
  return pieces.some((one) => one.kind !== 'data' && one.inode === what);
}

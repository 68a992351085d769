/**
 * What a call changes, in pieces that persist or do not, and which of them a sync makes durable. Pure.
 *
 * A file is an inode: pieces of size and data belong to it whatever its names are, and names are pieces of their own.
 */

/** Numbers of files, in the order in which they came. */
export type Inode = number;
export type Persistence = 'strictest' | 'ext4';

interface Common {
  /** Among all pieces of the trace, from 0. */
  readonly id: number;
  /** The item that made it, from 1. */
  readonly item: number;
  /** What it is, in words. */
  readonly words: string;
}

export interface EntryPiece extends Common {
  readonly is: 'entry';
  /** Names with the file that each leads to from then on; null where it is gone. */
  readonly sets: readonly (readonly [name: string, inode: Inode | null])[];
  /** The file of which it tells. */
  readonly of: Inode;
}

export interface SizePiece extends Common {
  readonly is: 'size';
  readonly of: Inode;
  readonly size: number;
}

export interface DataPiece extends Common {
  readonly is: 'data';
  readonly of: Inode;
  readonly at: number;
  readonly bytes: Buffer;
}

export type Piece = EntryPiece | SizePiece | DataPiece;

/** Of one file, of the folder, or of everything. */
export type Sync = { readonly of: Inode } | 'folder' | 'everything';

/** What a sync does not cover of what was pending before it. */
export function left(pending: readonly Piece[], sync: Sync, persistence: Persistence): Piece[] {
  if (sync === 'everything') return [];
  const isOfFile = (piece: Piece): boolean => sync !== 'folder' && piece.of === sync.of;
  const entries = sync === 'folder' || (persistence === 'ext4' && pending.some((piece) => commits(piece) && isOfFile(piece)));
  return pending.filter((piece) => (piece.is === 'entry' ? !entries : !isOfFile(piece)));
}

/** What takes the transaction of a journal along when its file is synced. */
function commits({ is }: Piece): boolean {
  return is !== 'data';
}

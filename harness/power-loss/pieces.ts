/**
 * What one item of a trace changes: pieces, each of which a power loss may leave or not; and what an item makes durable. Pure.
 */

/** A file, whatever its names: its number. */
export type Inode = number;

interface Piece {
  /** The number of the item. */
  readonly item: number;
  readonly inode: Inode;
  /** The name by which the item knew the file, for people. */
  readonly name: string;
}

export interface EntryPiece extends Piece {
  readonly kind: 'entry';
  /** All at once; null takes the name away. */
  readonly names: readonly (readonly [name: string, inode: Inode | null])[];
}

export interface SizePiece extends Piece {
  readonly kind: 'size';
  readonly size: number;
}

export interface DataPiece extends Piece {
  readonly kind: 'data';
  readonly at: number;
  readonly length: number;
  /** Empty where only counts are wanted. */
  readonly bytes: Buffer;
}

export type AnyPiece = EntryPiece | SizePiece | DataPiece;

/** What a sync covers: everything, the names, or one file. */
export type Sync = 'everything' | 'folder' | Inode;

export interface Request {
  readonly item: number;
  readonly method: string;
  readonly path: string;
  /** Empty without one. */
  readonly key: string;
}

export interface Effect {
  readonly pieces: readonly AnyPiece[];
  readonly sync: Sync | null;
  readonly request: Request | null;
}

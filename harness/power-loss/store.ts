/**
 * The files of a state: what is durable, changed by what is kept of the pending pieces. Pure.
 *
 * Names and contents are told apart, and a sync covers all pending entries, or all that is pending of a file: so what is durable comes
 * before what is pending, of the names and of each file, and a file is made once for each choice of its own pieces.
 */
import { type Change, type Content, changed, emptyContent } from './content.js';
import type { AnyPiece, Inode } from './pieces.js';
import type { Keeping } from './rules.js';

export interface Store {
  makeDurable(pieces: readonly AnyPiece[]): void;
  filesWith(pending: readonly AnyPiece[], kept: readonly Keeping[]): Map<string, Content>;
}

/** What is kept of the pending pieces of one file. */
interface Kept {
  /** Of each change: its name behind those of the changes before it. */
  readonly keys: string[];
  readonly changes: Change[];
}

/** So many blocks are referred to by what is remembered of one file; then it is forgotten. */
const mostRemembered = 1 << 20;
/** A name is as long as there are changes: to look for more of them takes longer than to make the changes again. */
const mostSteps = 8;

export function createStore(begun: readonly (readonly [string, Content])[]): Store {
  const names = new Map<string, Inode>(begun.map(([name], inode) => [name, inode]));
  const contents = new Map<Inode, Content>(begun.map(([, content], inode) => [inode, content]));
  const remembered = new Map<Inode, { blocks: number; made: Map<string, Content> }>();
  const durable = (inode: Inode): Content => contents.get(inode) ?? emptyContent;

  const make = (inode: Inode, { keys, changes }: Kept): Content => {
    let memory = remembered.get(inode);
    if (memory === undefined || memory.blocks > mostRemembered) remembered.set(inode, (memory = { blocks: 0, made: new Map() }));
    const key = keys.at(-1) ?? '';
    const known = memory.made.get(key);
    if (known !== undefined) return known;
    // The changes come one after another, so what was made of all but the last few is where those go on.
    let done = keys.length - 1;
    let before: Content | undefined;
    for (; done > 0 && keys.length - done <= mostSteps; done--)
      if ((before = memory.made.get(keys[done - 1] ?? '')) !== undefined) break;
    const content = changed(before ?? durable(inode), before === undefined ? changes : changes.slice(done));
    memory.made.set(key, content);
    memory.blocks += content.blocks.length;
    return content;
  };

  return {
    makeDurable: (pieces) => {
      const touched = new Map<Inode, Change[]>();
      for (const piece of pieces) {
        if (piece.kind === 'entry') rename(names, piece.names);
        else listIn(touched, piece.inode).push(changeBy(piece, true));
      }
      for (const [inode, changes] of touched) {
        contents.set(inode, changed(durable(inode), changes));
        remembered.delete(inode);
      }
    },
    filesWith: (pending, kept) => {
      const named = new Map(names);
      const changes = new Map<Inode, Kept>();
      for (const [place, piece] of pending.entries()) {
        const keep = kept[place] ?? false;
        if (keep === false) continue;
        if (piece.kind === 'entry') rename(named, piece.names);
        else {
          const { inode, item, kind } = piece;
          let own = changes.get(inode);
          if (own === undefined) changes.set(inode, (own = { keys: [], changes: [] }));
          own.keys.push(`${own.keys.at(-1) ?? ''} ${kind}${item}${keep === true ? '' : `:${keep.join(';')}`}`);
          own.changes.push(changeBy(piece, keep));
        }
      }
      const files = new Map<string, Content>();
      for (const [name, inode] of named) {
        const own = changes.get(inode);
        files.set(name, own === undefined ? durable(inode) : make(inode, own));
      }
      return files;
    },
  };
}

function rename(names: Map<string, Inode>, changes: readonly (readonly [string, Inode | null])[]): void {
  for (const [name, inode] of changes) {
    if (inode === null) names.delete(name);
    else names.set(name, inode);
  }
}

function changeBy(piece: Exclude<AnyPiece, { kind: 'entry' }>, keep: Exclude<Keeping, false>): Change {
  if (piece.kind === 'size') return { kind: 'size', size: piece.size };
  return { kind: 'data', at: piece.at, bytes: piece.bytes, ranges: keep === true ? null : keep };
}

function listIn<Key, Item>(lists: Map<Key, Item[]>, key: Key): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

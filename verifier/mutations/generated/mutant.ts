/**
 * A site → a mutant: the bundle with the break in it, all traces covered, and the bag listed again. What changed nothing is none.
 */
import { fileSha256, textSha256 } from '../../read/hash.js';
import type { Tree } from '../../read/tree.js';
import { Editor } from '../editor.js';
import type { Good, Site } from './operator.js';

export interface Mutant {
  readonly tree: Tree;
  /** Files that differ, are gone or are new, but for the bag's own lists. */
  readonly changed: readonly string[];
  /** Of the changed files: equal digests are one mutant. */
  readonly digest: string;
}

/** Null where nothing changed. */
export function mutantOf({ tree, memory }: Good, site: Site): Mutant | null {
  const editor = new Editor(tree, memory);
  site.apply(editor);
  const changed = changedIn(tree, editor.tree);
  if (changed.length === 0) return null;
  const lines = changed.map((path) => `${path} ${hashOf(editor.files.get(path))}\n`);
  editor.repin();
  return { tree: editor.tree, changed, digest: textSha256(lines.join('')) };
}

function changedIn({ files: before }: Tree, { files: after }: Tree): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => !isSame(before.get(path), after.get(path))).sort();
}

/** Every document is canonical, or pinned by its hash: other bytes are another meaning. */
function isSame(before: Buffer | undefined, after: Buffer | undefined): boolean {
  return before === after || (before !== undefined && after !== undefined && before.equals(after));
}

function hashOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? 'gone' : fileSha256(bytes);
}

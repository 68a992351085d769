/**
 * A row of the table of hostile bundles: a good bundle, what is done to it, and by hand what a verifier must say of it. What is done to the
 * contents is covered by a new list, so that only the content can be caught; what is done to the folder is not, since a list cannot hold it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FindingCode } from '../../checks/check.js';
import { Editor } from '../../mutations/editor.js';
import type { Tree } from '../../read/tree.js';
import { goodBundle } from '../bundle.js';
import { goodSessions } from '../sessions/bundle.js';

export interface Hostile {
  readonly what: string;
  /** Calls, where nothing is said. */
  readonly of?: 'calls' | 'sessions';
  /** In memory; the bag is listed again afterwards. */
  readonly edit?: (editor: Editor) => void;
  /** In the folder, and the list stays as it is. */
  readonly disk?: (folder: string) => void;
  readonly exit: 0 | 1 | 2 | 64;
  /** Every code that is found, once. */
  readonly codes?: readonly FindingCode[];
  /** The place of the first finding; null where it is of a whole case, which says less. */
  readonly at?: string | null;
  /** What must be said somewhere: the reason of what is unknown, or the sentence of what was refused. */
  readonly says?: RegExp;
  /** Only root can make it. */
  readonly asRoot?: true;
  /** Read by somebody who owns nothing. */
  readonly readByNobody?: true;
  /** Where it is more than the bound of most. */
  readonly within?: { readonly mebibytes?: number; readonly seconds?: number };
}

/** As few as hold the controls: what is done to a bundle is done to one file of it, and a hundred bundles are judged. */
const cases = ['control', 'held'];
const goods: Partial<Record<'calls' | 'sessions', Tree>> = {};

export function goodOf(of: 'calls' | 'sessions'): Tree {
  return (goods[of] ??= of === 'calls' ? goodBundle(cases) : goodSessions(cases));
}

/** Puts the bundle into a folder that is there. */
export function put({ of = 'calls', edit, disk }: Hostile, folder: string): void {
  const editor = new Editor(goodOf(of));
  edit?.(editor);
  if (edit !== undefined) editor.repin();
  for (const [path, bytes] of editor.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  disk?.(folder);
}

/** The state of the case that runs on, which nothing was done to. */
export const snapshotFolder = 'data/cases/control/producer/';

/** Negative tests name the code: which rule fired matters as much as that one did. */
import { expect } from 'vitest';
import type { Verdict } from '../contract/types.js';
import { Memory } from '../read/memory.js';
import type { Tree } from '../read/tree.js';
import { verify } from '../verdict.js';
import { Editor } from '../mutations/editor.js';
import { goodBundle } from './bundle.js';

let good: Tree | undefined;
/** The variants of one bundle have most of their bytes in common. */
const memory = new Memory();

/** A copy of the good bundle after a change, re-pinned, so that only meaning can tell. */
export function changed(change: (editor: Editor) => void): Tree {
  good ??= goodBundle();
  const editor = new Editor(good, memory);
  change(editor);
  editor.repin();
  return editor.tree;
}

/** The verdict on a variant of the good bundle. */
export function judged(tree: Tree): Verdict {
  return verify(tree, memory).verdict;
}

export function codesOf(tree: Tree): string[] {
  return [...new Set(judged(tree).findings.map(({ code }) => code))].sort();
}

export function expectFindings(change: (editor: Editor) => void, ...codes: string[]): void {
  const verdict = judged(changed(change));
  expect([...new Set(verdict.findings.map(({ code }) => code))].sort(), JSON.stringify(verdict.findings.slice(0, 5))).toEqual(
    [...codes].sort(),
  );
  expect(verdict.verdict).toBe('invalid');
}

export function snapshot(editor: Editor, caseId: string, name = 'producer') {
  const found = editor.find((one) => one.caseId === caseId && one.name === name);
  if (found === undefined) throw new Error(`The good bundle has no ${caseId}/${name}.`);
  return found;
}

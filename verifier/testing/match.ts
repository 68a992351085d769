/** Negative tests name the code: which rule fired matters as much as that one did. */
import { expect } from 'vitest';
import type { Tree } from '../read/tree.js';
import { verify } from '../verdict.js';
import { Editor } from '../mutations/editor.js';
import { goodBundle } from './bundle.js';

let good: Tree | undefined;

/** A copy of the good bundle after a change, re-pinned, so that only meaning can tell. */
export function changed(change: (editor: Editor) => void): Tree {
  good ??= goodBundle();
  const editor = new Editor(good);
  change(editor);
  editor.repin();
  return editor.tree;
}

export function codesOf(tree: Tree): string[] {
  return [...new Set(verify(tree).verdict.findings.map(({ code }) => code))].sort();
}

export function expectFindings(change: (editor: Editor) => void, ...codes: string[]): void {
  const { verdict } = verify(changed(change));
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

/** Negative tests name the code: which rule fired matters as much as that one did. */
import { expect } from 'vitest';
import type { Verdict } from '../contract/types.js';
import { Memory } from '../read/memory.js';
import type { Tree } from '../read/tree.js';
import { verify } from '../verdict.js';
import { breakOnce, type CorruptionResult } from '../mutations/corrupt.js';
import { Editor } from '../mutations/editor.js';
import { goodBundle } from './bundle.js';

/** What a test does with one good bundle. */
export function against(make: () => Tree) {
  let good: Tree | undefined;
  /** The variants of one bundle have most of their bytes in common. */
  const memory = new Memory();
  const changed = (change: (editor: Editor) => void): Tree => {
    good ??= make();
    const editor = new Editor(good, memory);
    change(editor);
    editor.repin();
    return editor.tree;
  };
  const judged = (tree: Tree): Verdict => verify(tree, memory).verdict;
  return {
    /** A copy of the good bundle after a change, re-pinned, so that only meaning can tell. */
    changed,
    /** The verdict on a variant of the good bundle. */
    judged,
    /** What becomes of the good bundle when a mutation breaks it. */
    broken: (operator: Parameters<typeof breakOnce>[1]): CorruptionResult | null =>
      breakOnce((good ??= make()), operator, memory),
    codesOf: (tree: Tree): string[] => [...new Set(judged(tree).findings.map(({ code }) => code))].sort(),
    expectFindings(change: (editor: Editor) => void, ...codes: string[]): void {
      const verdict = judged(changed(change));
      const found = [...new Set(verdict.findings.map(({ code }) => code))].sort();
      expect(found, JSON.stringify(verdict.findings.slice(0, 5))).toEqual([...codes].sort());
      expect(verdict.verdict).toBe('invalid');
    },
  };
}

export const { broken, changed, judged, codesOf, expectFindings } = against(goodBundle);

export function snapshot(editor: Editor, caseId: string, name = 'producer') {
  const found = editor.findAny((one) => one.caseId === caseId && one.name === name);
  if (found === undefined) throw new Error(`The good bundle has no ${caseId}/${name}.`);
  return found;
}

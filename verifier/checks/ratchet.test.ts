/** What a ratchet stands for, and a state that was never finished, on the small bundle. */
import { describe, expect, it } from 'vitest';
import type { Editor } from '../mutations/editor.js';
import { changed, codesOf, snapshot } from '../testing/match.js';

const codes = (change: (editor: Editor) => void): string[] => codesOf(changed(change));
const target = (editor: Editor, name: string) => snapshot(editor, 'ratchet', name);

describe('a ratchet', () => {
  it('that lacks a point is missed', () =>
    expect(
      codes((editor) => {
        for (const path of [...editor.files.keys()]) if (path.includes('/ratchet/syncs-fsync-1-end/')) editor.files.delete(path);
      }),
    ).toContain('case-missing'));

  it('that left out the run behind its last call is missed', () =>
    expect(
      codes((editor) => {
        for (const path of [...editor.files.keys()]) if (path.includes('/ratchet/syncs-fdatasync-4/')) editor.files.delete(path);
      }),
    ).toContain('case-missing'));
});

describe('a state that was never finished', () => {
  it('is no ledger that is damaged', () => expect(codes(() => undefined)).toEqual([]));

  it('is not excused where its ledger holds an event', () =>
    expect(
      codes((editor) => {
        const [from, to] = ['syncs-fdatasync-2', 'syncs-fsync-1'].map((name) => target(editor, name));
        if (from === undefined || to === undefined) return;
        for (const name of ['ledger.sqlite', 'ledger.sqlite-wal'])
          editor.files.set(to.file(`state/${name}`), editor.bytes(from.file(`state/${name}`)));
        editor.coverFiles(to);
      }),
    ).toContain('record-malformed'));

  it('is not excused where it holds what no creation leaves', () =>
    expect(
      codes((editor) => {
        const to = target(editor, 'syncs-fsync-1');
        editor.files.set(to.file('state/notes.txt'), Buffer.from('mine'));
        editor.coverFiles(to);
      }),
    ).toContain('state-malformed'));

  it('is told by its inspector by the right name', () =>
    expect(
      codes((editor) =>
        editor.inspection(target(editor, 'syncs-fsync-1'), ({ refusal }) => {
          if (refusal !== null) refusal.error = 'StateAbsent';
        }),
      ),
    ).toEqual(['inspection-changed-state']));

  it('sent nothing', () =>
    expect(
      codes((editor) => {
        const [from, to] = [target(editor, 'syncs-fsync-1-end'), target(editor, 'syncs-fsync-1')];
        editor.files.set(to.file('receipts.jsonl'), editor.bytes(from.file('receipts.jsonl')));
        editor.seal(to);
      }),
    ).toContain('receipt-unintended'));

  it('is not one that another kill left', () =>
    expect(
      codes((editor) => void editor.files.delete(snapshot(editor, 'first', 'producer').file('state/format.json'))),
    ).toContain('record-malformed'));
});

/** What a check of sessions cannot see is unknown: one way for every guarantee, and never a pass in the whole. */
import { describe, expect, it } from 'vitest';
import type { Editor } from '../../mutations/editor.js';
import { snapshot } from '../../testing/match.js';
import { changed, judged } from '../../testing/sessions/match.js';
import { checksOf } from '../all.js';

const without =
  (caseId: string, name: string, file: string) =>
  (editor: Editor): void =>
    void editor.files.delete(snapshot(editor, caseId, name).file(file));

const log = 'state/session.wal';

const rows: [guarantee: string, scope: string, what: string, change: (editor: Editor) => void][] = [
  ['G33', 'started', 'nothing of an arm is there', (editor) => removeBelow(editor, 'data/cases/started/resume/')],
  ['G34', 'control', 'the log is not there', without('control', 'producer', log)],
  ['G35', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G36', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G37', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G38', 'held', 'the log that it is to close out is not there', without('held', 'producer', log)],
  ['G39', 'approval', 'the log is not there', without('approval', 'approve-resume', log)],
  ['G40', 'inbox', 'the log is not there', without('inbox', 'producer', log)],
  ['G41', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G42', 'control', 'the inspection is not there', without('control', 'producer', 'inspection.json')],
  ['G43', 'started', 'the answer of who refused is not there', without('started', 'drift', 'answer.json')],
  ['G44', 'raced', 'the answer of a racer is not there', without('raced', 'answers', 'members/racer-2/answer.json')],
];

describe('unknown', () => {
  it('can be every guarantee that only a session has', () => {
    const calls = new Set(checksOf('calls/v1').map(({ guarantee }) => guarantee));
    const own = checksOf('sessions/v1').filter(({ guarantee }) => !calls.has(guarantee));
    expect(rows.map(([guarantee]) => guarantee)).toEqual(own.map(({ guarantee }) => guarantee));
  });

  it.each(rows)('is %s of %s where %s', (guarantee, scope, _what, change) => {
    const verdict = judged(changed(change));
    expect(verdict.results.filter((one) => one.guarantee === guarantee && one.scope === scope)).toMatchObject([
      { result: 'unknown', reason: expect.stringMatching(/\.$/) as string },
    ]);
    expect(verdict.verdict).not.toBe('valid');
  });

  it('is whatever asks for a log that no reader takes whole, and G33 says why', () => {
    const verdict = judged(
      changed((editor) => {
        const path = snapshot(editor, 'control').file(log);
        editor.files.set(path, Buffer.from(editor.bytes(path)).fill(0, 40, 60));
        editor.coverFiles(snapshot(editor, 'control'));
      }),
    );
    const of = (guarantee: string) => verdict.results.find((one) => one.guarantee === guarantee && one.scope === 'control');
    expect(of('G33')?.result).toBe('broken');
    for (const guarantee of ['G25', 'G34', 'G35', 'G36', 'G37', 'G38', 'G40', 'G41', 'G42'])
      expect(of(guarantee), guarantee).toMatchObject({ result: 'unknown', seen: 0 });
  });

  it('is a guarantee that saw nothing where the plan lets it expect something', () => {
    const verdict = judged(changed((editor) => editor.receipts(snapshot(editor, 'control'), () => [])));
    const of = (guarantee: string) => verdict.results.find((one) => one.guarantee === guarantee && one.scope === 'control');
    expect(of('G36')).toMatchObject({ result: 'unknown', expected: 1, seen: 0 });
    expect(of('G39')).toMatchObject({ result: 'not_applicable', expected: 0, seen: 0 });
  });
});

function removeBelow(editor: Editor, folder: string): void {
  for (const path of editor.files.keys()) if (path.startsWith(folder)) editor.files.delete(path);
}

/** What a check cannot see is unknown: one way for every guarantee, and never a pass in the whole. */
import { changeEvents, coverAll } from '../mutations/calls/edits.js';
import { describe, expect, it } from 'vitest';
import type { Editor } from '../mutations/editor.js';
import { changed, judged, snapshot } from '../testing/match.js';
import { checksOf } from './all.js';

const without =
  (caseId: string, name: string, ...files: string[]) =>
  (editor: Editor): void => {
    const target = snapshot(editor, caseId, name);
    for (const file of files) editor.files.delete(target.file(file));
  };
const withoutLedger = (caseId: string, name = 'producer') =>
  without(caseId, name, 'state/ledger.sqlite', 'state/ledger.sqlite-wal');

const rename =
  (types: readonly string[], member: string) =>
  (editor: Editor): void => {
    const target = snapshot(editor, 'control');
    changeEvents(editor, target, (events) => {
      for (const { type, payload } of events)
        if (types.includes(type)) payload[member] = { ...(payload[member] as object), name: 'another' };
    });
    coverAll(editor, target);
  };

const rows: [guarantee: string, scope: string, what: string, change: (editor: Editor) => void][] = [
  ['G1', 'bundle', 'a file that every run has is not there', without('first', 'producer', 'process.json')],
  ['G2', 'bundle', 'a record of what ran is not there', without('first', 'producer', 'process.json')],
  ['G3', 'bundle', 'a case was not selected', (editor) => select(editor, 'first')],
  ['G4', 'bundle', 'the case of a control was not selected', (editor) => select(editor, 'control')],
  ['G5', 'first', 'the record of the process is not there', without('first', 'producer', 'process.json')],
  ['G6', 'first', 'the record of an inspector is not there', without('first', 'producer', 'inspector.json')],
  ['G7', 'first', 'the record of the process is not there', without('first', 'producer', 'process.json')],
  ['G8', 'first', 'nothing of an arm is there', (editor) => removeBelow(editor, 'data/cases/first/resume/')],
  ['G9', 'first', 'the receipts that an arm began with are not there', without('first', 'producer', 'receipts.jsonl')],
  ['G10', 'control', 'the ledger is not there', withoutLedger('control')],
  ['G11', 'control', 'the compiler is not known', rename(['context.compilation_requested'], 'compiler')],
  ['G12', 'control', 'the interpreter is not known', rename(['call.manifest', 'attempt.interpreted'], 'interpreter')],
  ['G13', 'honoured', 'the ledger is not there', withoutLedger('honoured')],
  ['G14', 'honoured', 'the ledger is not there', withoutLedger('honoured')],
  ['G15', 'first', 'the inspection is not there', without('first', 'producer', 'inspection.json')],
  ['G16', 'first', 'the inspection is not there', without('first', 'producer', 'inspection.json')],
  ['G17', 'first', 'the record of an inspector is not there', without('first', 'producer', 'inspector.json')],
  ['G18', 'first', 'the receipts are not there', without('first', 'producer', 'receipts.jsonl')],
  ['G19', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G20', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G21', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G22', 'first', 'the ledger is not there', withoutLedger('first', 'resume')],
  [
    'G23',
    'control',
    'nothing guarded the egress',
    (editor) => editor.answer(snapshot(editor, 'control'), ({ egress }) => void (egress.mechanism = 'none')),
  ],
  ['G24', 'control', 'the answer is not there', without('control', 'producer', 'answer.json')],
  ['G25', 'first', 'the ledger is not there', withoutLedger('first', 'resume')],
  ['G26', 'control', 'the receipts are not there', without('control', 'producer', 'receipts.jsonl')],
  ['G27', 'asked', 'the receipts are not there', without('asked', 'recover', 'receipts.jsonl')],
  ['G28', 'accepted', 'the ledger is not there', withoutLedger('accepted', 'retry')],
  ['G29', 'again', 'the answer is not there', without('again', 'finalize', 'answer.json')],
  ['G30', 'raced', 'the answer of a racer is not there', without('raced', 'race', 'members/racer-2/answer.json')],
  ['G31', 'drifted', 'the ledger is not there', withoutLedger('drifted', 'same')],
  ['G32', 'again', 'the ledger that it is to end as is not there', withoutLedger('again', 'finalize')],
  ['G45', 'ratchet', 'the trace is not there', without('ratchet', 'syncs', 'trace.txt')],
  ['G46', 'lost', 'the counts are not there', without('lost', 'power', 'derivation.json')],
  ['G47', 'lost', 'what the subject found is not there', without('lost', 'power', 'states.jsonl')],
  ['G48', 'fault', 'the trace is not there', without('fault', 'disk', 'trace.txt')],
];

describe('unknown', () => {
  it('can be every guarantee', () =>
    expect(rows.map(([guarantee]) => guarantee)).toEqual(checksOf('calls/v1').map(({ guarantee }) => guarantee)));

  it.each(rows)('is %s of %s where %s', (guarantee, scope, _what, change) => {
    const verdict = judged(changed(change));
    expect(verdict.results.filter((one) => one.guarantee === guarantee && one.scope === scope)).toMatchObject([
      { result: 'unknown', reason: expect.stringMatching(/\.$/) as string },
    ]);
    expect(verdict.verdict).not.toBe('valid');
  });

  it('is a guarantee that saw nothing where the plan lets it expect something', () => {
    const verdict = judged(
      changed((editor) => {
        editor.receipts(snapshot(editor, 'control'), () => []);
      }),
    );
    const of = (guarantee: string) => verdict.results.find((one) => one.guarantee === guarantee && one.scope === 'control');
    expect(of('G19')).toMatchObject({ result: 'unknown', expected: 1, seen: 0 });
    expect(of('G9')).toMatchObject({ result: 'not_applicable', expected: 0, seen: 0 });
  });
});

function select(editor: Editor, leftOut: string): void {
  const selected = editor.bundle.cases.map(({ id }) => id).filter((id) => id !== leftOut);
  removeBelow(editor, `data/cases/${leftOut}/`);
  editor.execution((value) => void (value.selected = selected));
}

function removeBelow(editor: Editor, folder: string): void {
  for (const path of editor.files.keys()) if (path.startsWith(folder)) editor.files.delete(path);
}

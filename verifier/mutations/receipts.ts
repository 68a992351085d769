/** Breaks in the receipts. Numbers, digests and the provider's seal are made good again, except where they are what is broken. */
import type { Editor, Line, Mutation } from './editor.js';
import { duplicated, onPlace, type Families, type Place } from './places.js';

type Lines = Parameters<Parameters<Editor['receipts']>[1]>[0];

export const receiptMutations = (completed: Place) => {
  const onReceipts = (name: string, change: (lines: Lines) => Line[] | void): Mutation =>
    onPlace(completed, name, ['receipt-malformed'], (editor, target) => editor.receipts(target, change));
  return {
    'receipt-malformed': [
      onPlace(completed, 'a line differs from its digest', ['receipt-malformed'], (editor, target) => {
        editor.text(target.file('receipts.jsonl'), (text) => text.replace(/"at":"2/, '"at":"1'));
        editor.seal(target);
      }),
      onReceipts('a request was settled before it was received', (lines) => {
        for (const line of lines) if (line.kind === 'settled') line.monotonic_ns = '0';
      }),
      onReceipts('a header has another key than the line', (lines) => {
        for (const line of lines) if (line.kind === 'received') line.headers['idempotency-key'] = 'another';
      }),
      onReceipts('effects are not numbered from 1', (lines) => {
        const last = lines.findLast((line) => line.kind === 'settled' && line.effect?.replayed === false);
        if (last?.kind === 'settled' && last.effect !== null) last.effect.effect_id = 'effect-99';
      }),
    ],
    'receipts-unsealed': [
      onPlace(completed, 'the provider closed another number of lines', ['receipts-unsealed'], (editor, target) =>
        editor.process(target, ({ receipts }) => void (receipts === null ? null : (receipts.lines += 1))),
      ),
      onPlace(completed, 'the provider never closed the log', ['receipts-unsealed'], (editor, target) =>
        editor.process(target, (value) => void (value.receipts = null)),
      ),
    ],
    'receipts-rewritten': [
      onPlace(duplicated, 'an inherited receipt was rewritten', ['receipts-rewritten'], (editor, target) =>
        editor.receipts(target, ([first]) => void (first === undefined ? null : (first.at = '2000-01-01T00:00:00.000Z'))),
      ),
    ],
  } satisfies Families;
};

/** Breaks in the receipts. Numbers, digests and the provider's seal are made good again, except where they are what is broken. */
import type { FindingCode } from '../checks/check.js';
import type { Snapshot } from '../read/bundle.js';
import type { Editor, Line, Mutation } from './editor.js';
import { duplicated, resumed } from './places.js';

type Lines = Parameters<Parameters<Editor['receipts']>[1]>[0];

function onReceipts(name: string, codes: readonly FindingCode[], change: (lines: Lines) => Line[] | void): Mutation {
  return onResumed(name, codes, (editor, target) => editor.receipts(target, change));
}

function onResumed(name: string, codes: readonly FindingCode[], change: (editor: Editor, target: Snapshot) => void): Mutation {
  return {
    name,
    codes,
    apply(editor) {
      const target = resumed(editor);
      if (target === undefined) return false;
      change(editor, target);
      return true;
    },
  };
}

export const receiptMutations = {
  'receipt-malformed': [
    onResumed('a line differs from its digest', ['receipt-malformed'], (editor, target) => {
      editor.text(target.file('receipts.jsonl'), (text) =>
        text
          .replace('"method":"POST"', '"method":"PUSH"')
          .replace('PUSH', 'POST')
          .replace(/"at":"2/, '"at":"1'),
      );
      editor.seal(target);
    }),
    onReceipts('a request was never settled', ['receipt-malformed', 'observation-mismatch', 'prediction-failed'], (lines) =>
      lines.filter(({ kind }) => kind === 'received'),
    ),
  ],
  'receipts-unsealed': [
    onResumed('the provider closed another number of lines', ['receipts-unsealed'], (editor, target) =>
      editor.process(target, ({ receipts }) => void (receipts === null ? null : (receipts.lines += 1))),
    ),
    onResumed('the provider never closed the log', ['receipts-unsealed'], (editor, target) =>
      editor.process(target, (value) => void (value.receipts = null)),
    ),
  ],
  'receipt-unintended': [
    // The seed's fourth: an effect that no ledger knows. Equal key and body, so that only counting tells.
    onReceipts('a receipt added', ['receipt-unintended', 'prediction-failed'], (lines) => [...lines, ...again(lines)]),
  ],
  'intent-unserved': [
    onReceipts(
      'the receipts of an answered attempt dropped',
      ['intent-unserved', 'observation-mismatch', 'prediction-failed'],
      () => [],
    ),
  ],
  'observation-mismatch': [
    onReceipts('the provider sent another response', ['observation-mismatch'], (lines) => {
      for (const line of lines) if (line.kind === 'settled') line.response_sha256 = '0'.repeat(64);
    }),
  ],
  'receipts-rewritten': [
    {
      name: 'an inherited receipt was rewritten',
      codes: ['receipts-rewritten'],
      apply(editor) {
        const target = duplicated(editor);
        if (target === undefined) return false;
        editor.receipts(target, ([first]) => void (first === undefined ? null : (first.at = '2000-01-01T00:00:00.000Z')));
        return true;
      },
    },
  ],
  'manifest-mismatch': [
    onReceipts('the request went to another path than the manifest says', ['manifest-mismatch'], (lines) => {
      for (const line of lines) if (line.kind === 'received') line.path = '/v1/completions';
    }),
  ],
} satisfies Record<string, readonly Mutation[]>;

/** The last request once more, without an effect of its own. */
function again(lines: Lines): Line[] {
  const received = lines.findLast((line) => line.kind === 'received');
  const settled = lines.findLast((line) => line.kind === 'settled');
  if (received === undefined || settled === undefined) return [];
  const request = received.request + 1;
  return [
    { ...structuredClone(received), request },
    { ...structuredClone(settled), request, effect: null },
  ];
}

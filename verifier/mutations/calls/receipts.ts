/** Breaks in the receipts that only a ledger gives away. Numbers, digests and the provider's seal are made good again. */
import type { FindingCode } from '../../checks/check.js';
import type { Editor, Line, Mutation } from '../editor.js';
import { onPlace, type Families } from '../places.js';
import { completed } from './places.js';

type Lines = Parameters<Parameters<Editor['receipts']>[1]>[0];

function onReceipts(name: string, codes: readonly FindingCode[], change: (lines: Lines) => Line[] | void): Mutation {
  return onPlace(completed, name, codes, (editor, target) => editor.receipts(target, change));
}

export const callsReceiptMutations = {
  'receipt-malformed': [
    onReceipts('a request was never settled', ['receipt-malformed', 'observation-mismatch', 'prediction-failed'], (lines) =>
      lines.filter(({ kind }) => kind === 'received'),
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
  'manifest-mismatch': [
    onReceipts('a request was not sent as JSON', ['manifest-mismatch'], (lines) => {
      for (const line of lines) if (line.kind === 'received') line.headers['content-type'] = 'text/plain';
    }),
    // The provider serves it as it serves the path without a query; the manifest names another one.
    onReceipts('the request went to another path than the manifest says', ['manifest-mismatch'], (lines) => {
      for (const line of lines) if (line.kind === 'received') line.path += '?again=1';
    }),
  ],
} satisfies Families;

/** The last request once more, with an effect of its own. */
function again(lines: Lines): Line[] {
  const received = lines.findLast((line) => line.kind === 'received');
  const settled = lines.findLast((line) => line.kind === 'settled');
  if (received === undefined || settled?.effect == null) return [];
  const request = received.request + 1;
  const number = Number(settled.effect.effect_id.replace('effect-', '')) + 1;
  return [
    { ...structuredClone(received), request, monotonic_ns: settled.monotonic_ns },
    { ...structuredClone(settled), request, effect: { ...settled.effect, effect_id: `effect-${number}` } },
  ];
}

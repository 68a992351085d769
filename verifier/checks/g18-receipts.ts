/**
 * G18: The receipt log is whole: canonical lines with their own digests, gapless numbers, in the order of the provider's clock, one
 * `received` and one `settled` for each request, closed by the provider with the length and hash in the record.
 * Verified: every line; bytes, lines and hash against what the provider answered at the close.
 * Not verified: that the provider served what it says; nothing outside it could tell.
 */
import { fileSha256 } from '../read/hash.js';
import type { Snapshot } from '../read/bundle.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { plannedQuestions, plannedReceipts } from './derived.js';

export const g18: CaseCheck = {
  guarantee: 'G18',
  sentence:
    'The receipt log is whole: canonical lines with their own digests, gapless numbers, in the order of the provider\u2019s clock, one `received` and one `settled` for each request, closed by the provider with the length and hash in the record.',
  covers: 'every line of every log; length and hash at the close',
  doesNotCover: 'whether the provider did what it wrote',
  codes: ['receipt-malformed', 'receipts-unsealed'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedLogs, (snapshot, say) => {
      const log = need(snapshot.receipts);
      const file = snapshot.file('receipts.jsonl');
      for (const { line, detail } of log.problems) say('receipt-malformed', detail, { file, seq: line });
      const sealed = need(snapshot.closed);
      const isOne =
        sealed?.bytes === log.bytes.length && sealed.lines === log.lineCount && sealed.sha256 === fileSha256(log.bytes);
      if (sealed === null) say('receipts-unsealed', 'The provider did not close the log.', { file });
      else if (!isOne) say('receipts-unsealed', 'The log is not the one that the provider closed.', { file });
      return 1 + log.all.length + log.delayed.length;
    }),
};

/** Every request and question, and the seal, which an empty log has too. */
function plannedLogs(snapshot: Snapshot): number {
  return 1 + plannedReceipts(snapshot) + plannedQuestions(snapshot);
}

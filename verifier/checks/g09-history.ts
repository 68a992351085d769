/**
 * G9: An arm only adds: the record and the receipts it began with are an exact prefix of those it ended with.
 * Verified: every entry by digest, every content by hash, every byte of the receipt log; also in a folder that was moved away. A torn tail
 * that an arm cuts off before it appends is no entry.
 * Not verified: that the copy given to the arm was made of the killed state; the digests say so.
 */
import type { Snapshot } from '../read/bundle.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { plannedEvents, plannedReceipts } from './derived.js';

export const g09: CaseCheck = {
  guarantee: 'G9',
  sentence: 'An arm only adds: the record and the receipts it began with are an exact prefix of those it ended with.',
  covers: 'events by digest, artifacts by hash, receipts byte for byte',
  doesNotCover: 'files beside ledger and receipts',
  codes: ['history-rewritten', 'receipts-rewritten'],
  scope: 'case',
  check: ({ snapshots }, _bundle, model) =>
    perSnapshot(
      snapshots.filter(({ base }) => base !== undefined),
      ({ base, states }) => (base === undefined ? 0 : states.length * plannedEvents(base) + plannedReceipts(base)),
      (snapshot, say) => {
        const base = snapshot.base as Snapshot;
        const before = need(model.record(base.state));
        for (const state of snapshot.states) {
          const [after, file] = [need(model.record(state)), model.logFile(state)];
          const changed = before.entries.find(({ digest }, index) => after.entries[index]?.digest !== digest);
          if (changed !== undefined)
            say('history-rewritten', 'An entry that the arm began with is not there as it was.', { file, seq: changed.seq });
          if ([...before.contents.keys()].some((hash) => !after.contents.has(hash)))
            say('history-rewritten', 'A content that the arm began with is gone.', { file });
        }
        const [first, whole] = [need(base.receipts), need(snapshot.receipts)];
        if (!whole.bytes.subarray(0, first.bytes.length).equals(first.bytes)) {
          say('receipts-rewritten', 'The receipts that the arm began with are not there as they were.', {
            file: snapshot.file('receipts.jsonl'),
          });
        }
        return snapshot.states.length * before.entries.length + first.requests.length;
      },
    ),
};

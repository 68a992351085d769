/**
 * G19: Every receipt has an intent: an attempt started under the same key with the same body hash.
 * Verified: by count, not by existence: one started attempt explains one request, and one recorded as not sent explains none.
 * Not verified: which of several equal attempts made which request.
 */
import { groupBy, intentsOf, requestMatch } from '../model/effects.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { historyIn, plannedReceipts } from './derived.js';

export const g19: CaseCheck = {
  guarantee: 'G19',
  sentence: 'Every receipt has an intent: an attempt started under the same key with the same body hash.',
  covers: 'every request in every receipt log, counted against the attempts that may have sent it',
  doesNotCover: 'which of several equal attempts made which request',
  codes: ['receipt-unintended'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedReceipts, (snapshot, say) => {
      const sendable = intentsOf(historyIn(snapshot)).filter(({ attempt }) => attempt.observed?.delivery !== 'not_sent');
      const intents = groupBy(sendable, ({ match }) => match);
      const received = need(snapshot.receipts).requests;
      for (const [match, requests] of groupBy(received, requestMatch)) {
        for (const { received: line } of requests.slice(intents.get(match)?.length ?? 0)) {
          say('receipt-unintended', 'The provider received a request that nobody recorded as intended.', {
            file: snapshot.file('receipts.jsonl'),
            seq: line.seq,
          });
        }
      }
      return received.length;
    }),
};

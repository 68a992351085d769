/**
 * G19: Every receipt has an intent: an attempt started under the same key with the same body hash.
 * Verified: by count, not by existence: one started attempt explains one request, and one recorded as not sent explains none. A request
 * that is on its way, or that a fence refused, was intended like any other; a look-up or a fence has no intent. What an owner had
 * recorded in a folder that was moved away from it counts too.
 * Not verified: which of several equal attempts made which request.
 */
import { groupBy, sentIn, sentMatch } from '../../model/effects.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { plannedReceipts } from '../derived.js';
import { recordedIntents } from './derived.js';

export const g19: CaseCheck = {
  guarantee: 'G19',
  sentence: 'Every receipt has an intent: an attempt started under the same key with the same body hash.',
  covers: 'every request in every receipt log, counted against the attempts that may have sent it',
  doesNotCover: 'which of several equal attempts made which request',
  codes: ['receipt-unintended'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedReceipts, (snapshot, say) => {
      const sendable = recordedIntents(snapshot).filter(({ attempt }) => attempt.observed?.delivery !== 'not_sent');
      const intents = groupBy(sendable, ({ match }) => match);
      const sent = sentIn(need(snapshot.receipts));
      for (const [match, lines] of groupBy(sent, sentMatch)) {
        for (const { seq } of lines.slice(intents.get(match)?.length ?? 0)) {
          say('receipt-unintended', 'The provider received a request that nobody recorded as intended.', {
            file: snapshot.file('receipts.jsonl'),
            seq,
          });
        }
      }
      return sent.length;
    }),
};

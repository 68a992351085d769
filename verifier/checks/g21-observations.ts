/**
 * G21: What the record says came back is what the provider says it sent.
 * Verified: every complete observation against an answered request of the same key and body, by status and by the hash of the
 * response bytes; each request explains one observation.
 * Not verified: broken deliveries, where both sides may rightly say different things.
 */
import { groupBy, intentsOf, requestMatch } from '../model/effects.js';
import { need, perSnapshot, type CaseCheck } from './check.js';
import { historyIn } from './derived.js';

export const g21: CaseCheck = {
  guarantee: 'G21',
  sentence: 'What the record says came back is what the provider says it sent.',
  covers: 'status and response hash of every complete observation',
  doesNotCover: 'broken deliveries',
  codes: ['observation-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, (snapshot, say) => {
      const answered = need(snapshot.receipts).requests.filter(({ settled }) => settled?.ended === 'answered');
      const sent = groupBy(
        answered,
        (request) => `${requestMatch(request)} ${request.settled?.status} ${request.settled?.response_sha256}`,
      );
      const complete = intentsOf(historyIn(snapshot)).filter(({ attempt }) => attempt.observed?.delivery === 'complete');
      const seen = groupBy(
        complete,
        ({ match, attempt: { observed } }) => `${match} ${observed?.status} ${observed?.response_sha256}`,
      );
      for (const [name, group] of seen) {
        for (const { attempt } of group.slice(sent.get(name)?.length ?? 0)) {
          const at = { file: snapshot.file('state/ledger.sqlite'), seq: attempt.observed?.seq ?? null };
          say('observation-mismatch', 'The provider sent no such response to this request.', at);
        }
      }
    }),
};

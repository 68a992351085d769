/**
 * G21: What the record says came back whole is what the provider says it answered, by status and by the hash of the bytes.
 * Verified: every complete observation against an answered request of the same key and body; each request explains one observation;
 * that nothing is recorded as received of a delivery that was not complete, and no reason of one that was; every response that was adopted on the provider's word
 * against what it sent, or would have sent, for an effect of the key and body.
 * Not verified: that a broken delivery was broken: the provider only knows that it handed its answer to the socket. A response that an
 * operator stated.
 */
import { groupBy, requestMatch } from '../../model/effects.js';
import { intentsOf } from '../../model/calls/intents.js';
import type { Attempt, Call, Reconciliation } from '../../model/calls/history.js';
import type { Snapshot } from '../../read/bundle.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';
import { historyIn, plannedCalls } from './derived.js';

export const g21: CaseCheck = {
  guarantee: 'G21',
  sentence: 'What the record says came back whole is what the provider says it answered, by status and by the hash of the bytes.',
  covers: 'status and response hash of every observation and of every adopted response; none of a delivery that was not complete',
  doesNotCover: 'whether a delivery that is recorded as broken was; a response that an operator stated',
  codes: ['observation-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedObservations, (snapshot, say) => {
      const file = snapshot.file('state/ledger.sqlite');
      const observed = intentsOf(historyIn(snapshot)).filter(({ attempt }) => attempt.observed !== undefined);
      const answered = need(snapshot.receipts).requests.filter(({ settled }) => settled?.ended === 'answered');
      const sent = groupBy(
        answered,
        (request) => `${requestMatch(request)} ${request.settled?.status} ${request.settled?.response_sha256}`,
      );
      const seen = groupBy(
        observed.filter(({ attempt }) => attempt.observed?.delivery === 'complete'),
        ({ match, attempt: { observed: what } }) => `${match} ${what?.status} ${what?.response_sha256}`,
      );
      for (const [name, group] of seen) {
        for (const { attempt } of group.slice(sent.get(name)?.length ?? 0)) {
          const at = { file, seq: attempt.observed?.seq ?? null };
          say('observation-mismatch', 'The provider sent no such response to this request.', at);
        }
      }
      for (const { attempt } of observed) {
        const { delivery, status, response_sha256: response, content_type: type, detail, seq } = attempt.observed ?? {};
        if (delivery === 'complete' && detail !== null)
          say('observation-mismatch', 'A complete delivery says why it was not complete.', { file, seq: seq ?? null });
        if (delivery !== 'complete' && (status !== null || response !== null || type !== null))
          say('observation-mismatch', 'A response is recorded of a delivery that was not complete.', { file, seq: seq ?? null });
      }
      const adopted = intentsOf(historyIn(snapshot)).flatMap(({ call, attempt, match }) =>
        adoptedFromProvider(call, attempt).map((reconciliation) => ({ match, reconciliation })),
      );
      const served = new Set(
        need(snapshot.receipts)
          .requests.filter(({ settled }) => (settled?.effect ?? null) !== null)
          .map((request) => `${requestMatch(request)} ${request.settled?.status} ${request.settled?.response_sha256}`),
      );
      for (const { match, reconciliation } of adopted) {
        const { status, response_sha256: response } = reconciliation.response ?? {};
        if (!served.has(`${match} ${status} ${response}`))
          say('observation-mismatch', 'The adopted response is not that of an effect of this key and body.', {
            file,
            seq: reconciliation.seq,
          });
      }
      return observed.length + adopted.length;
    }),
};

function adoptedFromProvider({ reconciliations }: Call, { id }: Attempt): Reconciliation[] {
  return reconciliations.filter(
    ({ attemptId, response, basis }) => attemptId === id && response !== null && basis !== 'operator_statement',
  );
}

/** What succeeded was observed, or its response was stated by an operator, as an input of the lineage says. */
function plannedObservations(snapshot: Snapshot): number {
  const stated = snapshot.lineage.filter(({ planned }) => planned.input?.response !== undefined).length;
  return Math.max(0, plannedCalls(snapshot, ({ outcome }) => outcome === 'succeeded') - stated);
}

/**
 * G32: A recovery that was killed and done again ends in the same events as one that was not, but for times, processes and superseded
 * calls.
 * Verified: wherever the plan says that a snapshot ends as another one does, every event of the one against that of the other.
 * Not verified: that both are right, which the other guarantees say of each.
 */
import { firstDifference } from '../../model/calls/same-events.js';
import { EvidenceError } from '../../errors.js';
import { need, perSnapshot, type CaseCheck } from '../check.js';

export const g32: CaseCheck = {
  guarantee: 'G32',
  sentence:
    'A recovery that was killed and done again ends in the same events as one that was not, but for times, processes and superseded calls.',
  covers: 'every event of a snapshot that the plan has end as another one does',
  doesNotCover: 'whether both are right',
  codes: ['recovery-diverged'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(
      snapshots.filter(({ planned }) => planned.expect.same_events_as !== undefined),
      () => 1,
      (snapshot, say) => {
        const model = snapshots.find(({ name }) => name === snapshot.planned.expect.same_events_as);
        if (model === undefined) throw new EvidenceError('absent', 'The snapshot that it is to end as is not planned.');
        const parts = firstDifference(need(model.ledger).events, need(snapshot.ledger).events);
        if (parts === null) return;
        const where = parts.left === null ? 'goes on where that one has ended' : `parts from its event ${parts.left}`;
        say('recovery-diverged', `The record ${where}, of ${model.name}.`, {
          file: snapshot.file('state/ledger.sqlite'),
          seq: parts.right,
        });
      },
    ),
};

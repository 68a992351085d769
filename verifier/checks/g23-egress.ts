/**
 * G23: No role that answered reached for anything but the provider, except where the plan plants it, and there it was refused.
 * Verified: the refused attempts in every answer that a role wrote, against what the plan plants, and their place against its scenario.
 * Not verified: a killed role, which wrote no answer; code that goes round the guard, where the guard is only in the process.
 */
import { EvidenceError } from '../errors.js';
import { sameJson } from '../read/canonical.js';
import { answersOf } from './answers.js';
import { need, perItem, type CaseCheck } from './check.js';

export const g23: CaseCheck = {
  guarantee: 'G23',
  sentence:
    'No role that answered reached for anything but the provider, except where the plan plants it, and there it was refused.',
  covers: 'every answer that a role wrote',
  doesNotCover: 'killed roles, which wrote none; code that goes round an in-process guard',
  codes: ['egress-unexpected'],
  scope: 'case',
  check({ snapshots }, { plan }) {
    return perItem(
      answersOf(snapshots),
      ({ snapshot, file }) => ({ case: snapshot.caseId, snapshot: snapshot.name, file, seq: null }),
      ({ snapshot, answer, inspects }, say) => {
        const { egress } = need(answer);
        const planted = inspects ? 0 : (snapshot.planned.expect.egress_refused ?? 0);
        if (egress.mechanism === 'none') throw new EvidenceError('absent', 'Nothing guarded the egress of a role.');
        if (planted === 0 && egress.refused.length > 0)
          say('egress-unexpected', 'A role reached for something else than the provider.');
        if (planted > 0 && egress.refused.length === 0) say('egress-unexpected', 'The planted reach was not refused.');
        const dial = plan.value?.scenarios[snapshot.planned.scenario]?.dial ?? null;
        if (planted > 0 && dial !== null && egress.refused.some((place) => !sameJson(place, dial)))
          say('egress-unexpected', 'A role reached for another place than the planted one.');
      },
    );
  },
};

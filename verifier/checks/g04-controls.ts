/**
 * G4: The controls fired: a run without a kill completed once, and the naive restart duplicated.
 * Verified: the derived outcome of every control that the plan names. Without controls a harness that does nothing would look safe.
 * Not verified: that the controls are the right ones for the question; the plan answers for that.
 */
import { EvidenceError } from '../errors.js';
import type { Bundle, Snapshot } from '../read/bundle.js';
import { producer } from '../read/plan.js';
import { need, perItem, type BundleCheck, type CheckResult } from './check.js';
import { answered } from './derived.js';
import { isSelected } from './selection.js';

export const g04: BundleCheck = {
  guarantee: 'G4',
  sentence: 'The controls fired: a run without a kill completed once, and the naive restart duplicated.',
  covers: 'the derived outcome of every control that the plan names',
  doesNotCover: 'whether the controls are the right ones for the question',
  codes: ['control-silent'],
  scope: 'bundle',
  check(bundle: Bundle, model): CheckResult {
    const controls = need(bundle.plan).controls;
    const items = [
      ...controls.no_kill.map((id) => ({ case: id, snapshot: producer, wanted: 'completed_once' as const })),
      ...controls.naive_restart.map(({ case: id, arm }) => ({ case: id, snapshot: arm, wanted: 'duplicated' as const })),
    ];
    return perItem(
      items,
      (item) => ({ case: item.case, snapshot: item.snapshot, file: null, seq: null }),
      (item, say) => {
        const snapshot = find(bundle, item.case, item.snapshot);
        const outcome = model.outcome(snapshot);
        if (outcome !== item.wanted) say('control-silent', `The control was to be ${item.wanted} and is ${outcome}.`);
        if (answered(snapshot) !== 'completed') say('control-silent', 'The control did not run to its end.');
      },
    );
  },
};

function find(bundle: Bundle, caseId: string, name: string): Snapshot {
  if (!isSelected(bundle, caseId)) throw new EvidenceError('absent', 'The case of a control was not selected.');
  const one = bundle.cases.find(({ id }) => id === caseId);
  if (one?.void !== null) throw new EvidenceError('absent', 'The case of a control is void.');
  const snapshot = one.snapshots.find((candidate) => candidate.name === name);
  if (snapshot === undefined) throw new EvidenceError('absent', 'A control names a snapshot that is not planned.');
  return snapshot;
}

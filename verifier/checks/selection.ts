/**
 * Which cases the run was to run: all of the plan, or in an exploratory run those that `--case` named. What was left out proves
 * nothing, for or against.
 */
import type { Bundle, CaseEvidence, Snapshot } from '../read/bundle.js';

export function isSelected({ execution }: Bundle, caseId: string): boolean {
  const selected = execution.value?.selected ?? null;
  return selected === null || selected.includes(caseId);
}

/** Cases that have to have their evidence: selected and not void. */
function judgedCases(bundle: Bundle): CaseEvidence[] {
  return bundle.cases.filter((one) => isSelected(bundle, one.id) && one.void === null);
}

export function judgedSnapshots(bundle: Bundle): Snapshot[] {
  return judgedCases(bundle).flatMap(({ snapshots }) => snapshots);
}

/**
 * What a living process does next with its run: what the record says, but for one thing.
 *
 * A cancel at the boundary of a step that arrives while the run goes on lets the step and its batch end. Whoever finds it on record
 * (after a crash, or in a run that nobody carried on) closes the run at once: that is what the table says.
 */
import { decisionsOf, unanswered } from '../core/plan-batch.js';
import { lastStep, type Run } from '../core/run.js';
import { stageOf, type StageRow } from '../core/stages.js';
import type { Tenure } from './tenure.js';

export function dueNow(tenure: Tenure, run: Run): StageRow {
  const row = stageOf(run);
  if (run.cancel !== 'step_boundary' || tenure.live?.wasCancelled !== false) return row;
  const without = stageOf({ ...run, cancel: null });
  return without.operation === 'run_tools' && missingAnswers(tenure, run).length === 0 ? without : row;
}

/** Ids of calls of the last step that cannot be planned before a person has answered. */
export function missingAnswers(tenure: Tenure, run: Run): string[] {
  const step = lastStep(run);
  if (step?.answer == null || step.batch !== null) return [];
  return unanswered(step.answer.assistant, run.config, {
    available: (tool) => tenure.plane.available(tool),
    decisions: decisionsOf(step),
  });
}

/**
 * The ends of a run, each in barriers that a second process could take up anywhere.
 *
 * A close-out is two: every call gets its terminal, then the run its end. The reason is read from the record just before the end is
 * written, so that a cancel that came during the first barrier is not lost.
 */
import { closeOut, seal } from '../core/close-out.js';
import { lastStep, type Run } from '../core/run.js';
import { stageOf } from '../core/stages.js';
import type { FinishReason } from '../core/vocabulary.js';
import type { Tenure } from './tenure.js';

const detailMax = 1000;
const tooLarge = 'The session has reached its size limit: there is no room for what comes next. Go on in a new session.';

/** Closes a run that its stage says cannot go on; or, with a reason, one that the owner leaves. */
export function closeRun(tenure: Tenure, run: Run, reason: FinishReason | null = stageOf(run).seals): void {
  const drafts = closeOut(run, reason ?? 'interrupted', undispatched(tenure, run));
  if (drafts.length > 0) tenure.append(drafts, { closing: true });
  tenure.append([seal(run, stageOf(run).seals ?? reason)], { closing: true });
}

/** The model has said its last word; what is missing is the end. */
export function finalize(tenure: Tenure, run: Run): void {
  const step = lastStep(run);
  if (step !== undefined && step.turnFinishedSeq === null)
    tenure.append([{ type: 'turn_finished', payload: { run_id: run.runId, step_id: step.stepId } }], {
      sync: false,
      closing: true,
    });
  tenure.append([seal(run)], { closing: true });
}

/** No attempt brought an answer. */
export function failRun(tenure: Tenure, run: Run, detail: string): void {
  const told = detail.slice(0, detailMax).toWellFormed();
  tenure.append([seal(run, 'error', { code: 'model_failed', detail: told })], { closing: true });
}

/** The log has no room for what would come next; the room for this is kept, so what is said in it has a fixed length. */
export function endTooLarge(tenure: Tenure, run: Run): void {
  const drafts = closeOut(run, 'error', undispatched(tenure, run));
  if (drafts.length > 0) tenure.append(drafts, { closing: true });
  const end = run.cancel === null ? seal(run, 'error', { code: 'session_too_large', detail: tooLarge }) : seal(run);
  tenure.append([end], { closing: true });
}

/** Ids of calls of the open batch that this process is known not to have handed over. */
function undispatched({ live }: Tenure, run: Run): ReadonlySet<string> {
  const calls = lastStep(run)?.calls ?? [];
  return new Set(
    calls.filter(({ key }) => live?.intended.has(key) === true && !live.handedOver.has(key)).map(({ call }) => call.id),
  );
}

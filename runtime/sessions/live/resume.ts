/**
 * Takes up what the record left open, as its table of stages says.
 *
 * Fault model: the process that died may have died anywhere, and so may this one. What may be sent again is only what is proved never to
 * have left. A refusal, and a resume with nothing to do, append nothing and send nothing.
 */
import { resumeStarted } from '../core/resume-record.js';
import type { Run } from '../core/run.js';
import { nextOf } from '../core/session-state.js';
import { sends, stageOf } from '../core/stages.js';
import type { Activity } from './activity.js';
import { demandConfigOfNewRun, demandRecorded } from './configuration.js';
import { drained } from './queue.js';
import { endOf, type RunEnd } from './run-end.js';
import type { Tenure } from './tenure.js';

/** Takes up what is open. Refuses where nothing is, and where a person must answer first. */
export async function resume(tenure: Tenure, activity: Activity): Promise<RunEnd> {
  tenure.demandOpen();
  if (activity.isUnderWay) return recover(tenure, activity);
  const { next_operation: operation, on } = nextOf(tenure.history);
  if (operation === 'none')
    throw tenure.refusal(
      'nothing_open',
      null,
      'Nothing is left open that could be resumed. Send a message; one that waits is run by recover.',
    );
  if (operation === 'approve')
    throw tenure.refusal('approval_needed', on, `A person must answer about ${on} first. Approve or deny it, then resume.`);
  return recover(tenure, activity);
}

/**
 * As `resume`, to be said again at any time, and it also runs what waits for the owner. Resolves with the end of the run that it took up;
 * with `paused` where a person must answer first; with `idle` where nothing is left.
 */
export function recover(tenure: Tenure, activity: Activity): Promise<RunEnd> {
  tenure.demandOpen();
  const { current: run, queue } = tenure.history;
  if (activity.isUnderWay) return run === undefined ? Promise.resolve({ status: 'idle' }) : activity.ended(run.runId);
  if (run !== undefined) return takeUp(tenure, activity, run);
  if (queue.length === 0) return Promise.resolve({ status: 'idle' });
  demandConfigOfNewRun(tenure);
  return activity.begin(() => drained(tenure, true) as Run);
}

function takeUp(tenure: Tenure, activity: Activity, run: Run): Promise<RunEnd> {
  const { operation } = stageOf(run);
  if (operation === 'approve') return Promise.resolve(endOf(run));
  if (sends(operation)) demandRecorded(tenure, run);
  return activity.begin(() => {
    tenure.prefaceWith(resumeStarted(tenure.history, (tool) => tenure.plane.available(tool)));
    return run;
  });
}

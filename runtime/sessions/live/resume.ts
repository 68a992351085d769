/**
 * Takes up what the record left open, as its table of stages says.
 *
 * Fault model: the process that died may have died anywhere, and so may this one. What may be sent again is only what is proved never to
 * have left. A refusal, and a resume with nothing to do, append nothing and send nothing.
 */
import { resumeStarted } from '../core/resume-record.js';
import type { Run } from '../core/run.js';
import { stageOf } from '../core/stages.js';
import type { Activity } from './activity.js';
import { demandConfigOfNewRun, demandRecorded } from './configuration.js';
import { drained } from './queue.js';
import { endOf, type RunEnd } from './run-end.js';
import type { Tenure } from './tenure.js';

/** Resolves with the end of the run that it took up; with `paused` where a person must answer first; with `idle` where nothing is left. */
export function resume(tenure: Tenure, activity: Activity): Promise<RunEnd> {
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
  if (operation === 'run_step' || operation === 'run_tools') demandRecorded(tenure, run);
  return activity.begin(() => {
    tenure.prefaceWith(resumeStarted(tenure.history, (tool) => tenure.plane.available(tool)));
    return run;
  });
}

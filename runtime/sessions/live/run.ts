/**
 * A run as it happens: ask the record what is due, do that one thing, ask again.
 *
 * There is no other loop: a run that just began, one that was resumed and one that is being closed take the same steps from the same table,
 * so what a crash leaves is nothing that this loop has not seen.
 */
import type { Run } from '../core/run.js';
import { runTools } from './batch.js';
import { dueNow } from './due.js';
import { closeRun, endTooLarge, finalize } from './finish.js';
import { runStep } from './model-step.js';
import { isTooLarge, type LiveRun, type Tenure } from './tenure.js';

/** Carries a run on until it has its end or waits for a person. Rejects where the log failed or the session was closed. */
export async function carryOn(tenure: Tenure, run: Run): Promise<void> {
  const live = tenure.begin(run);
  try {
    while (await move(tenure, live));
  } finally {
    tenure.end();
  }
}

/** Does what is due. False where nothing is. */
async function move(tenure: Tenure, live: LiveRun): Promise<boolean> {
  tenure.demandOpen();
  const { run } = live;
  const { operation } = dueNow(tenure, run);
  try {
    switch (operation) {
      case 'close_out':
        closeRun(tenure, run);
        return true;
      case 'finalize':
        finalize(tenure, run);
        return true;
      case 'run_tools':
        await runTools(tenure, live);
        return true;
      case 'run_step':
        await runStep(tenure, live);
        return true;
      case 'none':
      case 'approve':
      case 'drain_queue':
        return false;
    }
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    endTooLarge(tenure, run);
    return true;
  }
}

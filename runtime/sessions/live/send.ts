/**
 * A message of the owner: starts a run, joins the one that is open, or waits for its own.
 *
 * `runId` is the idempotency key of the start: the same message again is the same run, whatever became of it. A run that nobody carries on
 * is closed out first, since the owner's message is the decision to go on without it.
 */
import type { Run } from '../core/run.js';
import { stageOf } from '../core/stages.js';
import type { Activity } from './activity.js';
import { demandConfigOfNewRun } from './configuration.js';
import { closeRun, finalize } from './finish.js';
import { queue, steer } from './queue.js';
import { resume } from './resume.js';
import { endOf, type RunEnd } from './run-end.js';
import type { Tenure } from './tenure.js';

export interface Sent {
  runId: string;
  text: string;
  /** What becomes of it while a run goes on. */
  delivery: 'steer' | 'queue' | 'interrupt';
}

export async function send(tenure: Tenure, activity: Activity, sent: Sent): Promise<RunEnd> {
  tenure.demandOpen();
  const { history } = tenure;
  const known = history.runOf(sent.runId);
  if (known !== undefined) return again(tenure, activity, known, sent);
  if (activity.isUnderWay) return meanwhile(tenure, activity, sent);
  if (history.submissionUsed(sent.runId)) return waitingOne(tenure, activity, sent);
  return activity.begin(() => start(tenure, sent));
}

function start(tenure: Tenure, { runId, text }: Sent): Run {
  const config = demandConfigOfNewRun(tenure);
  const payload = { run_id: runId, session_id: tenure.sessionId, config, input: { text } };
  if (!tenure.admits([{ type: 'run_started', payload }]))
    throw tenure.refusal('session_too_large', runId, 'The session has no room for another run. Start a new session.');
  const open = tenure.history.current;
  if (open !== undefined) leave(tenure, open);
  tenure.record([{ type: 'run_started', payload }]);
  return tenure.history.current as Run;
}

/** Closes a run that the owner leaves. One that has its answer ended by itself. */
function leave(tenure: Tenure, run: Run): void {
  const { operation, seals } = stageOf(run);
  if (operation === 'finalize') finalize(tenure, run);
  else closeRun(tenure, run, seals ?? 'interrupted');
}

function again(tenure: Tenure, activity: Activity, run: Run, { runId, text }: Sent): Promise<RunEnd> {
  if (run.input !== text)
    throw tenure.refusal('run_conflict', runId, `${runId} names a run with another text. Give this message an id of its own.`);
  if (run.finished !== null) return Promise.resolve(endOf(run));
  return activity.isUnderWay ? activity.ended(runId) : resume(tenure, activity);
}

function meanwhile(tenure: Tenure, activity: Activity, { runId, text, delivery }: Sent): Promise<RunEnd> {
  const open = tenure.history.current;
  if (delivery === 'steer' && open !== undefined) {
    steer(tenure, { text, sendId: runId });
    return activity.ended(open.runId);
  }
  queue(tenure, { submissionId: runId, text, delivery: delivery === 'interrupt' ? 'interrupt' : 'plain' });
  return activity.ended(runId);
}

/** The id names a message that was queued: the same one, which the owner now wants to run, or another. */
async function waitingOne(tenure: Tenure, activity: Activity, { runId, text }: Sent): Promise<RunEnd> {
  const same = tenure.history.queue.find(({ submissionId }) => submissionId === runId);
  if (same?.text !== text)
    throw tenure.refusal('run_conflict', runId, `${runId} names a message that was queued. Give this one an id of its own.`);
  await resume(tenure, activity);
  const run = tenure.history.runOf(runId);
  return run === undefined ? { status: 'waiting', submissionId: runId } : endOf(run);
}

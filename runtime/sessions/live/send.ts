/**
 * A message of the owner: starts a run, joins the one that is open, or waits for its own.
 *
 * `runId` is the idempotency key of the message: the same again is the same message, whichever way it was sent, and its sender hears what
 * became of it. A run that nobody carries on is closed out first, since the owner's message is the decision to go on without it.
 */
import type { Message, Run } from '../core/run.js';
import { stageOf } from '../core/stages.js';
import type { Activity } from './activity.js';
import { demandConfigOfNewRun } from './configuration.js';
import { closeRun, finalize } from './finish.js';
import { knownMessage, queue, steer } from './queue.js';
import { recover } from './resume.js';
import { endOf, whatBecameOf, type RunEnd } from './run-end.js';
import type { Tenure } from './tenure.js';

export interface Sent {
  runId: string;
  text: string;
  /** What becomes of it while a run goes on. */
  delivery: 'steer' | 'queue' | 'interrupt';
}

export async function send(tenure: Tenure, activity: Activity, sent: Sent): Promise<RunEnd> {
  tenure.demandOpen();
  const known = knownMessage(tenure, sent.runId, sent.text);
  if (known !== undefined) return again(tenure, activity, sent.runId, known);
  if (activity.isUnderWay) return meanwhile(tenure, activity, sent);
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

function again(tenure: Tenure, activity: Activity, id: string, known: Message): Promise<RunEnd> {
  switch (known.became) {
    case 'run':
    case 'steer': {
      const { run } = known;
      if (run.finished !== null) return Promise.resolve(endOf(run));
      return activity.isUnderWay ? activity.ended(run.runId) : recover(tenure, activity);
    }
    case 'waiting':
      return activity.isUnderWay ? activity.ended(id) : drainedNow(tenure, activity, id);
    case 'retracted':
      return Promise.resolve({ status: 'retracted', submissionId: id });
  }
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

/** The message was queued, and its owner wants it to run now. */
async function drainedNow(tenure: Tenure, activity: Activity, id: string): Promise<RunEnd> {
  await recover(tenure, activity);
  return whatBecameOf(tenure.history, id);
}

/**
 * Messages that come from outside a run: queued ones wait for runs of their own, steers join the run that is open.
 *
 * Each is durable before its sender is answered, and each is used once: an id names one message for good, whichever way it was sent. The
 * same text under it is the same message, as it was sent first, whatever became of it; another text is refused.
 */
import type { Draft } from '../core/records.js';
import type { Message, Run } from '../core/run.js';
import { drainsAfter } from '../core/stages.js';
import type { Delivery } from '../core/vocabulary.js';
import { configOfNewRun } from './configuration.js';
import type { Tenure } from './tenure.js';

export interface Queued {
  submissionId: string;
  text: string;
  delivery: Delivery;
}

/** What became of a message that was sent before under this id; undefined for a new one. Refuses another text under it. */
export function knownMessage(tenure: Tenure, id: string, text: string): Message | undefined {
  const known = tenure.history.messageOf(id);
  if (known !== undefined && known.text !== text)
    throw tenure.refusal('run_conflict', id, `${id} names a message with another text. Give this one an id of its own.`);
  return known;
}

/** An interrupting message also asks the open run to end at its next boundary. */
export function queue(tenure: Tenure, { submissionId, text, delivery }: Queued): void {
  tenure.demandOpen();
  if (knownMessage(tenure, submissionId, text) !== undefined) return;
  const { history } = tenure;
  const queued: Draft = {
    type: 'queued',
    payload: { submission_id: submissionId, input: { text }, ...(delivery === 'interrupt' && { delivery }) },
  };
  const run = history.current;
  const interrupts = delivery === 'interrupt' && run !== undefined && run.cancel === null;
  tenure.record(
    interrupts ? [queued, { type: 'run_cancel_requested', payload: { run_id: run.runId, at: 'step_boundary' } }] : [queued],
  );
}

export function retract(tenure: Tenure, submissionId: string): void {
  tenure.demandOpen();
  const became = tenure.history.messageOf(submissionId)?.became;
  if (became === 'waiting') return tenure.record([{ type: 'retracted', payload: { submission_id: submissionId } }]);
  if (became !== 'retracted')
    throw tenure.refusal(
      'nothing_open',
      submissionId,
      `No message ${submissionId} waits, so nothing was taken back. Look at the queue in the state of the session.`,
    );
}

/** Joins the open run at its next step, or at its end. */
export function steer(tenure: Tenure, { text, sendId }: { text: string; sendId: string | null }): void {
  tenure.demandOpen();
  if (sendId !== null && knownMessage(tenure, sendId, text) !== undefined) return;
  const run = tenure.history.current;
  if (run === undefined)
    throw tenure.refusal('nothing_open', null, 'No run is open that could be steered. Send the message instead.');
  tenure.record([
    { type: 'steered', payload: { run_id: run.runId, input: { text }, ...(sendId !== null && { send_id: sendId }) } },
  ]);
}

/** Starts the run of the message that is next; undefined where none may start. `byOwner`: also after an end that the owner had to look at. */
export function drained(tenure: Tenure, byOwner: boolean): Run | undefined {
  const { last, current, queue: waiting } = tenure.history;
  const [head] = waiting;
  const config = configOfNewRun(tenure);
  const reason = last?.finished?.reason;
  if (current !== undefined || head === undefined || config === null || tenure.providerUrl === null) return undefined;
  if (!byOwner && reason !== undefined && !drainsAfter.includes(reason)) return undefined;
  const { submissionId, text } = head;
  tenure.record([
    {
      type: 'run_started',
      payload: { run_id: submissionId, session_id: tenure.sessionId, config, input: { text }, submission_id: submissionId },
    },
  ]);
  return tenure.history.current;
}

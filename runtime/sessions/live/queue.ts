/**
 * Messages that come from outside a run: queued ones wait for runs of their own, steers join the run that is open.
 *
 * Each is durable before its sender is answered, and each is used once: an id that named a message or a run names nothing else.
 */
import type { Draft } from '../core/records.js';
import type { Run } from '../core/run.js';
import type { Delivery, FinishReason } from '../core/vocabulary.js';
import { configOfNewRun } from './configuration.js';
import type { Tenure } from './tenure.js';

/** After such an end the queue goes on by itself; after another one the owner decides. */
const goesOnAfter: readonly FinishReason[] = ['completed', 'cancelled', 'max_steps'];

export interface Message {
  submissionId: string;
  text: string;
  delivery: Delivery;
}

/** An interrupting message also asks the open run to end at its next boundary. The same message again is the same message. */
export function queue(tenure: Tenure, { submissionId, text, delivery }: Message): void {
  tenure.demandOpen();
  const { history } = tenure;
  const same = history.queue.find((waiting) => waiting.submissionId === submissionId);
  if (same?.text === text && same.delivery === delivery) return;
  if (history.submissionUsed(submissionId) || history.runOf(submissionId) !== undefined)
    throw tenure.refusal('run_conflict', submissionId, `${submissionId} names another message. Give this one an id of its own.`);
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
  const { history } = tenure;
  if (history.waits(submissionId)) return tenure.record([{ type: 'retracted', payload: { submission_id: submissionId } }]);
  const wasRetracted = history.submissionUsed(submissionId) && history.runOf(submissionId) === undefined;
  if (!wasRetracted)
    throw tenure.refusal('nothing_open', submissionId, `No message ${submissionId} waits, so nothing was taken back.`);
}

/** Joins the open run at its next step, or at its end. The same `sendId` with the same text again is the same steer. */
export function steer(tenure: Tenure, { text, sendId }: { text: string; sendId: string | null }): void {
  tenure.demandOpen();
  const run = tenure.history.current;
  if (run === undefined)
    throw tenure.refusal('nothing_open', null, 'No run is open that could be steered. Send the message instead.');
  const same = sendId === null ? undefined : run.steers.find((steered) => steered.sendId === sendId);
  if (same?.text === text) return;
  if (same !== undefined)
    throw tenure.refusal('run_conflict', sendId, `${sendId} names another steer. Give this one an id of its own.`);
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
  if (!byOwner && reason !== undefined && !goesOnAfter.includes(reason)) return undefined;
  const { submissionId, text } = head;
  tenure.record([
    {
      type: 'run_started',
      payload: { run_id: submissionId, session_id: tenure.sessionId, config, input: { text }, submission_id: submissionId },
    },
  ]);
  return tenure.history.current;
}

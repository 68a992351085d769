/** How an operation on a session ends, as its caller is told. Everything here is on record before it is told. */
import { sha256 } from '../../core/digest.js';
import type { SessionHistory } from '../core/history.js';
import { lastStep, type Run } from '../core/run.js';
import type { FinishReason } from '../core/vocabulary.js';

export interface PendingApproval {
  /** Key of the call. */
  key: string;
  toolCallId: string;
  name: string;
  /** What would be dispatched, byte for byte. */
  arguments: string;
  argumentsSha256: string;
}

export type RunEnd =
  /** `text`: the last answer, where the run ended with one. */
  | {
      status: 'finished';
      runId: string;
      reason: FinishReason;
      text: string | null;
      error: { code: string; detail: string } | null;
    }
  /** The run waits for a person: `approve`, then `resume`. */
  | { status: 'paused'; runId: string; approvals: PendingApproval[] }
  /** The message is on record, and waits for the owner's next send or resume. */
  | { status: 'waiting'; submissionId: string }
  /** The message was taken back before a run drained it. */
  | { status: 'retracted'; submissionId: string }
  /** There was nothing to do. */
  | { status: 'idle' };

/** What the record says of a run that is not going on. */
export function endOf(run: Run): RunEnd {
  const { runId, finished } = run;
  if (finished === null) return { status: 'paused', runId, approvals: pendingApprovals(run) };
  const answer = lastStep(run)?.answer?.assistant;
  const isLast = finished.reason === 'completed' && answer?.tool_calls.length === 0;
  return { status: 'finished', runId, reason: finished.reason, text: isLast ? answer.text : null, error: finished.error };
}

/** As the sender of a message is told, once nothing is under way that could still take it up. */
export function whatBecameOf(history: SessionHistory, id: string): RunEnd {
  const message = history.messageOf(id);
  if (message === undefined) return { status: 'idle' };
  if (message.became === 'waiting' || message.became === 'retracted') return { status: message.became, submissionId: id };
  return endOf(message.run);
}

function pendingApprovals(run: Run): PendingApproval[] {
  const asked = lastStep(run)?.calls.filter(({ approval }) => approval !== null && approval.answer === null) ?? [];
  return asked.map(({ key, call }) => ({
    key,
    toolCallId: call.id,
    name: call.name,
    arguments: call.arguments,
    argumentsSha256: sha256(call.arguments),
  }));
}

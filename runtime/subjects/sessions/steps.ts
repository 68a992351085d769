/** What can be done with a session, once each, as a scenario or an input says it. */
import type { Session } from '../../sessions/api/session.js';
import type { Report } from '../kit/role.js';
import { reportOfEnd } from './report.js';
import type { Approve, Cancel, Queue, Retract, Send, Steer } from './scenario.js';

export async function send(session: Session, { run_id: runId, text }: Send): Promise<Report> {
  const before = session.state().runs.find((run) => run.run_id === runId);
  const replayed = before !== undefined && before.stage === 'finished';
  return reportOfEnd(await session.send({ runId, text }), replayed);
}

export function queue(session: Session, { submission_id: submissionId, text, delivery }: Queue): Report {
  session.queue({ submissionId, text, delivery });
  return { status: 'completed', detail: `${submissionId} is queued.` };
}

export function retract(session: Session, { submission_id: submissionId }: Retract): Report {
  session.retract(submissionId);
  return { status: 'completed', detail: `${submissionId} is taken back.` };
}

export function approve(session: Session, { tool_call_id: toolCallId, decision, by }: Approve): Report {
  session.approve({ toolCallId, decision, by });
  return { status: 'completed', detail: `${toolCallId} is ${decision} by ${by}; a resume goes on.` };
}

export function cancel(session: Session, { at }: Cancel): Report {
  session.cancel({ at });
  return { status: 'completed', detail: 'The cancel is on record; a resume or send seals it.' };
}

export function steer(session: Session, { text, send_id: sendId }: Steer): void {
  session.steer({ text, ...(sendId !== undefined && { sendId }) });
}

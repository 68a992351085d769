/** What came of a session as the report of a role. */
import { SessionRefused } from '../../sessions/core/refusals.js';
import type { RunEnd } from '../../sessions/live/run-end.js';
import type { Report } from '../kit/role.js';
import type { Opened } from './open.js';
import { reportOf } from './subject.js';

/** A run that ended as it could was carried out, also where it was closed; one that ended in an error failed, on record. */
export function reportOfEnd(end: RunEnd, replayed = false): Report {
  switch (end.status) {
    case 'finished': {
      const failed = end.reason === 'error';
      const why = end.error === null ? '' : ` (${end.error.code}: ${end.error.detail})`;
      const told = replayed ? 'was answered from the log' : 'ended';
      return { status: failed ? 'failed' : 'completed', detail: `${end.runId} ${told}: ${end.reason}${why}.`, replayed };
    }
    case 'paused': {
      const keys = end.approvals.map(({ key }) => key).join(', ');
      return { status: 'completed', detail: `${end.runId} waits for a person to answer about ${keys}.`, replayed };
    }
    case 'waiting':
      return { status: 'completed', detail: `${end.submissionId} is on record and waits for its run.`, replayed };
    case 'retracted':
      return {
        status: 'completed',
        detail: `${end.submissionId} was taken back before, and no run is started for it.`,
        replayed,
      };
    case 'idle':
      return { status: 'completed', detail: 'There was nothing to do.', replayed };
  }
}

/** Work on an open session. What was refused after something was recorded is no refusal of the whole: it failed on its way. */
export async function working({ session, commits }: Opened, work: () => Promise<Report> | Report): Promise<Report> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionRefused)) throw error;
    const report = reportOf(error);
    return commits() === 0 ? report : { ...report, status: 'failed' };
  } finally {
    session.close();
  }
}

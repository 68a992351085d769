/**
 * G40: Every input runs once: the ids of runs, queued messages and steers name one message each, a queued message starts one run or is
 * retracted, interrupting ones first.
 * Verified: every run, message, retraction and steer of every log, that an id names one of them, and the queue as it stood when a run
 * drained it.
 * Not verified: whether a message was drained in time; what was sent and never recorded.
 */
import { walk } from '../../model/sessions/fold.js';
import { waitingIn, type History, type RecordsOf } from '../../model/sessions/history.js';
import type { SessionRecord } from '../../read/session-records.js';
import { perSnapshot, type CaseCheck } from '../check.js';
import { followers, logIn } from './derived.js';
import { once } from './once.js';
import { plannedRuns } from './planned.js';

export const g40: CaseCheck = {
  guarantee: 'G40',
  sentence:
    'Every input runs once: the ids of runs, queued messages and steers name one message each, a queued message starts one run or is retracted, interrupting ones first.',
  covers:
    'every run, message, retraction and steer, whose ids name one of them each, and the queue as it stood when a run drained it',
  doesNotCover: 'whether a message was drained in time; what was sent and never recorded',
  codes: ['input-unlawful'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(snapshots, plannedRuns, (snapshot, say) => {
      const { judged, problems } = inputProblems(logIn(snapshot.state).records);
      for (const { seq, detail } of problems) say('input-unlawful', detail, { file: snapshot.state.logFile, seq });
      return judged;
    }),
};

interface Judged {
  readonly judged: number;
  readonly problems: readonly { readonly seq: number; readonly detail: string }[];
}

const inputProblems = once((records: readonly SessionRecord[]): Judged => {
  const problems: { seq: number; detail: string }[] = [];
  const steers = new Set<string>();
  const next = followers(records);
  let judged = 0;
  walk(records, (record, before) => {
    const detail = inputWrong(record, before, steers, next.get(record));
    if (detail === undefined) return;
    judged += 1;
    if (detail !== null) problems.push({ seq: record.seq, detail });
  });
  return { judged, problems };
});

/** Undefined for what is no input. */
function inputWrong(
  record: SessionRecord,
  before: History,
  steers: Set<string>,
  next: SessionRecord | undefined,
): string | null | undefined {
  if (record.type === 'run_started')
    return steers.has(record.payload.run_id) ? 'A run has the id of a steer.' : runWrong(record, before);
  if (record.type === 'queued') {
    const { submission_id: id } = record.payload;
    if (before.submissions.has(id)) return 'A submission is queued twice.';
    if (before.runsById.has(id)) return 'A submission is queued under the id of a run.';
    if (steers.has(id)) return 'A submission is queued under the id of a steer.';
    return interrupts(record, before, next) ? null : 'An interrupting message does not interrupt the run that goes on.';
  }
  if (record.type === 'retracted') {
    const submission = before.submissions.get(record.payload.submission_id);
    if (submission === undefined) return 'A message is taken back that was never queued.';
    return submission.runs.length + submission.retracted.length === 0 ? null : 'A message is taken back that waits no more.';
  }
  if (record.type !== 'steered') return undefined;
  const { send_id: id } = record.payload;
  if (id === undefined) return null;
  const isSecond = steers.has(id);
  steers.add(id);
  if (isSecond) return 'A steer is recorded twice.';
  if (before.runsById.has(id)) return 'A steer has the id of a run.';
  return before.submissions.has(id) ? 'A steer has the id of a message that was queued.' : null;
}

function runWrong({ payload }: RecordsOf<'run_started'>, before: History): string | null {
  const { run_id: id, submission_id: drains, input } = payload;
  if (before.runsById.has(id)) return 'A run id is used twice.';
  const submission = before.submissions.get(id);
  if (drains === undefined) return submission === undefined ? null : 'A run has the id of a message that it does not drain.';
  if (submission === undefined || id !== drains) return 'A run drains a message that was not queued under its id.';
  if (submission.retracted.length > 0) return 'A run drains a message that was taken back.';
  if (submission.queued.input.text !== input.text) return 'A run has another text than the message that it drains.';
  if (waitingIn(before)[0] !== submission) return 'A run drains a message before another one that comes first.';
  const last = before.runs.at(-1)?.finished;
  const waits = last?.reason === 'interrupted' || last?.reason === 'error';
  return waits && last.seq > before.lastLineage ? 'A message is drained after a run that its owner has to look at.' : null;
}

/** The request to cancel is of the same barrier, so nothing lies between the two; a kill may come between where each is one of its own. */
function interrupts({ payload }: RecordsOf<'queued'>, before: History, next: SessionRecord | undefined): boolean {
  const run = before.runs.at(-1);
  if (payload.delivery !== 'interrupt' || run === undefined || run.finished !== undefined || run.cancels.length > 0) return true;
  return next === undefined || next.type === 'run_cancel_requested' || next.type === 'lineage';
}

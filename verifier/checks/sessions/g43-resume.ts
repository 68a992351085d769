/**
 * G43: A resume says what it did: what it rebuilt, redoes and found indeterminate; and a refusal appended nothing and sent nothing.
 * Verified: every `resume_started` against what the log before it says, and that none is missing where a run was gone on with; of a role
 * that refused, the log to its last byte, the floor and the receipts, and that the reason, the operation and the drift that it names are
 * those of the record.
 * Not verified: that a refusal was called for, where its reason lies outside the log; the prediction (G25) says which are right.
 *
 * A `restart` is the naive loop: it may say nothing of what it dispatches again, and whatever it says must be so. A send that closes a run
 * out is no resume; one that says a message again is.
 */
import type { ResumeStarted } from '../../contract/types.js';
import { walk } from '../../model/sessions/fold.js';
import type { History } from '../../model/sessions/history.js';
import { resumeReportOf } from '../../model/sessions/resume.js';
import { memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { sameJson } from '../../read/canonical.js';
import type { SessionRecord } from '../../read/session-records.js';
import type { Actor } from '../actors.js';
import { perSnapshot, type CaseCheck, type Say } from '../check.js';
import { answered } from '../derived.js';
import { addedRecords, isUntouched, logIn } from './derived.js';
import { refusalWrong } from './refusals.js';
import { addedTenures } from './tenures.js';

export const g43: CaseCheck = {
  guarantee: 'G43',
  sentence:
    'A resume says what it did: what it rebuilt, redoes and found indeterminate; and a refusal appended nothing and sent nothing.',
  covers:
    'every resume that is on record, and each that had to be; log, floor and receipts of every role that refused, and the reason that it names',
  doesNotCover: 'whether a refusal was called for, where its reason lies outside the log',
  codes: ['resume-misreported', 'session-refusal-acted'],
  scope: 'case',
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedResumes, (snapshot, say) => {
      const resumes = reportsWrong(snapshot, say);
      return resumes + refusalsJudged(snapshot, bundle, say);
    }),
};

/** A role that goes on with a run says so; one that is to be refused is judged as well. */
function plannedResumes(snapshot: Snapshot): number {
  return snapshot.planned.expect.ended === 'refused' ? 1 : 0;
}

/** Every report of this snapshot, and whether one is missing; returns how many there are. */
function reportsWrong(snapshot: Snapshot, say: Say): number {
  const first = addedRecords(snapshot)[0]?.seq ?? Infinity;
  const misreported = (detail: string, seq: number): void =>
    say('resume-misreported', detail, { file: snapshot.state.logFile, seq });
  const { records } = logIn(snapshot.state);
  const begun = new Map<string, number>();
  let told = '';
  let judged = 0;
  const acting = new Map(addedTenures(snapshot).map(({ fence, actor }) => [fence, actor]));
  /** A message of its own closes a run out and does not go on with it (G38). */
  let isSilent = false;
  walk(records, (record, before) => {
    const { type, payload, seq, fence } = record;
    if (type === 'run_started') begun.set(payload.run_id, fence);
    if (type === 'resume_started') told = `${fence} ${payload.run_id}`;
    if (seq < first) return;
    if (type === 'lineage') isSilent = isNewMessage(acting.get(fence), before);
    if (type === 'resume_started') {
      judged += 1;
      const isClosing = isSilent && begun.get(payload.run_id) !== fence;
      const wrong = isClosing ? 'A send that closes a run out is no resume of it.' : reportWrong(payload, before, seq);
      if (wrong !== null) misreported(wrong, seq);
    }
    const run = isSilent || snapshot.planned.role === 'restart' ? null : runGoneOnWith(record);
    if (run === null || begun.get(run) === fence || told === `${fence} ${run}`) return;
    misreported('A run is gone on with, and no resume says so.', seq);
    told = `${fence} ${run}`;
  });
  return judged;
}

/** One that names a run or a queued message goes on with what is open, as a resume does. */
function isNewMessage(actor: Actor | undefined, { runsById, submissions }: History): boolean {
  if (actor?.operation !== 'send') return false;
  const id = String(memberOf(actor.input, 'run_id'));
  return !runsById.has(id) && !submissions.has(id);
}

/** What somebody tells a run from outside is no part of its resume. */
const outside = [
  'lineage',
  'queued',
  'retracted',
  'run_started',
  'resume_started',
  'steered',
  'run_cancel_requested',
  'approval_resolved',
];

function runGoneOnWith({ type, payload }: SessionRecord): string | null {
  return outside.includes(type) || !('run_id' in payload) ? null : payload.run_id;
}

function reportWrong(told: ResumeStarted, before: History, seq: number): string | null {
  const wanted = resumeReportOf(before, seq);
  if (wanted === null) return 'A resume is told of where there was nothing to do.';
  const names = (Object.keys(wanted) as (keyof ResumeStarted)[]).filter((name) => !sameJson(told[name], wanted[name]));
  return names.length === 0 ? null : `The resume tells otherwise than the log: ${names.join(', ')}.`;
}

function refusalsJudged(snapshot: Snapshot, bundle: Bundle, say: Say): number {
  if (answered(snapshot) !== 'refused') return 0;
  if (!isUntouched(snapshot))
    say('session-refusal-acted', 'The role refused and yet the log, the floor or the receipts moved.', {
      file: snapshot.state.logFile,
    });
  for (const role of snapshot.roles) {
    const wrong = refusalWrong(snapshot, role, bundle);
    if (wrong !== null) say('resume-misreported', wrong, { file: role.file('answer.json') });
  }
  return 1;
}

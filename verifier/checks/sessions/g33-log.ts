/**
 * G33: The session log is whole: frames intact, gapless, canonical and of their shapes, nothing behind them but a torn tail of one un-synced
 * barrier; one identity throughout, named first in each tenure; what a frame requires is in the feature floor; and beside the log lies only
 * what a session has.
 * Verified: every frame of every log by the verifier's own decoder; that a torn tail is behind no process that went on writing; fences,
 * lineage frames and session ids; that no two logs of the bundle have one identity; features of every frame against what it says and against
 * the floor, which never shrinks; the files of the folder and its format record.
 * Not verified: an end that was cut off from log and receipts in step; damage in the last barrier, which cannot be told from a tear.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { requiredFeatures } from '../../model/sessions/features.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import { isCut } from '../../read/plan.js';
import type { SessionLog } from '../../read/session-log.js';
import { isRecord } from '../../read/session-records.js';
import type { StateEvidence } from '../../read/state.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { isExternal, plannedEvents } from '../derived.js';
import { identityHolder, lineageIn, makerOf } from './log-identities.js';

export const g33: CaseCheck = {
  guarantee: 'G33',
  sentence:
    'The session log is whole: frames intact, gapless, canonical and of their shapes, nothing behind them but a torn tail of one un-synced barrier; one identity throughout, named first in each tenure; what a frame requires is in the feature floor; and beside the log lies only what a session has.',
  covers:
    'every frame of every log, its tenure and its features; the feature floor; the identity over the whole bundle; the files of the state folder',
  doesNotCover: 'an end that was cut off from log and receipts in step; damage in the last barrier that looks like a tear',
  codes: ['log-damaged', 'frame-malformed', 'lineage-broken', 'floor-behind', 'session-folder-malformed'],
  scope: 'case',
  across: true,
  check: ({ snapshots }, bundle) =>
    perSnapshot(snapshots, plannedEvents, (snapshot, say) => {
      if (!snapshot.present) need(snapshot.log);
      const judged = snapshot.states.map((state) => {
        if (state.unfinished) return 0;
        folderWrong(snapshot, state, bundle, say);
        return logJudged(snapshot, state, bundle, say);
      });
      return judged.reduce((sum, frames) => sum + frames, 0);
    }),
};

/** How many of its frames could be judged. */
function logJudged(snapshot: Snapshot, state: StateEvidence, bundle: Bundle, say: Say): number {
  const { log, logFile: file } = state;
  if (log.problem !== undefined) {
    say('log-damaged', log.problem.detail, { file });
    return 0;
  }
  const { frames } = log.value;
  problemWrong(log.value, file, say);
  if (frames.length === 0) say('log-damaged', 'The log holds no frame.', { file });
  tailWrong(snapshot, log.value, file, say);
  framesWrong(log.value, file, !isExternal(snapshot), say);
  lineageWrong(snapshot, log.value, file, bundle, say);
  floorWrong(snapshot, state, log.value, say);
  return frames.length;
}

function problemWrong({ problem, frames }: SessionLog, file: string, say: Say): void {
  if (problem === null) return;
  const seq = (frames.at(-1)?.seq ?? 0) + 1;
  if (problem.is === 'newer')
    say('log-damaged', `A frame needs what no reader of this version has: ${problem.names.join(', ')}.`, { file, seq });
  else if (problem.cause === 'malformed') say('frame-malformed', problem.detail, { file, seq });
  else if (problem.cause === 'foreign') say('lineage-broken', problem.detail, { file, seq });
  else say('log-damaged', problem.detail, { file, seq });
}

/** A tail is cut off before the next append, and a process that ended by itself tears nothing. */
function tailWrong({ base, planned }: Snapshot, { tornBytes, frames }: SessionLog, file: string, say: Say): void {
  if (tornBytes === 0 || planned.kill !== null || isCut(planned)) return;
  const before = base?.log.value;
  const isInherited = before !== undefined && before.frames.length === frames.length && before.tornBytes === tornBytes;
  if (!isInherited) say('log-damaged', 'A process that ended by itself left a torn tail.', { file });
}

/** What the shapes cannot say: ids that are made of the seq, and features that follow from what a record says. */
function framesWrong({ frames }: SessionLog, file: string, isOurs: boolean, say: Say): void {
  for (const frame of frames) {
    const at = { file, seq: frame.seq };
    if (!isRecord(frame)) {
      // A reader skips it; no runtime of this contract writes it.
      if (isOurs) say('frame-malformed', `The contract has no ${frame.type}.`, at);
      continue;
    }
    const { seq, type, payload, features } = frame;
    if (features.join() !== requiredFeatures(frame).join())
      say('frame-malformed', `The frame requires ${features.join(', ') || 'nothing'}, and its record something else.`, at);
    if (type === 'step_started' && payload.step_id !== `step-${seq}`)
      say('frame-malformed', 'The id of a step is not made of its seq.', at);
    if (type === 'step_started' && payload.watermark_seq >= seq)
      say('frame-malformed', 'A step renders what comes after it.', at);
    if (type === 'tool_batch_started' && payload.batch_id !== payload.step_id.replace('step', 'batch'))
      say('frame-malformed', 'The id of a batch is not that of its step.', at);
    if (type === 'tool_result' && Buffer.byteLength(payload.output) > sessionLogV1.output_cap)
      say('frame-malformed', 'An output is over its cap.', at);
  }
}

/** The first frame of a log and of each later tenure names it, and no other does; whoever goes on begins a tenure of its own. */
function lineageWrong(
  snapshot: Snapshot,
  { frames, records, tornBytes }: SessionLog,
  file: string,
  bundle: Bundle,
  say: Say,
): void {
  const session = lineageIn(records);
  frames.forEach(({ seq, fence, type }, index) => {
    const before = frames[index - 1];
    const begins = before === undefined || fence !== before.fence;
    if (begins !== (type === 'lineage'))
      say('lineage-broken', begins ? 'A tenure does not begin with its lineage.' : 'A lineage frame stands in a tenure.', {
        file,
        seq,
      });
    if (fence !== (before?.fence ?? 0) + (begins ? 1 : 0))
      say('lineage-broken', `The fence of frame ${seq} does not count the tenures.`, { file, seq });
  });
  for (const { seq, type, payload } of records) {
    if (type !== 'lineage' && type !== 'run_started') continue;
    if (payload.session_id !== session?.session_id)
      say('lineage-broken', 'The session has another id than its log.', { file, seq });
  }
  const end = frames.at(-1);
  if (end?.type === 'lineage' && end.seq > 1 && tornBytes === 0)
    say('lineage-broken', 'A tenure was begun in which nothing was recorded.', { file, seq: end.seq });
  const first = frames[snapshot.base?.log.value?.frames.length ?? 0];
  const last = snapshot.base?.log.value?.frames.at(-1);
  if (last !== undefined && first !== undefined && first.fence === last.fence)
    say('lineage-broken', 'A process went on in the tenure of another one.', { file, seq: first.seq });
  const holder = session === undefined ? undefined : identityHolder(bundle, session.identity);
  if (holder !== undefined && holder !== makerOf(snapshot))
    say('lineage-broken', `The identity is that of the log that ${holder} made.`, { file, seq: 1 });
}

function floorWrong({ base }: Snapshot, { floorFile: file }: StateEvidence, { floor, frames }: SessionLog, say: Say): void {
  if (floor.problem !== null) return say('floor-behind', floor.problem, { file });
  if (floor.unread.length > 0)
    say('floor-behind', `The floor names what no reader of this version has: ${floor.unread.join(', ')}.`, { file });
  const missing = new Set(frames.flatMap(({ features }) => features).filter((name) => !floor.features.includes(name)));
  if (missing.size > 0) say('floor-behind', `A frame requires ${[...missing].join(', ')}, and the floor does not.`, { file });
  const lost = (base?.log.value?.floor.features ?? []).filter((name) => !floor.features.includes(name));
  if (lost.length > 0) say('floor-behind', `The floor has lost ${lost.join(', ')}.`, { file });
}

const folderFiles = ['format.json', sessionLogV1.file, 'wal-feature-floor'];

/** A missing log is damaged, and a missing or malformed format record is named by G3. */
function folderWrong(snapshot: Snapshot, state: StateEvidence, { plan }: Bundle, say: Say): void {
  const malformed = (detail: string, name: string): void => say('session-folder-malformed', detail, { file: state.file(name) });
  // A kill, or a failing call, between the writing of one of them and its renaming leaves it under its first name, which nobody reads.
  const wasCut = snapshot.lineage.some(({ planned }) => isCut(planned));
  const lawful = new Set([...folderFiles, ...(wasCut ? folderFiles.map((name) => `${name}.new`) : [])]);
  for (const { path } of state.files)
    if (!lawful.has(path)) malformed('The state folder holds a file that no session has.', path);
  const format = state.format.value;
  if (format === undefined || plan.value === undefined) return;
  if (format.storage !== sessionLogV1.storage) malformed('The format record names another storage.', 'format.json');
  // A subject of one's own may build on the storage of another, and then bears its name.
  if (format.subject !== plan.value.subject && !isExternal(snapshot))
    malformed('The format record names another subject than the plan.', 'format.json');
}

/** Where to break a session: places that are chosen by what the log holds. */
import { addedFrames, addedRecords, historyIn, logIn } from '../../checks/sessions/derived.js';
import { isGrouped } from '../../checks/sessions/commit-place.js';
import type { FindingCode } from '../../checks/check.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { RecordType } from '../../read/session-records.js';
import type { Editor, Mutation } from '../editor.js';
import { isLeaf, isPlain, onPlace, type Place } from '../places.js';
import { changeFrames, coverAll, renderAgain, type Forged } from './edits.js';

/** Its log can be read whole, it is nobody's beginning, and one process acted in it. */
function isPlace(snapshot: Snapshot, bundle: Bundle): boolean {
  const isRead = snapshot.log.value?.problem === null && snapshot.receipts.value !== undefined;
  return isRead && isLeaf(snapshot, bundle) && snapshot.planned.crash === null;
}

function leaf(fits: (snapshot: Snapshot, bundle: Bundle) => boolean): Place {
  return (editor) => editor.find((snapshot, bundle) => isPlace(snapshot, bundle) && fits(snapshot, bundle));
}

export function has(snapshot: Snapshot, ...types: readonly RecordType[]): boolean {
  const added = new Set(addedFrames(snapshot).map(({ type }) => type));
  return types.every((type) => added.has(type));
}

/** A resume that found a run without any request, dispatched a call and completed it. */
export const completed: Place = leaf((snapshot) => {
  const { role, kill, expect } = snapshot.planned;
  const acted = role === 'resume' && kill === null && expect.outcome === 'completed_once' && isPlain(snapshot);
  return acted && snapshot.base?.receipts.value?.lineCount === 0 && hasHttpResult(snapshot) && has(snapshot, 'run_finished');
});

/** A producer that completed, with a dispatched call, and that nothing continues. */
export const produced: Place = leaf(
  (snapshot) =>
    snapshot.base === undefined && snapshot.planned.kill === null && hasHttpResult(snapshot) && has(snapshot, 'run_finished'),
);

/** The same where barriers are grouped. */
export const grouped: Place = leaf(
  (snapshot, bundle) => snapshot.base === undefined && hasHttpResult(snapshot) && isGrouped(bundle, snapshot),
);

/** The same where every record is a barrier of its own. */
export const apart: Place = leaf((snapshot, bundle) => hasHttpResult(snapshot) && !isGrouped(bundle, snapshot));

function hasHttpResult(snapshot: Snapshot): boolean {
  return addedRecords(snapshot).some(({ type, payload }) => type === 'tool_result' && payload.outcome === 'completed');
}

/** A resume that closed an indeterminate call out. */
export const closedOut: Place = leaf((snapshot) => {
  const found = addedRecords(snapshot).some(({ type, payload }) => type === 'resume_started' && payload.indeterminate.length > 0);
  return found && has(snapshot, 'tool_result', 'run_finished') && snapshot.planned.role === 'resume';
});

/** Any resume that says what it did. */
export const resumed: Place = leaf((snapshot) => has(snapshot, 'resume_started', 'run_finished'));

export const withRecord = (type: RecordType): Place => leaf((snapshot) => has(snapshot, type));

/** A role that was refused for a reason of the session. */
export const refused: Place = leaf((snapshot) => snapshot.answer.value?.session_refusal !== undefined);

/** The log requires features. */
export const featured: Place = leaf((snapshot) => (snapshot.log.value?.floor.features.length ?? 0) > 0);

/** A frame that was added requires one. */
export const requiring: Place = leaf((snapshot) => addedFrames(snapshot).some(({ features }) => features.length > 0));

/** Of the naive loop, where a key was asked for again. */
export const repeated: Place = leaf(
  ({ planned: { role, expect } }) => role === 'restart' && expect.outcome === 'duplicated',
);

/** Drained messages of both classes. */
export const drained: Place = leaf((snapshot) => {
  const submissions = [...historyIn(snapshot).submissions.values()];
  const ran = submissions.filter(({ runs }) => runs.length > 0);
  return ran.some(({ queued }) => queued.delivery === 'interrupt') && ran.some(({ queued }) => queued.delivery === undefined);
});

/** An answer of a person that an intent spends. */
export const spent: Place = leaf((snapshot) =>
  addedRecords(snapshot).some(({ type, payload }) => type === 'tool_dispatch_intent' && payload.approval_seq !== null),
);

/** Breaks frames, and makes everything else agree with them. */
export function onFrames(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  change: (added: Forged[], target: Snapshot) => Forged[] | false | void,
): Mutation {
  return onPlace(find, name, codes, (editor, target) => {
    let isMade = true;
    const inherited = logIn(target.state).frames.length - addedFrames(target).length;
    changeFrames(editor, target, (frames) => {
      const added = frames.slice(inherited);
      const changed = change(added, target);
      isMade = changed !== false;
      return [...frames.slice(0, inherited), ...(Array.isArray(changed) ? changed : added)];
    });
    if (isMade) cover(editor, target);
    return isMade;
  });
}

/** Breaks the first frame of a type that was added. */
export function onFirst(
  find: Place,
  name: string,
  codes: readonly FindingCode[],
  type: RecordType,
  change: (payload: Forged['payload'], frame: Forged) => void,
): Mutation {
  return onFrames(find, name, codes, (added) => {
    const frame = added.find((one) => one.type === type);
    if (frame === undefined) return false;
    change(frame.payload, frame);
    return added;
  });
}

function cover(editor: Editor, target: Snapshot): void {
  renderAgain(editor, target);
  coverAll(editor, target);
}

/** What follows the first added frame of a type is put in its place, with it. */
export function replacing(added: readonly Forged[], type: RecordType, by: (frame: Forged) => readonly Forged[]): Forged[] | false {
  const at = added.findIndex((frame) => frame.type === type);
  const frame = added[at];
  return frame === undefined ? false : [...added.slice(0, at), ...by(frame), ...added.slice(at + 1)];
}

/** Where to break a session: places that are chosen by what the log holds. */
import {
  addedFrames,
  addedRecords,
  historyBefore,
  historyIn,
  inheritedCount,
  logIn,
  sentBy,
} from '../../checks/sessions/derived.js';
import { isGrouped } from '../../checks/sessions/commit-place.js';
import type { FindingCode } from '../../checks/check.js';
import { toolOf } from '../../model/sessions/batch-plan.js';
import type { Call } from '../../model/sessions/history.js';
import { memberOf } from '../../model/values.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { RecordType } from '../../read/session-records.js';
import type { Editor, Mutation } from '../editor.js';
import { isControl, isLeaf, isPlain, onPlace, type Place } from '../places.js';
import { changeFrames, coverAll, renderAgain, type Forged } from './edits.js';

/** Its log can be read whole, nobody continues it, one process acted in it, and nothing in its plan is special. */
function isPlace(snapshot: Snapshot, bundle: Bundle): boolean {
  const isRead = snapshot.log.value?.problem === null && snapshot.receipts.value !== undefined;
  return isRead && isUsual(snapshot, bundle) && isLeaf(snapshot, bundle) && snapshot.planned.crash === null;
}

function leaf(fits: (snapshot: Snapshot, bundle: Bundle) => boolean): Place {
  return (editor) => editor.find((snapshot, bundle) => isPlace(snapshot, bundle) && fits(snapshot, bundle));
}

export function has(snapshot: Snapshot, ...types: readonly RecordType[]): boolean {
  const added = new Set(addedFrames(snapshot).map(({ type }) => type));
  return types.every((type) => added.has(type));
}

/** A resume that found a run without any request, dispatched a call of an HTTP tool and completed it: all receipts are its own. */
export const completed: Place = leaf(
  (snapshot) => snapshot.base?.receipts.value?.lineCount === 0 && isPlain(snapshot) && resumedOnce(snapshot),
);

/** The same, or where the plan has none one that was not the first to ask. */
export const recovered: Place = (editor) => completed(editor) ?? leaf(resumedOnce)(editor);

/** The same, or where the plan has none a producer. */
export const acted: Place = (editor) =>
  recovered(editor) ??
  leaf((snapshot, bundle) => snapshot.base === undefined && isOnce(snapshot) && !isControl(snapshot, bundle))(editor);

function resumedOnce(snapshot: Snapshot): boolean {
  return snapshot.planned.role === 'resume' && isOnce(snapshot);
}

function isOnce(snapshot: Snapshot): boolean {
  const { kill, expect } = snapshot.planned;
  return kill === null && expect.outcome === 'completed_once' && servedByTools(snapshot) && has(snapshot, 'run_finished');
}

/** A resume that went on in a tenure of its own. */
export const continued: Place = leaf((snapshot) => {
  const { base, planned } = snapshot;
  return base !== undefined && planned.role === 'resume' && planned.kill === null && has(snapshot, 'run_finished');
});

/** A producer that completed, with a dispatched call, and that nothing continues. */
export const produced: Place = leaf(
  (snapshot) =>
    snapshot.base === undefined && snapshot.planned.kill === null && servedByTools(snapshot) && has(snapshot, 'run_finished'),
);

/** The same where barriers are grouped. */
export const grouped: Place = leaf(
  (snapshot, bundle) => snapshot.base === undefined && servedByTools(snapshot) && isGrouped(bundle, snapshot),
);

/** Every record is a barrier of its own. */
export const apart: Place = leaf((snapshot, bundle) => servedByTools(snapshot) && !isGrouped(bundle, snapshot));

/** It recorded results, each of them what an HTTP tool answered, and no times. */
function servedByTools(snapshot: Snapshot): boolean {
  const history = historyIn(snapshot);
  const inherited = inheritedCount(snapshot);
  const calls = [...history.callsByKey.values()].filter(({ results }) => results.some(({ seq }) => seq > inherited));
  const isServed = ({ name, results, step }: Call): boolean => {
    const { config } = step.run;
    return toolOf(config, name)?.kind === 'http' && !config.times && results.every(({ outcome }) => outcome === 'completed');
  };
  return calls.length > 0 && calls.every(isServed);
}

/** A resume that closed out an indeterminate call of which the provider has a request. */
export const closedOut: Place = leaf((snapshot) => {
  const found = addedRecords(snapshot).flatMap((record) =>
    record.type === 'resume_started' ? record.payload.indeterminate : [],
  );
  const sent = new Set(sentBy(snapshot).map((line) => line.idempotency_key));
  const closes = has(snapshot, 'tool_result', 'run_finished') && snapshot.planned.role === 'resume';
  return closes && found.some((key) => sent.has(key));
});

/** A resume that went on with a run that another process had begun, and says what it did. */
export const resumed: Place = leaf((snapshot) => {
  const open = historyBefore(snapshot)?.runs.at(-1);
  const isResume = snapshot.planned.role === 'resume' && open !== undefined && open.finished === undefined;
  return isResume && has(snapshot, 'resume_started', 'run_finished');
});

export const withRecord = (type: RecordType): Place => leaf((snapshot) => has(snapshot, type));

/** A role that was refused for a reason of the session that it wanted. */
export const refused: Place = leaf((snapshot) => {
  const told = snapshot.answer.value?.session_refusal;
  return told !== undefined && !told.drift.includes('session_id');
});

/** The log requires features. */
export const featured: Place = leaf((snapshot) => (snapshot.log.value?.floor.features.length ?? 0) > 0);

/** A frame that was added requires one. */
export const requiring: Place = leaf((snapshot) => addedFrames(snapshot).some(({ features }) => features.length > 0));

/** Of the naive loop, where a key was asked for again. */
export const repeated: Place = leaf(({ planned: { role, expect } }) => role === 'restart' && expect.outcome === 'duplicated');

/** Drained messages of both classes. */
export const drained: Place = leaf((snapshot) => {
  const submissions = [...historyIn(snapshot).submissions.values()];
  const ran = submissions.filter(({ runs }) => runs.length > 0);
  return ran.some(({ queued }) => queued.delivery === 'interrupt') && ran.some(({ queued }) => queued.delivery === undefined);
});

/** An answer of a person that an intent spends, where nobody else goes on from the answer. */
export const spent: Place = leaf((snapshot, { cases }) => {
  const siblings = cases
    .find(({ id }) => id === snapshot.caseId)
    ?.snapshots.filter(({ base }) => base?.name === snapshot.base?.name);
  const spends = addedRecords(snapshot).some(
    ({ type, payload }) => type === 'tool_dispatch_intent' && payload.approval_seq !== null,
  );
  return spends && siblings?.length === 1;
});

/** It may grow to its default ceiling, and its provider is strict. */
export function isUsual({ planned }: Snapshot, { plan }: Bundle): boolean {
  const { scenarios = {}, providers = {} } = plan.value ?? {};
  const ceiling = memberOf(memberOf(scenarios[planned.scenario], 'session'), 'ceiling_bytes');
  return typeof ceiling !== 'number' && providers[planned.provider]?.strict === true;
}

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
export function replacing(
  added: readonly Forged[],
  type: RecordType,
  by: (frame: Forged) => readonly Forged[],
): Forged[] | false {
  const at = added.findIndex((frame) => frame.type === type);
  const frame = added[at];
  return frame === undefined ? false : [...added.slice(0, at), ...by(frame), ...added.slice(at + 1)];
}

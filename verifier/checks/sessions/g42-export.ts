/**
 * G42: The inspector exported exactly the frames that the bytes hold, and projected the state that the verifier derives.
 * Verified: every member of every exported frame and the bytes behind the last; every member of the projection but prose.
 * Not verified: `detail`, which is for people; how the inspector read the log.
 */
import { validateSessionState } from '../../contract/session-validators.js';
import { compared, sessionStateOf } from '../../model/sessions/session-state.js';
import type { Snapshot } from '../../read/bundle.js';
import { canonical, sameJson } from '../../read/canonical.js';
import type { SessionFrame } from '../../read/session-records.js';
import { need, perSnapshot, type CaseCheck, type Say } from '../check.js';
import { plannedEvents } from '../derived.js';
import { historyIn, logIn } from './derived.js';
import { once } from './once.js';

export const g42: CaseCheck = {
  guarantee: 'G42',
  sentence: 'The inspector exported exactly the frames that the bytes hold, and projected the state that the verifier derives.',
  covers: 'every exported frame, and every member but prose of the projection, of every snapshot',
  doesNotCover: 'prose; how the inspector read the log',
  codes: ['frames-export-mismatch', 'session-state-mismatch'],
  scope: 'case',
  check: ({ snapshots }) =>
    perSnapshot(
      snapshots,
      // The frames, and the state that they say.
      (snapshot) => plannedEvents(snapshot) + 1,
      (snapshot, say) => {
        if (snapshot.state.unfinished) return nothingExported(snapshot, say);
        const { frames, tornBytes } = logIn(snapshot.state);
        const { log, events, artifacts, projections } = need(snapshot.inspection);
        const mismatch = (detail: string, seq?: number): void =>
          say('frames-export-mismatch', detail, { file: snapshot.file('inspection.json'), seq: seq ?? null });
        const exported: readonly unknown[] = log?.frames ?? [];
        const wrong = firstDifferent(frames, exported);
        if (wrong >= 0) mismatch('A frame differs from the exported one.', frames[wrong]?.seq);
        if (exported.length !== frames.length) mismatch('Another number of frames was exported.');
        if (log?.torn_bytes !== tornBytes) mismatch('Another number of bytes behind the last frame was exported.');
        if ([events, artifacts, projections].some((part) => part !== undefined)) mismatch('A session has no ledger to export.');
        stateWrong(snapshot, say);
        return frames.length + 1;
      },
    ),
};

/** A session that was never finished has nothing to export, and one thing to judge: that nothing is. */
function nothingExported(snapshot: Snapshot, say: Say): number {
  const { log, session, events, artifacts, projections } = need(snapshot.inspection);
  if ([log, session, events, artifacts, projections].some((part) => part !== undefined))
    say('frames-export-mismatch', 'A session that was never finished is exported.', { file: snapshot.file('inspection.json') });
  return 1;
}

function firstDifferent(frames: readonly SessionFrame[], exported: readonly unknown[]): number {
  return frames.findIndex((frame, index) => {
    const other = exported[index];
    return textOf(frame) !== JSON.stringify(other) && !sameJson(frame, other);
  });
}

/** An export that was read is canonical, so nearly all equal frames have equal text. */
const textOf = once((frame: SessionFrame): string => canonical(frame));

function stateWrong(snapshot: Snapshot, say: Say): void {
  const mismatch = (detail: string): void => say('session-state-mismatch', detail, { file: snapshot.file('inspection.json') });
  const derived = sessionStateOf(historyIn(snapshot));
  const told = need(snapshot.inspection).session;
  if (derived === null) return mismatch('The log names no session.');
  if (told === undefined || !validateSessionState(told)) return mismatch('The projection is not that of a session.');
  if (sameJson(compared(told), compared(derived))) return;
  mismatch(`The projection differs in ${differing(told, derived).join(', ')}.`);
}

type State = NonNullable<ReturnType<typeof sessionStateOf>>;

function differing(told: State, derived: State): string[] {
  const names = Object.keys(derived) as (keyof State)[];
  const own = (state: State) => compared(state) as Record<string, unknown>;
  return names.filter((name) => !sameJson(own(told)[name], own(derived)[name]));
}

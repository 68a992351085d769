/**
 * Where in a log a process stood when it announced a place. A barrier is one write and one sync, so the log of a process that stood there ends
 * with that barrier, whole, and no byte lies behind it. Frames of one barrier share what was durable before it, which tells barriers apart
 * without any list of what may be in one.
 */
import { checkpoints } from '../../contract/data.js';
import { callOfKey, stepOfKey } from '../../model/sessions/requests.js';
import type { Bundle, Snapshot } from '../../read/bundle.js';
import type { SessionFrame } from '../../read/session-records.js';
import { addedRequests } from '../derived.js';
import type { Place } from '../parking.js';
import type { Departure } from '../subject-model.js';
import { addedFrames, historyIn, logIn } from './derived.js';

const { read, any } = checkpoints['sessions/v1'];
const reads: readonly string[] = read;
const [anyCommit] = any;

export function isGrouped({ plan }: Bundle, snapshot: Snapshot): boolean {
  return plan.value?.scenarios[snapshot.planned.scenario]?.commit === 'grouped';
}

/**
 * The last frame of a process that stood at a place, among those that it and whoever wrote on added; null where the barrier of its place is
 * not there.
 */
export function standsAt({ checkpoint, occurrence }: Place, added: readonly SessionFrame[]): SessionFrame | null {
  const groups = barriersOf(added);
  if (checkpoint === anyCommit) return groups[occurrence - 1]?.at(-1) ?? null;
  const armed = added.filter(({ type }) => type === checkpoint)[occurrence - 1];
  return (armed && groups.find((group) => group.includes(armed)))?.at(-1) ?? null;
}

/** Null where the frames that a process added are those of its place. */
export function departureFrom({ checkpoint, occurrence }: Place, snapshot: Snapshot): Departure | null {
  // The frame that a log is created with is no commit of what a process has to say.
  const added = addedFrames(snapshot).filter(({ seq }) => seq > 1);
  const last = added.at(-1);
  if (reads.includes(checkpoint)) {
    // Before a later reading of one role lies what it did after the earlier ones.
    if (occurrence !== 1 || last === undefined) return null;
    return { detail: 'Frames were added although only the log had been read.', seq: added[0]?.seq ?? null };
  }
  if (last !== undefined && logIn(snapshot.state).tornBytes > 0)
    return { detail: 'Bytes lie behind the last frame of a process that stood still.', seq: last.seq };
  const groups = barriersOf(added);
  if (checkpoint === anyCommit) {
    if (groups.length === occurrence) return null;
    return { detail: `The log does not end with the barrier that is number ${occurrence} of its role.`, seq: last?.seq ?? null };
  }
  const armed = added.filter(({ type }) => type === checkpoint)[occurrence - 1];
  if (armed === undefined) return { detail: 'The announced record is not in the log.', seq: null };
  if (groups.at(-1)?.includes(armed) === true) return null;
  return { detail: 'The log does not end with the barrier of the announced record.', seq: armed.seq + 1 };
}

/** In order; what was appended and not synced alone belongs to the barrier that follows it. */
export function barriersOf(frames: readonly SessionFrame[]): SessionFrame[][] {
  const groups: SessionFrame[][] = [];
  for (const frame of frames) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group === undefined || first?.synced !== frame.synced || first.fence !== frame.fence) groups.push([frame]);
    else group.push(frame);
  }
  return groups;
}

/** A request is open, and so is every one that was held: that of a step without an answer, or of a call with an intent and no terminal. */
export function endsWithIntent(snapshot: Snapshot): boolean {
  const history = historyIn(snapshot);
  const run = history.runs.at(-1);
  const step = run?.steps.at(-1);
  if (step === undefined || run?.finished !== undefined) return false;
  const open = new Set(step.calls.filter(({ intents, results }) => intents.length > 0 && results.length === 0));
  if (step.finished !== undefined && open.size === 0) return false;
  const held = addedRequests(snapshot).filter(
    ({ settled }) => settled?.ended === 'gone_while_held' || settled?.ended === 'held_at_close',
  );
  return held.every(({ received: { idempotency_key: key } }) => {
    const call = callOfKey(history, key);
    return call === null ? stepOfKey(history, key)?.step === step && step.finished === undefined : open.has(call);
  });
}

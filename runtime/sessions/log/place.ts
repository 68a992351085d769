/**
 * Where a frame may stand: behind which frame, in which log.
 *
 * A frame that is whole and stands where no writer would have put it was moved, or comes from another log. No crash does that.
 */
import { isKnown, type Frame } from '../core/records.js';

export interface Lineage {
  identity: string;
  sessionId: string;
}

/** What the frames so far say. */
export interface Place {
  lastSeq: number;
  lastFence: number;
  lastSynced: number;
  lineage: Lineage | null;
}

export const beginning: Place = { lastSeq: 0, lastFence: 1, lastSynced: 0, lineage: null };

export function lineageOf(frame: Frame): Lineage | null {
  if (!isKnown(frame) || frame.type !== 'lineage') return null;
  return { identity: frame.payload.identity, sessionId: frame.payload.session_id };
}

export function sameLineage(left: Lineage, right: Lineage): boolean {
  return left.identity === right.identity && left.sessionId === right.sessionId;
}

/** Why a frame cannot be the next one; null where it is. */
export function placeProblem(frame: Frame, { lastSeq, lastFence, lastSynced, lineage }: Place): string | null {
  const { seq, fence, synced } = frame;
  if (seq !== lastSeq + 1) return `is frame ${seq} in the place of frame ${lastSeq + 1}`;
  if (fence < lastFence) return `has the fence ${fence}, after ${lastFence}`;
  if (synced < lastSynced) return `says that ${synced} frames were durable, after ${lastSynced}`;
  if (synced >= seq) return `says that it was durable before it was written`;
  const named = lineageOf(frame);
  if (named === null) return lineage === null ? 'does not name the log, as the first one must' : null;
  return lineage === null || sameLineage(named, lineage) ? null : 'is of another log';
}

export function after(frame: Frame, place: Place): Place {
  const { seq, fence, synced } = frame;
  return { lastSeq: seq, lastFence: fence, lastSynced: synced, lineage: place.lineage ?? lineageOf(frame) };
}

/**
 * What lies behind a place at which no frame can be read: a torn tail, or damage.
 *
 * A crash, a power loss too, can lose any part of what was never synced: the last barrier, of which a later frame may be there and an
 * earlier one not. It cannot lose what was durable when a later frame was written, and each frame says what that was. So the intact
 * frames behind decide. A length is no reason to hash without end: past four times the rest of the file the search is over, and loud.
 */
import type { Frame } from '../core/records.js';
import { digestOf, extentAt, interpret, magic, prefixBytes, type Extent, type Reading } from './frame.js';
import { lineageOf, sameLineage, type Lineage, type Place } from './place.js';
import type { Window } from './window.js';

/** Candidate bytes that may be hashed, in sizes of the rest of the file. */
const hashedMax = 4;
/** A frame that is larger is hashed in pieces and never held whole. */
const heldMax = 8 << 20;

export type Tail =
  | { is: 'torn'; hashed: number }
  | { is: 'newer'; names: string[]; offset: number; hashed: number }
  | { is: 'damaged'; what: string; hashed: number };

/** How far a frame at this place would reach; null where none begins, or it would reach over the end of the file. */
export function extentIn(window: Window, offset: number): Extent | null {
  const at = window.hold(offset, prefixBytes);
  const extent = at < 0 ? null : extentAt(window.bytes, at);
  return extent === null || extent.size > window.size - offset ? null : extent;
}

/** What the frame at this place means; null where its bytes are not those that its digest was made of. */
export function readExtent(window: Window, offset: number, extent: Extent): Reading | null {
  if (extent.size > heldMax) return readInPieces(window, offset, extent);
  const at = window.hold(offset, extent.size);
  const digest = at < 0 ? null : digestOf(window.bytes, at, extent);
  return digest === null ? null : interpret(window.bytes, at, extent, digest, offset);
}

function readInPieces(window: Window, offset: number, extent: Extent): Reading | null {
  const headSize = prefixBytes + extent.headerSize;
  const digestAt = headSize + extent.payloadSize;
  const digest = window.digest(offset, digestAt);
  const end = window.hold(offset + digestAt, extent.size - digestAt);
  if (digest === null || end < 0 || digest !== window.bytes.toString('hex', end, end + extent.size - digestAt)) return null;
  const at = window.hold(offset, headSize);
  return at < 0 ? null : interpret(window.bytes, at, extent, digest, offset);
}

/** Decides what the bytes from `from` on are. The frame there cannot be read; `place` is what stands before it. */
export function searchTail(window: Window, from: number, place: Place): Tail {
  const hashedAtMost = hashedMax * (window.size - from);
  const found = new Found(place);
  let hashed = 0;
  for (let at = nextMagic(window, from + 1); at !== null;) {
    const extent = extentIn(window, at);
    hashed += extent?.size ?? 0;
    if (hashed > hashedAtMost) return { is: 'damaged', what: 'more of what follows looks like frames than can be read', hashed };
    const reading = extent === null ? null : readExtent(window, at, extent);
    if (reading !== null) found.add(reading, at);
    at = nextMagic(window, at + (reading === null || extent === null ? 1 : extent.size));
  }
  return { ...found.verdict(), hashed };
}

/** The offset of the next magic at or behind a place; null where there is none. */
function nextMagic(window: Window, from: number): number | null {
  for (let at = from; ;) {
    // Held together, so that none is missed where one piece ends.
    if (window.hold(at, magic.length) < 0) return null;
    const bytes = window.rest(at);
    const index = bytes.indexOf(magic);
    if (index >= 0) return at + index;
    at += bytes.length - magic.length + 1;
  }
}

/** The intact frames behind the place, folded: of what they prove, the first line of the table that fits. */
class Found {
  private newer: { names: string[]; offset: number } | null = null;
  private moved: string | null = null;
  private foreign = false;
  private last: Frame | null = null;
  private lineage: Lineage | null;

  constructor(private readonly place: Place) {
    this.lineage = place.lineage;
  }

  add(reading: Reading, offset: number): void {
    if (reading.is === 'newer') this.newer ??= { names: reading.names, offset };
    else if (reading.is === 'damaged') this.moved ??= `the frame at ${offset} ${reading.what}`;
    else this.addFrame(reading.frame);
  }

  verdict(): { is: 'torn' } | { is: 'newer'; names: string[]; offset: number } | { is: 'damaged'; what: string } {
    if (this.newer !== null) return { is: 'newer', ...this.newer };
    if (this.moved !== null) return { is: 'damaged', what: this.moved };
    return this.foreign ? { is: 'damaged', what: 'what follows is of another log' } : { is: 'torn' };
  }

  private addFrame(frame: Frame): void {
    const missing = this.place.lastSeq + 1;
    const { seq, fence, synced } = frame;
    const { last } = this;
    if (synced >= missing) this.moved ??= `frame ${seq} says that frame ${missing} was durable`;
    else if (seq <= missing || (last !== null && seq <= last.seq)) this.moved ??= `frame ${seq} stands behind it`;
    else if (synced < this.place.lastSynced || fence < this.place.lastFence)
      this.moved ??= `frame ${seq} is older than what it follows`;
    else if (last !== null && (synced !== last.synced || fence !== last.fence))
      this.moved ??= `frame ${seq} is of another barrier`;
    this.last = frame;
    const named = lineageOf(frame);
    if (named !== null && this.lineage !== null && !sameLineage(named, this.lineage)) this.foreign = true;
    this.lineage ??= named;
  }
}

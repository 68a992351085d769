/**
 * Reads a session log from its front and says what it is, as the table of the contract does: whole, with a torn tail, damaged, or newer.
 *
 * Nothing is written. A tail that a crash explains is told and left; everything else refuses, so that nobody goes on from a shorter
 * history. Memory is bounded by the largest frame, time by the size of the file.
 */
import { sessionLogV1 } from '../../contract/data.js';
import { demandRegular, readError, systemCode, updateError } from '../../store/read-error.js';
import type { Frame } from '../core/records.js';
import { systemFiles, type Files } from './files.js';
import { after, beginning, placeProblem, type Place } from './place.js';
import type { Reading } from './frame.js';
import { damaged, missing, newer } from './refusal.js';
import { extentIn, readExtent, searchTail } from './tail.js';
import { Window } from './window.js';

export interface Scan {
  lastSeq: number;
  lastFence: number;
  /** Null in a log without a frame. */
  identity: string | null;
  sessionId: string | null;
  /** Where the next frame goes. */
  end: number;
  /** Bytes of a last write that was not finished. */
  tornBytes: number;
  /** What the frames require, sorted. */
  features: string[];
}

/** Throws `SessionError`: `log-damaged` with the offset, `newer-writer` with the names, `log-missing`. */
export function scanLog(path: string, onFrame: (frame: Frame) => void, files: Files = systemFiles): Scan {
  const descriptor = openLog(path, 'r', files);
  try {
    return scanDescriptor(path, descriptor, onFrame, files);
  } finally {
    files.closeSync(descriptor);
  }
}

export function openLog(path: string, flags: 'r' | 'r+', files: Files): number {
  if (!demandRegular(path)) throw missing(path);
  try {
    return files.openSync(path, flags);
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') throw missing(path, cause);
    throw flags === 'r' ? readError(path, cause) : updateError(path, cause);
  }
}

/** As `scanLog`, of a log that the caller has open. */
export function scanDescriptor(path: string, descriptor: number, onFrame: (frame: Frame) => void, files: Files): Scan {
  try {
    const window = new Window(files, descriptor, files.fstatSync(descriptor).size);
    if (window.size > sessionLogV1.ceiling_bytes)
      throw damaged(path, sessionLogV1.ceiling_bytes, 'it is larger than a log can be');
    return scanWindow(path, window, onFrame);
  } catch (cause) {
    // A read error is never the end of a log.
    throw systemCode(cause) === null ? cause : readError(path, cause);
  }
}

function scanWindow(path: string, window: Window, onFrame: (frame: Frame) => void): Scan {
  const features = new Set<string>();
  let place: Place = beginning;
  let at = 0;
  while (at < window.size) {
    const extent = extentIn(window, at);
    const reading = extent === null ? null : readExtent(window, at, extent);
    if (extent === null || reading === null) {
      demandTorn(path, window, at, place);
      break;
    }
    const frame = demandFrame(path, reading, at, place);
    for (const name of frame.features) features.add(name);
    place = after(frame, place);
    at += extent.size;
    onFrame(frame);
  }
  const { lastSeq, lastFence, lineage } = place;
  const { identity, sessionId } = lineage ?? { identity: null, sessionId: null };
  const tornBytes = window.size - at;
  return { lastSeq, lastFence, identity, sessionId, end: at, tornBytes, features: [...features].sort() };
}

function demandFrame(path: string, found: Reading, at: number, place: Place): Frame {
  if (found.is === 'newer') throw newer(path, found.names, at);
  const problem = found.is === 'damaged' ? found.what : placeProblem(found.frame, place);
  if (found.is === 'damaged' || problem !== null) throw damaged(path, at, `the frame there ${problem}`);
  return found.frame;
}

/** Refuses what follows a place at which no frame can be read, unless a crash explains it. */
function demandTorn(path: string, window: Window, at: number, place: Place): void {
  const tail = searchTail(window, at, place);
  if (tail.is === 'newer') throw newer(path, tail.names, tail.offset);
  if (tail.is === 'damaged') throw damaged(path, at, `frame ${place.lastSeq + 1} cannot be read there, and ${tail.what}`);
}

/**
 * `session.wal` and `wal-feature-floor` → frames, or the reason why not. The verifier's own decoder, from the byte diagram of the contract;
 * header and payload must be canonical and of their shapes.
 *
 * A runtime refuses a log that is damaged or written by a newer one. A judge goes on: every frame before the place with the problem is
 * given, with what a reader of the runtime makes of the whole. Damage in the last barrier with nothing behind it cannot be told from a
 * tear, here as there. Linear in the file, whatever its bytes are.
 */
import { readFeatureFloor, type FeatureFloor } from './feature-floor.js';
import { fileSha256 } from './hash.js';
import { Memory } from './memory.js';
import { identityOf, intactAt, meaningOf, spanAt, type IntactFrame, type Meaning, type Said } from './session-frame.js';
import { isRecord, type SessionFrame, type SessionRecord } from './session-records.js';
import { judgeTail, type Before } from './session-tail.js';

export type LogProblem =
  | {
      readonly is: 'damaged';
      readonly offset: number;
      /**
       * `unreadable`: no frame at the place, although it was durable once. `budget`: that could not be found out. `malformed`: an intact
       * frame that no writer writes. `out_of_place`: an intact frame with a number that does not follow. `foreign`: of another log.
       */
      readonly cause: 'unreadable' | 'budget' | 'malformed' | 'out_of_place' | 'foreign';
      readonly detail: string;
    }
  | { readonly is: 'newer'; readonly offset: number; readonly names: readonly string[] };

export interface SessionLog {
  readonly bytes: Buffer;
  readonly floor: FeatureFloor;
  /** Before the place with the problem, where there is one; in order. */
  readonly frames: readonly SessionFrame[];
  /** Those of a known type: all but informational ones that are skipped. */
  readonly records: readonly SessionRecord[];
  /** Behind the last frame, where it is a torn tail. */
  readonly tornBytes: number;
  /** Of the log alone; what a floor refuses is in the floor. */
  readonly problem: LogProblem | null;
  /** What a reader of the runtime makes of log and floor. */
  readonly verdict: 'ok' | 'torn' | 'damaged' | 'newer';
}

export function readSessionLog(bytes: Buffer, floorBytes?: Buffer, memory = new Memory()): SessionLog {
  const key = floorBytes === undefined ? '' : fileSha256(floorBytes);
  const slots = memory.sessionLogs.get(bytes) ?? new Map<string, SessionLog>();
  memory.sessionLogs.set(bytes, slots);
  const log = slots.get(key) ?? parse(bytes, readFeatureFloor(floorBytes), memory);
  slots.set(key, log);
  return log;
}

function parse(bytes: Buffer, floor: FeatureFloor, memory: Memory): SessionLog {
  const frames: SessionFrame[] = [];
  let before: Before = { seq: 0, fence: 0, synced: 0, identity: null };
  let at = 0;
  let problem: LogProblem | null = null;
  while (at < bytes.length && problem === null) {
    const span = spanAt(bytes, at);
    const intact = span === null ? null : intactAt(bytes, at, span);
    if (intact === null) break;
    const meaning = remembered(intact, memory);
    problem = problemOf(meaning, at, before);
    if (problem !== null || meaning.is !== 'frame') break;
    const { said } = meaning;
    frames.push({ ...said, offset: at, size: intact.size, digest: intact.digest });
    before = { seq: said.seq, fence: said.fence, synced: said.synced, identity: before.identity ?? identityOf(said) };
    at += intact.size;
  }
  problem ??= at < bytes.length ? problemOfTail(bytes, at, before) : null;
  const tornBytes = problem === null ? bytes.length - at : 0;
  const verdict = floor.unread.length > 0 ? 'newer' : (problem?.is ?? (tornBytes > 0 ? 'torn' : 'ok'));
  return { bytes, floor, frames, records: frames.filter(isRecord), tornBytes, problem, verdict };
}

/** An arm's copy begins with the frames of its base. */
function remembered(intact: IntactFrame, { frames }: Memory): Meaning {
  const before = frames.get(intact.digest);
  if (before !== undefined) return before;
  const meaning = meaningOf(intact);
  frames.set(intact.digest, meaning);
  return meaning;
}

function problemOf(meaning: Meaning, offset: number, before: Before): LogProblem | null {
  if (meaning.is === 'newer') return { is: 'newer', offset, names: meaning.names };
  if (meaning.is === 'malformed') return { is: 'damaged', offset, cause: 'malformed', detail: meaning.detail };
  const { said } = meaning;
  const detail = misplaced(said, before);
  if (detail !== null) return { is: 'damaged', offset, cause: 'out_of_place', detail };
  const identity = identityOf(said);
  if (identity === null && before.identity === null)
    return { is: 'damaged', offset, cause: 'out_of_place', detail: 'The first frame does not name the log.' };
  if (identity === null || before.identity === null || identity === before.identity) return null;
  return { is: 'damaged', offset, cause: 'foreign', detail: 'The lineage frame names another log.' };
}

function misplaced({ seq, fence, synced }: Said, before: Before): string | null {
  if (seq !== before.seq + 1) return `Frame ${seq} follows frame ${before.seq}.`;
  if (fence < before.fence) return `The fence of frame ${seq} falls.`;
  if (synced < before.synced) return `Frame ${seq} knows of fewer durable frames than the one before it.`;
  return synced < seq ? null : `Frame ${seq} says that it was durable before it was written.`;
}

function problemOfTail(bytes: Buffer, offset: number, before: Before): LogProblem | null {
  const tail = judgeTail(bytes, offset, before);
  if (tail.is === 'torn') return null;
  return tail.is === 'newer' ? tail : { ...tail, offset };
}

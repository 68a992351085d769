/**
 * Bytes of a session log → frames, or what the contract's tables make of it ("The session log"): whole, torn, damaged or a newer writer's.
 * Every place behind a damaged one is tried, byte for byte.
 */
import { createHash } from 'node:crypto';
import { canonicalObject, hasMembers, objectIn, type Members } from './text.js';

export interface Frame {
  readonly seq: number;
  readonly type: string;
  readonly kind: number;
  readonly fence: number;
  readonly synced: number;
  readonly features: readonly string[];
  readonly payload: Payload;
  readonly digest: string;
}

export interface Planned {
  readonly tool_call_id: string;
  readonly name: string;
  readonly plan: 'dispatch' | 'no_dispatch';
  readonly reason: string | null;
}

export interface Tool {
  readonly name: string;
  readonly approval: 'never' | 'required' | 'blocked';
  readonly on_unknown: 'interrupt' | 'continue';
  readonly safety: 'side_effect' | 'idempotent' | 'pure';
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What any payload may hold, as far as something is decided by it. */
export interface Payload {
  readonly identity?: string;
  readonly session_id?: string;
  readonly run_id?: string;
  readonly step_id?: string;
  readonly batch_id?: string;
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly arguments_sha256?: string;
  readonly approval_seq?: number | null;
  readonly request_seq?: number;
  readonly decision?: 'approved' | 'denied';
  readonly outcome?: string;
  readonly reason?: string;
  readonly attempt?: number;
  readonly watermark_seq?: number;
  readonly assistant?: { readonly text: string | null; readonly tool_calls: readonly ModelCall[] };
  readonly mode?: 'sequential' | 'parallel';
  readonly planned?: readonly Planned[];
  readonly submission_id?: string;
  readonly delivery?: 'interrupt';
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly send_id?: string;
  readonly input?: { readonly text: string };
  readonly at?: 'step_boundary' | 'now';
  readonly error?: { readonly code: string } | null;
  readonly config?: {
    readonly tools: readonly Tool[];
    readonly batch: 'sequential' | 'parallel';
    readonly max_steps: number;
    readonly model_leg: 'rerun' | 'intent';
    readonly model_attempts: number;
  };
}

/** What was read, and how it ended. Frames are those before the place. */
export interface Log {
  readonly is: 'ok' | 'torn' | 'damaged' | 'newer';
  readonly why: Why | '';
  readonly frames: readonly Frame[];
  readonly floor: readonly string[];
}

export type Why =
  | 'another version'
  | 'another kind'
  | 'a header that is not canonical or not of its shape'
  | 'it requires a feature which it does not read'
  | 'of a type that it does not know'
  | 'a payload that is not canonical'
  | 'a payload that is not of its shape'
  | 'a type of another kind'
  | 'a floor that names a feature which it does not read'
  | 'a first frame that is no lineage frame'
  | 'a seq that is not the next'
  | 'a `fence` that falls'
  | 'a `synced` that falls'
  | '`synced` ≥ seq'
  | 'a lineage frame that names another log'
  | 'more candidate bytes to hash than four times the rest'
  | 'an intact frame that this reader cannot interpret'
  | 'an intact frame behind it is damaged'
  | 'k was durable, or was moved'
  | 'out of order among them'
  | 'a foreign tail'
  | 'of another barrier'
  | 'a torn tail';

const [record, informational, lineage] = [1, 2, 3];
const members: Members = {
  lineage: 'identity session_id',
  run_started: 'run_id session_id config input submission_id?',
  step_started: 'run_id step_id watermark_seq',
  model_attempt_started: 'run_id step_id attempt request',
  model_attempt_finished: 'run_id step_id attempt request response http_status content_type response_body_cap outcome ts_ms',
  model_step_finished: 'run_id step_id assistant usage',
  approval_requested: 'run_id step_id batch_id tool_call_id name arguments_sha256 deferred_at_ms?',
  approval_resolved: 'run_id batch_id tool_call_id request_seq decision by closed_at_ms?',
  tool_batch_started: 'run_id batch_id step_id mode planned',
  tool_dispatch_intent: 'run_id batch_id tool_call_id name arguments approval_seq dispatched_at_ms?',
  tool_no_dispatch: 'run_id batch_id tool_call_id reason dispatched_at_ms?',
  tool_result: 'run_id batch_id tool_call_id outcome output is_error reason? finished_at_ms?',
  tool_batch_finished: 'run_id batch_id',
  turn_finished: 'run_id step_id',
  resume_started: 'run_id episode resumed_from_seq replayed redone indeterminate',
  steered: 'run_id input send_id?',
  queued: 'submission_id input delivery?',
  retracted: 'submission_id',
  run_cancel_requested: 'run_id at',
  run_paused: 'run_id reason',
  run_finished: 'run_id reason error usage',
};
const read = ['steer-queue/v1', 'run-cancel-at/v1', 'tool-times/v1', 'model-intent/v1'];

export const kindOf = (type: string): number =>
  type === 'lineage' ? lineage : type === 'resume_started' || type === 'model_attempt_finished' ? informational : record;
export const isKnown = (type: string): boolean => Object.keys(members).includes(type);

type Found = { readonly is: 'frame'; readonly frame: Frame } | { readonly is: 'newer' | 'damaged'; readonly why: Why };

/** `digest`: replay trusts the digest of a payload, and does not serialise it again (DESIGN, 4 (a)). */
export type Trust = 'text' | 'digest';

/** What stands at a place: null where no intact frame does. */
function frameAt(bytes: Buffer, at: number, trust: Trust): { readonly size: number; readonly found: Found } | null {
  if (at + 44 > bytes.length || bytes.toString('hex', at, at + 4) !== 'f54b5057') return null;
  const [headerSize, payloadSize] = [bytes.readUInt16BE(at + 6), bytes.readUInt32BE(at + 8)];
  const size = 12 + headerSize + payloadSize + 32;
  if (headerSize > 4096 || at + size > bytes.length) return null;
  const digest = createHash('sha256')
    .update(bytes.subarray(at, at + size - 32))
    .digest('hex');
  if (digest !== bytes.toString('hex', at + size - 32, at + size)) return null;
  const header = bytes.toString('utf8', at + 12, at + 12 + headerSize);
  const payload = bytes.toString('utf8', at + 12 + headerSize, at + size - 32);
  return { size, found: meaningOf(bytes.readUInt8(at + 4), bytes.readUInt8(at + 5), header, payload, digest, trust) };
}

function meaningOf(version: number, kind: number, headerText: string, payloadText: string, digest: string, trust: Trust): Found {
  if (version !== 1) return { is: 'newer', why: 'another version' };
  if (![record, informational, lineage].includes(kind)) return { is: 'newer', why: 'another kind' };
  const header = canonicalObject(headerText);
  if (header === null || !hasMembers(header, 'features fence seq synced type'))
    return { is: 'damaged', why: 'a header that is not canonical or not of its shape' };
  const { features, fence, seq, synced, type } = header as unknown as Frame;
  if (features.some((feature) => !read.includes(feature)))
    return { is: 'newer', why: 'it requires a feature which it does not read' };
  const isSkipped = kind === informational && features.length === 0;
  if (!isKnown(type) && !isSkipped) return { is: 'newer', why: 'of a type that it does not know' };
  const payload = trust === 'text' ? canonicalObject(payloadText) : objectIn(payloadText);
  if (payload === null) return { is: 'damaged', why: 'a payload that is not canonical' };
  if (isKnown(type) && !hasMembers(payload, members[type] ?? ''))
    return { is: 'damaged', why: 'a payload that is not of its shape' };
  if (isKnown(type) && kindOf(type) !== kind) return { is: 'damaged', why: 'a type of another kind' };
  return { is: 'frame', frame: { seq, type, kind, fence, synced, features, payload: payload as Payload, digest } };
}

export function readLog(bytes: Buffer, floorBytes: Buffer | undefined, trust: Trust = 'text'): Log {
  const frames: Frame[] = [];
  const floor = floorIn(floorBytes);
  const told = (is: Log['is'], why: Log['why']): Log => ({ is, why, frames, floor });
  const unread = floor.filter((name) => !read.includes(name));
  if (unread.length > 0) return told('newer', 'a floor that names a feature which it does not read');
  let at = 0;
  while (at < bytes.length) {
    const here = frameAt(bytes, at, trust);
    if (here === null) {
      const tail = tailOf(bytes, at, frames, trust);
      return told(tail.is, tail.why);
    }
    if (here.found.is !== 'frame') return told(here.found.is, here.found.why);
    const wrong = outOfPlace(here.found.frame, frames);
    if (wrong !== null) return told('damaged', wrong);
    frames.push(here.found.frame);
    at += here.size;
  }
  return told('ok', '');
}

function floorIn(floor: Buffer | undefined): readonly string[] {
  return floor === undefined ? [] : ((JSON.parse(floor.toString('utf8')) as { features: string[] }).features ?? []);
}

/** "An intact frame that is out of place (…) is damage." */
function outOfPlace(frame: Frame, before: readonly Frame[]): Why | null {
  const last = before.at(-1);
  if (last === undefined && frame.type !== 'lineage') return 'a first frame that is no lineage frame';
  if (frame.seq !== (last?.seq ?? 0) + 1) return 'a seq that is not the next';
  if (frame.fence < (last?.fence ?? 1)) return 'a `fence` that falls';
  if (frame.synced < (last?.synced ?? 0)) return 'a `synced` that falls';
  if (frame.synced >= frame.seq) return '`synced` ≥ seq';
  return isForeign(frame, before) ? 'a lineage frame that names another log' : null;
}

function isForeign(frame: Frame, others: readonly Frame[]): boolean {
  if (frame.type !== 'lineage') return false;
  return others.some(
    ({ type, payload }) =>
      type === 'lineage' && (payload.identity !== frame.payload.identity || payload.session_id !== frame.payload.session_id),
  );
}

/** The lines of the table about what lies behind a place where frame k cannot be read; the first that fits. */
function tailOf(
  bytes: Buffer,
  place: number,
  before: readonly Frame[],
  trust: Trust,
): { is: 'torn' | 'damaged' | 'newer'; why: Why } {
  const k = (before.at(-1)?.seq ?? 0) + 1;
  const behind: Found[] = [];
  let hashed = 0;
  let at = place + 1;
  while (at < bytes.length) {
    hashed += candidateSize(bytes, at);
    const here = frameAt(bytes, at, trust);
    if (here !== null) behind.push(here.found);
    at += here?.size ?? 1;
  }
  if (hashed > 4 * (bytes.length - place)) return { is: 'damaged', why: 'more candidate bytes to hash than four times the rest' };
  if (behind.some(({ is }) => is === 'newer')) return { is: 'newer', why: 'an intact frame that this reader cannot interpret' };
  if (behind.some(({ is }) => is === 'damaged')) return { is: 'damaged', why: 'an intact frame behind it is damaged' };
  const frames = behind.flatMap((found) => (found.is === 'frame' ? [found.frame] : []));
  for (const [index, frame] of frames.entries()) {
    if (frame.synced >= k || frame.seq <= k) return { is: 'damaged', why: 'k was durable, or was moved' };
    if (frames.slice(0, index).some(({ seq }) => seq >= frame.seq)) return { is: 'damaged', why: 'out of order among them' };
  }
  if (frames.some((frame) => isForeign(frame, [...before, ...frames]))) return { is: 'damaged', why: 'a foreign tail' };
  // Frames of one barrier share `synced`, and what one call wrote one tenure wrote.
  const [first] = frames;
  const isOneBarrier = frames.every(({ synced, fence }) => synced === first?.synced && fence === first.fence);
  const isLater =
    first === undefined || (first.synced >= (before.at(-1)?.synced ?? 0) && first.fence >= (before.at(-1)?.fence ?? 1));
  return isOneBarrier && isLater ? { is: 'torn', why: 'a torn tail' } : { is: 'damaged', why: 'of another barrier' };
}

/** How much is hashed where a frame might begin. */
function candidateSize(bytes: Buffer, at: number): number {
  if (at + 44 > bytes.length || bytes.toString('hex', at, at + 4) !== 'f54b5057') return 0;
  const size = 44 + bytes.readUInt16BE(at + 6) + bytes.readUInt32BE(at + 8);
  return bytes.readUInt16BE(at + 6) > 4096 || at + size > bytes.length ? 0 : size;
}

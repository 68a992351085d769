/**
 * Drafts on their way into the log: checked before anything is written, and encoded once their place is known.
 *
 * A draft that has not the shape of its type, does not fit its cap, or holds text that has no bytes is refused here, with nothing written.
 */
import { canonical } from '../../core/canonical.js';
import { RuntimeError } from '../../core/errors.js';
import { featuresOf, kindOf, payloadCap, shapeProblem, type Draft, type Frame, type Told } from '../core/records.js';
import { encodeFrame, sizeBound } from './frame.js';

/** A record that may be written: its payload as text, what it requires, and how many bytes it can have at most. */
export interface Prepared {
  record: Told;
  text: string;
  /** Bytes of the text. */
  size: number;
  features: string[];
  bound: number;
}

/** What a frame says of its place. */
export interface Stamp {
  seq: number;
  fence: number;
  synced: number;
  offset: number;
}

/** Throws `input-invalid` for what cannot be recorded. */
export function prepare(record: Told): Prepared {
  const { type, payload } = record;
  const problem = shapeProblem(type, payload);
  if (problem !== null) throw new RuntimeError('input-invalid', `${type} cannot be recorded: ${problem}.`);
  const text = canonical(payload);
  const size = Buffer.byteLength(text);
  if (size > payloadCap(type))
    throw new RuntimeError(
      'input-invalid',
      `${type} cannot be recorded: it has ${size} bytes, and at most ${payloadCap(type)} fit. Make it shorter.`,
    );
  const features = type === 'lineage' ? [] : featuresOf(record as Draft);
  return { record, text, size, features, bound: sizeBound(type, features, size) };
}

export function encode(
  { record, text, size, features }: Prepared,
  { seq, fence, synced, offset }: Stamp,
): { bytes: Buffer; frame: Frame } {
  const { type } = record;
  const kind = kindOf(type);
  const { bytes, digest } = encodeFrame({ type, seq, fence, synced, features }, kind, text, size);
  const payload = record.payload as unknown as Frame['payload'];
  return { bytes, frame: { seq, kind, type, fence, synced, features, payload, offset, size: bytes.length, digest } };
}

/** Frames by name, for a message: `Frame 7 (tool_result)`. */
export function named(frames: readonly Frame[]): string {
  const [first] = frames;
  const types = frames.map(({ type }) => type).join(', ');
  return frames.length === 1 ? `Frame ${first?.seq} (${types})` : `Frames ${first?.seq} to ${frames.at(-1)?.seq} (${types})`;
}

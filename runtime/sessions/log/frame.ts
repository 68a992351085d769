/**
 * One frame of a session log as bytes.
 *
 * A frame is a fixed prefix with two lengths, a header, a payload, and a SHA-256 over everything before it. Nothing in it is believed
 * before the digest was compared, the lengths least of all; so reading has two steps. `extentAt` says how far a frame would reach, if it
 * is one. `interpret` says what an intact one means: a frame, something that a newer program wrote, or damage that no crash explains.
 */
import { isAscii } from 'node:buffer';
import { sessionLogV1 } from '../../contract/data.js';
import { sha256 } from '../../core/digest.js';
import { isFrameType, kindOf, payloadCap, readFeatures, shapeProblem, type Frame, type Kind } from '../core/records.js';

const { version, kinds, header_cap: headerCap, prefix_bytes: prefixSize, digest_bytes: digestSize } = sessionLogV1.frame;

/** F5 is no byte of UTF-8, so no payload holds it. */
export const magic = Buffer.from(sessionLogV1.frame.magic, 'hex');
/** What must be there to know how far a frame would reach. */
export const prefixBytes = prefixSize;
/** The largest payload of any type: what a type that is not known may have. */
export const payloadMax = Math.max(...Object.values(sessionLogV1.records).map((record) => record.payload_cap));

const feature = '"[a-z][a-z0-9-]{0,63}/v[0-9]{1,4}"';
const number = '0|[1-9][0-9]{0,15}';
/** Canonical by construction: names in order, no spaces, one way to write each number. */
const headerPattern = new RegExp(
  String.raw`^\{"features":\[((?:${feature}(?:,${feature})*)?)\],"fence":(${number}),"seq":(${number}),"synced":(${number}),"type":"([^"\\\x00-\x1f\x7f-\xff]+)"\}$`,
);
/** The most bytes that the three numbers of a header add to it. */
const numbersMax = 3 * 16;

const kindByCode = new Map(Object.entries(kinds).map(([kind, code]) => [code as number, kind as Kind]));
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What a frame says of itself before its payload. */
export interface Header {
  type: string;
  seq: number;
  fence: number;
  synced: number;
  features: readonly string[];
}

/** How far a frame would reach that begins with these bytes. */
export interface Extent {
  version: number;
  kind: number;
  headerSize: number;
  payloadSize: number;
  /** Of the whole frame, with its digest. */
  size: number;
}

export type Reading = { is: 'frame'; frame: Frame } | { is: 'newer'; names: string[] } | { is: 'damaged'; what: string };

/** The bytes of a frame and its digest; `payload` is canonical JSON, its size in bytes known to who has counted them. */
export function encodeFrame(
  header: Header,
  kind: Kind,
  payload: string,
  payloadSize = Buffer.byteLength(payload),
): { bytes: Buffer; digest: string } {
  const head = headerText(header);
  const bytes = Buffer.allocUnsafe(prefixBytes + head.length + payloadSize + digestSize);
  magic.copy(bytes);
  bytes[4] = version;
  bytes[5] = kinds[kind];
  bytes.writeUInt16BE(head.length, 6);
  bytes.writeUInt32BE(payloadSize, 8);
  bytes.write(head, prefixBytes, 'latin1');
  bytes.write(payload, prefixBytes + head.length, 'utf8');
  const digestAt = bytes.length - digestSize;
  const digest = sha256(bytes.subarray(0, digestAt));
  bytes.write(digest, digestAt, 'hex');
  return { bytes, digest };
}

/** At least the size of the frame, whatever its place will be. */
export function sizeBound(type: string, features: readonly string[], payloadSize: number): number {
  const head = headerText({ type, features, seq: 0, fence: 0, synced: 0 });
  return prefixBytes + head.length + numbersMax + payloadSize + digestSize;
}

function headerText({ type, features, fence, seq, synced }: Header): string {
  const list = features.length === 0 ? '[]' : JSON.stringify(features);
  return `{"features":${list},"fence":${fence},"seq":${seq},"synced":${synced},"type":"${type}"}`;
}

/** Null where no frame begins. `bytes` holds at least the prefix; nothing of it is trusted. */
export function extentAt(bytes: Buffer, at: number): Extent | null {
  if (bytes.length - at < prefixBytes) return null;
  for (let index = 0; index < magic.length; index += 1) if (bytes[at + index] !== magic[index]) return null;
  const headerSize = bytes.readUInt16BE(at + 6);
  if (headerSize > headerCap) return null;
  const payloadSize = bytes.readUInt32BE(at + 8);
  return {
    version: bytes[at + 4] as number,
    kind: bytes[at + 5] as number,
    headerSize,
    payloadSize,
    size: prefixBytes + headerSize + payloadSize + digestSize,
  };
}

/** The digest of a whole frame, where it is the right one; null where the bytes are not what was written. */
export function digestOf(bytes: Buffer, at: number, { size }: Extent): string | null {
  const digestAt = at + size - digestSize;
  const found = bytes.toString('hex', digestAt, digestAt + digestSize);
  return sha256(bytes.subarray(at, digestAt)) === found ? found : null;
}

/**
 * What an intact frame means. A payload is not serialised again: its digest is trusted, since that costs four fifths of the speed of a
 * replay. `bytes` begins with the frame at `at` and holds it whole, unless its payload is larger than any may be.
 */
export function interpret(bytes: Buffer, at: number, extent: Extent, digest: string, offset: number): Reading {
  if (extent.version !== version) return { is: 'newer', names: [`version ${extent.version}`] };
  const kind = kindByCode.get(extent.kind);
  if (kind === undefined) return { is: 'newer', names: [`kind ${extent.kind}`] };
  const payloadAt = at + prefixBytes + extent.headerSize;
  const header = parseHeader(bytes.toString('latin1', at + prefixBytes, payloadAt));
  if (header === null) return { is: 'damaged', what: 'has a header that is not canonical' };
  const { type, features } = header;
  const unread = features.filter((name) => !readFeatures.has(name));
  if (unread.length > 0) return { is: 'newer', names: unread };
  const known = isFrameType(type);
  // One that is only informational may be passed over, unless somebody must understand something of it.
  if (!known && (kind !== 'informational' || features.length > 0)) return { is: 'newer', names: [type] };
  if (known && kindOf(type) !== kind) return { is: 'damaged', what: `is a ${type} of kind ${kind}` };
  if (extent.payloadSize > (known ? payloadCap(type) : payloadMax))
    return { is: 'damaged', what: `has a payload of ${extent.payloadSize} bytes` };
  const payload = parsePayload(bytes.subarray(payloadAt, payloadAt + extent.payloadSize));
  const problem = payload === null ? 'it is no object of JSON in UTF-8' : known ? shapeProblem(type, payload) : null;
  if (payload === null || problem !== null)
    return { is: 'damaged', what: `has a payload that is not that of ${type}: ${problem}` };
  const { seq, fence, synced } = header;
  return {
    is: 'frame',
    frame: { seq, kind, type, fence, synced, features: features as string[], payload, offset, size: extent.size, digest },
  };
}

function parseHeader(text: string): Header | null {
  const match = headerPattern.exec(text);
  if (match === null) return null;
  const [, list = '', fenceText, seqText, syncedText, type = ''] = match;
  const [fence, seq, synced] = [Number(fenceText), Number(seqText), Number(syncedText)];
  if (fence < 1 || seq < 1 || ![fence, seq, synced].every(Number.isSafeInteger)) return null;
  const features = list === '' ? [] : list.slice(1, -1).split('","');
  for (let index = 1; index < features.length; index += 1)
    if ((features[index - 1] as string) >= (features[index] as string)) return null;
  return { type, seq, fence, synced, features };
}

function parsePayload(bytes: Buffer): Record<string, unknown> | null {
  try {
    // Most payloads are plain, and those are read without decoding.
    const value: unknown = JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : utf8.decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/**
 * One frame of a session log, by the byte diagram of the contract:
 *
 *   frame = magic(4) version(1) kind(1) H(2) P(4) header(H) payload(P) sha256(32)      integers big-endian
 *
 * A frame is intact if its digest is that of its bytes; before that, no length is trusted further than the end of the file. What an
 * intact frame says is read apart: a frame, something that a newer writer means, or something that no writer writes.
 */
import { features as featureList, sessionLogV1 } from '../contract/data.js';
import { EvidenceError } from '../errors.js';
import { decodeUtf8, parseCanonical } from './canonical.js';
import { shaped } from './facts.js';
import { sha256 } from './hash.js';
import { isRecordType, payloadShapes, type RecordType, type SessionFrame } from './session-records.js';

const { frame: format, records } = sessionLogV1;
export const magic = Buffer.from(format.magic, 'hex');
const magicNumber = magic.readUInt32BE(0);
const readFeatures = new Set<string>(
  featureList.features.filter(({ status }) => status === 'read_and_written').map(({ name }) => name),
);
type Kind = keyof typeof format.kinds;
const kindNames = new Map<number, Kind>(Object.entries(format.kinds).map(([name, number]) => [number, name as Kind]));

/** Where a frame would end that begins here, by the lengths that it names. */
interface Span {
  readonly header: number;
  readonly payload: number;
  readonly size: number;
}

export interface IntactFrame {
  readonly offset: number;
  readonly size: number;
  readonly version: number;
  readonly kind: number;
  readonly header: Buffer;
  readonly payload: Buffer;
  readonly digest: string;
}

/** Null where no frame begins, or none that the file holds whole. */
export function spanAt(bytes: Buffer, offset: number): Span | null {
  if (offset + format.prefix_bytes + format.digest_bytes > bytes.length) return null;
  if (bytes.readUInt32BE(offset) !== magicNumber) return null;
  const header = bytes.readUInt16BE(offset + 6);
  const payload = bytes.readUInt32BE(offset + 8);
  const size = format.prefix_bytes + header + payload + format.digest_bytes;
  return header > format.header_cap || offset + size > bytes.length ? null : { header, payload, size };
}

/** Null where the digest is not that of the bytes. */
export function intactAt(bytes: Buffer, offset: number, { header, payload, size }: Span): IntactFrame | null {
  const end = offset + size - format.digest_bytes;
  const digest = bytes.toString('hex', end, end + format.digest_bytes);
  if (sha256(bytes.subarray(offset, end)) !== digest) return null;
  const at = offset + format.prefix_bytes;
  return {
    ...{ offset, size, digest, version: bytes.readUInt8(offset + 4), kind: bytes.readUInt8(offset + 5) },
    ...{ header: bytes.subarray(at, at + header), payload: bytes.subarray(at + header, at + header + payload) },
  };
}

/** What a frame says, without its place in a file: it follows from the digest. */
export type Said = Omit<SessionFrame, 'offset' | 'size' | 'digest'>;

export type Meaning =
  | { readonly is: 'frame'; readonly said: Said }
  | { readonly is: 'newer'; readonly names: readonly string[] }
  | { readonly is: 'malformed'; readonly detail: string };

export function meaningOf({ version, kind: kindNumber, header: headerBytes, payload }: IntactFrame): Meaning {
  if (version !== format.version) return { is: 'newer', names: [`version ${version}`] };
  const kind = kindNames.get(kindNumber);
  if (kind === undefined) return { is: 'newer', names: [`kind ${kindNumber}`] };
  try {
    const header = headerIn(headerBytes);
    const names = notRead(header, kind);
    if (names.length > 0) return { is: 'newer', names };
    return { is: 'frame', said: { ...header, kind, payload: payloadIn(payload, header.type, kind) } };
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error;
    return { is: 'malformed', detail: error.message };
  }
}

/** The log that a lineage frame names, of which session; null for another frame. */
export function identityOf({ type, payload }: Said): string | null {
  return type === 'lineage' ? `${String(payload.identity)} ${String(payload.session_id)}` : null;
}

type Header = Pick<SessionFrame, 'features' | 'fence' | 'seq' | 'synced' | 'type'>;

function headerIn(bytes: Buffer): Header {
  const value = parseCanonical(decodeUtf8(bytes)) as Partial<Header> | null;
  if (value !== null && typeof value === 'object' && Object.keys(value).join() === 'features,fence,seq,synced,type') {
    const { features, fence, seq, synced, type } = value;
    const isNumbered = atLeast(fence, 1) && atLeast(seq, 1) && atLeast(synced, 0);
    if (isNumbered && typeof type === 'string' && type !== '' && isFeatureList(features))
      return { features, fence, seq, synced, type };
  }
  throw new EvidenceError('wrong-shape', 'The header is not that of a frame.');
}

function atLeast(value: unknown, least: number): value is number {
  return typeof value === 'number' && value >= least;
}

/** Sorted, and none twice. */
export function isFeatureList(value: unknown): value is string[] {
  if (!Array.isArray(value)) return false;
  const names: readonly unknown[] = value;
  return names.every((name, index) => {
    const before = index === 0 ? '' : names[index - 1];
    return typeof name === 'string' && /^[a-z][a-z0-9-]{0,63}\/v[0-9]{1,4}$/.test(name) && name > String(before);
  });
}

export function unreadFeatures(names: readonly string[]): string[] {
  return names.filter((name) => !readFeatures.has(name));
}

/** What keeps this reader from interpreting a frame: features first, since they say what a type is about. */
function notRead({ features, type }: Header, kind: Kind): string[] {
  const unread = unreadFeatures(features);
  if (unread.length > 0) return unread;
  const isSkipped = kind === 'informational' && features.length === 0;
  return isRecordType(type) || isSkipped ? [] : [type];
}

function payloadIn(bytes: Buffer, type: string, kind: Kind): SessionFrame['payload'] {
  if (!isRecordType(type)) {
    const value: unknown = parseCanonical(decodeUtf8(bytes));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as SessionFrame['payload'];
    throw new EvidenceError('wrong-shape', `The payload of ${type} is no object.`);
  }
  if (records[type].kind !== kind)
    throw new EvidenceError('wrong-shape', `${type} is of kind ${records[type].kind}, not ${kind}.`);
  if (bytes.length > records[type].payload_cap) throw new EvidenceError('wrong-shape', `The payload of ${type} is over its cap.`);
  return shapedPayload(parseCanonical(decodeUtf8(bytes)), type);
}

function shapedPayload(value: unknown, type: RecordType): SessionFrame['payload'] {
  return shaped<object>(value, payloadShapes[type], `a ${type}`) as SessionFrame['payload'];
}

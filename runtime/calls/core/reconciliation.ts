/**
 * What an answer about a key means for an effect that is unknown. Pure: one table, the first row that matches.
 *
 * "Not found" is not "not served": the request can still be on its way. Only a fence that found nothing shows that nothing was served and
 * nothing will be. What cannot be understood shows nothing either.
 */
import { isObject, parseObject, utf8Text } from '../../core/untrusted-json.js';
import type { Finding, ReconciledReason } from './vocabulary.js';

/** What came back to a question. */
export type Told = ({ ended: 'complete' } & KeptResponse) | { ended: 'timed_out' | 'unreachable' };

/** A whole response, as it is kept. */
export interface KeptResponse {
  status: number;
  contentType: string | null;
  bytes: Uint8Array;
}

export interface Conclusion {
  finding: Finding;
  reason: ReconciledReason;
  /** The response of the request, where it came back too. */
  response: KeptResponse | null;
}

/** `requestSha256`: of the body that was sent under the key. */
export function conclusionOf(told: Told, isFence: boolean, requestSha256: string): Conclusion {
  if (told.ended !== 'complete') return unknown(told.ended);
  if (told.status !== 200 && told.status !== 404 && told.status !== 409) return unknown('provider_failed');
  const said = saidIn(told.status, told.bytes);
  if (said === null) return unknown('malformed');
  if (said.requestSha256 !== null && said.requestSha256 !== requestSha256) return unknown('other_request');
  if (told.status === 409) return unknown('in_progress');
  if (said.found)
    return { finding: 'served', reason: said.response === null ? 'found_without_response' : 'found', response: said.response };
  return isFence && said.fenced ? { finding: 'not_served', reason: 'fenced', response: null } : unknown('not_found');
}

function unknown(reason: ReconciledReason): Conclusion {
  return { finding: 'unknown', reason, response: null };
}

interface Said {
  found: boolean;
  fenced: boolean;
  requestSha256: string | null;
  response: KeptResponse | null;
}

/** What the body says, or null where it has not the shape of its status. */
function saidIn(status: 200 | 404 | 409, bytes: Uint8Array): Said | null {
  const body = parseObject(bytes);
  if (body === null) return null;
  const { found, fenced, request_sha256: requestSha256, response, error } = body;
  const nothing = { found: false, fenced: false, requestSha256: null, response: null };
  if (status === 404) return found === false ? nothing : null;
  if (status === 409) return error !== undefined && isHash(requestSha256) ? { ...nothing, requestSha256 } : null;
  if (typeof found !== 'boolean' || typeof fenced !== 'boolean') return null;
  if (!isHash(requestSha256) && (found || requestSha256 !== null)) return null;
  const kept = response === null ? null : keptIn(response);
  return kept === undefined ? null : { found, fenced, requestSha256, response: kept };
}

function keptIn(value: unknown): KeptResponse | undefined {
  if (!isObject(value) || !isObject(value['body'])) return undefined;
  const { status, content_type: contentType, body } = value;
  const bytes = bytesIn(body);
  const isStatus = Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999;
  const isType = contentType === null || (typeof contentType === 'string' && contentType.isWellFormed());
  return isStatus && isType && bytes !== null
    ? { status: status as number, contentType: contentType as string | null, bytes }
    : undefined;
}

function bytesIn({ data, encoding }: Record<string, unknown>): Buffer | null {
  if (typeof data !== 'string') return null;
  if (encoding === 'utf8') return data.isWellFormed() ? Buffer.from(data, 'utf8') : null;
  if (encoding !== 'base64') return null;
  const bytes = Buffer.from(data, 'base64');
  return bytes.toString('base64') === data ? bytes : null;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

/** Bytes as they stand in the evidence: text where they are that, else base64. */
export function encoded(bytes: Uint8Array): { data: string; encoding: 'utf8' | 'base64' } {
  const text = utf8Text(bytes);
  return text === null ? { data: Buffer.from(bytes).toString('base64'), encoding: 'base64' } : { data: text, encoding: 'utf8' };
}

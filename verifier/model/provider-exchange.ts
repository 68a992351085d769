/**
 * What an exchange with the provider about a key says, by the contract's table: it is read again from its bytes, and the first row
 * that matches gives finding and reason. "Not found" is not "not served": only a fence that found nothing shows that nothing was
 * served. Written from the contract, pure, and never asks the record.
 */
import type { SharedFinding, SharedReconciledReason } from '../contract/types.js';
import { decodeUtf8, parseJson } from '../read/canonical.js';
import { hasExactly, isObject, parsed } from './values.js';

export type Reason = SharedReconciledReason;

/** One question to the provider, and what came. Only a complete exchange has a status, a media type and a body. */
export interface Exchange {
  readonly body: { readonly data: string; readonly encoding: 'utf8' | 'base64' } | null;
  readonly content_type: string | null;
  readonly ended: 'complete' | 'timed_out' | 'unreachable';
  readonly fencing_token: number | null;
  readonly method: string;
  readonly path: string;
  readonly request_sha256: string;
  readonly status: number | null;
}

/** A response as the provider told it. */
interface Told {
  readonly status: number;
  readonly content_type: string | null;
  readonly bytes: Buffer;
}

interface Reading {
  readonly finding: SharedFinding;
  readonly reason: Reason;
  readonly response: Told | null;
}

/** The table. `ours` is the hash of the recorded request body. */
export function readingOf(exchange: Exchange, ours: string): Reading {
  if (exchange.ended !== 'complete') return unknown(exchange.ended);
  const { status } = exchange;
  if (status !== 200 && status !== 404 && status !== 409) return unknown('provider_failed');
  const told = shapes[status](parsed(() => parseJson(decodeUtf8(bodyOf(exchange)))));
  if (told === null) return unknown('malformed');
  if (told.request !== null && told.request !== ours) return unknown('other_request');
  if (status === 409) return unknown('in_progress');
  if (told.found)
    return { finding: 'served', reason: told.response === null ? 'found_without_response' : 'found', response: told.response };
  const isFenced = status === 200 && told.fenced && exchange.method === 'POST';
  return isFenced ? { finding: 'not_served', reason: 'fenced', response: null } : unknown('not_found');
}

export function bodyOf({ body }: Exchange): Buffer {
  return body === null ? Buffer.alloc(0) : Buffer.from(body.data, body.encoding);
}

function unknown(reason: Reason): Reading {
  return { finding: 'unknown', reason, response: null };
}

/** What a body says that has the shape of its status. */
interface Said {
  readonly fenced: boolean;
  readonly found: boolean;
  /** The hash of the request that it speaks of. */
  readonly request: string | null;
  readonly response: Told | null;
}

const nothing: Said = { fenced: false, found: false, request: null, response: null };

const shapes: Record<200 | 404 | 409, (body: unknown) => Said | null> = {
  200: (body) => {
    if (!isObject(body)) return null;
    const { fenced, found, request_sha256: request, response } = body;
    if (typeof fenced !== 'boolean' || typeof found !== 'boolean') return null;
    if (!(isHash(request) || (request === null && !found))) return null;
    if (response === null) return { fenced, found, request, response };
    const told = responseIn(response);
    return told === null ? null : { fenced, found, request, response: told };
  },
  404: (body) => (isObject(body) && body.found === false ? nothing : null),
  409: (body) => {
    const request = isObject(body) && body.error !== undefined ? body.request_sha256 : null;
    return isHash(request) ? { ...nothing, request } : null;
  },
};

function responseIn(value: unknown): Told | null {
  if (!isObject(value)) return null;
  const { body, content_type, status } = value;
  if (!isBytes(body) || !isTextOrNull(content_type) || !isStatus(status)) return null;
  return { bytes: Buffer.from(body.data, body.encoding), content_type, status };
}

/** Whether a value that was kept is an exchange: only a complete one says anything. */
export function isExchange(value: unknown): value is Exchange {
  const names = ['body', 'content_type', 'ended', 'fencing_token', 'method', 'path', 'request_sha256', 'status'];
  if (!isObject(value) || !hasExactly(value, names)) return false;
  const { body, content_type: type, ended, fencing_token: token, method, path, request_sha256: request, status } = value;
  const isAsked = typeof method === 'string' && typeof path === 'string' && isHash(request);
  if (!isAsked || !(token === null || Number.isSafeInteger(token))) return false;
  if (ended === 'complete') return isBytes(body) && isTextOrNull(type) && isStatus(status);
  return (ended === 'timed_out' || ended === 'unreachable') && body === null && type === null && status === null;
}

function isBytes(value: unknown): value is NonNullable<Exchange['body']> {
  if (!isObject(value) || typeof value.data !== 'string') return false;
  const { data, encoding } = value;
  return encoding === 'utf8' || (encoding === 'base64' && Buffer.from(data, 'base64').toString('base64') === data);
}

function isStatus(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 100 && Number(value) <= 999;
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

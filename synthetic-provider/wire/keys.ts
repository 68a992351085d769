/**
 * Questions about an idempotency key: `GET /keys/<key>` (a look-up) and `POST /keys/<key>/fence`. Pure: the question in a request, and
 * the bytes of each thing that can be said. What is true is not known here.
 *
 * Every path under `/keys/` is a question, a malformed one too, so that a reader of receipts needs the path alone.
 */
import { type EncodedBody, encoded } from '../core/body.js';
import { type Json, canonical, isWellFormed, utf8 } from '../core/canonical.js';
import { errorMembers, refuse } from './errors.js';

export type Question =
  | { kind: 'lookup'; key: string }
  | { kind: 'fence'; key: string; token: number }
  | { kind: 'refuse'; status: number; bytes: Buffer };

/** The answer of a request as a look-up repeats it. */
export interface ToldAnswer {
  readonly status: number;
  readonly content_type: string | null;
  readonly bytes: Buffer;
}

export function isQuestion(path: string): boolean {
  return path.startsWith('/keys/');
}

/** The number in a `fencing-token` header; anything but a decimal safe integer is no token. */
export function fencingToken(header: string | undefined): number | null {
  if (header === undefined || !/^(0|[1-9]\d{0,15})$/.test(header)) return null;
  const token = Number(header);
  return Number.isSafeInteger(token) ? token : null;
}

/**
 * The key in an `idempotency-key` header. Header bytes come as Latin-1, and clients write UTF-8 or Latin-1 (some both, by the kind of their
 * body); a key that a look-up failed to recognise would be told as never served, so both are the same key.
 */
export function keyIn(header: string | null): string | null {
  return header === null ? null : (utf8(Buffer.from(header, 'latin1')) ?? header);
}

/** `token` is that of the request's own header. */
export function questionOf({ method, path, token }: { method: string; path: string; token: number | null }): Question {
  const pathname = path.split('?', 1)[0] as string;
  const [, quoted, fence] = /^\/keys\/([^/]+)(\/fence)?$/.exec(pathname) ?? [];
  if (quoted === undefined) return refuse(404, `Nothing is served at ${pathname}.`);
  if (method !== (fence === undefined ? 'GET' : 'POST')) return refuse(405, `${method} is not served at ${pathname}.`);
  const key = unquoted(quoted);
  if (key === null) return refuse(400, 'The key in the path is not percent-encoded UTF-8.');
  if (fence === undefined) return { kind: 'lookup', key };
  if (token === null) return refuse(400, 'A fence needs a "fencing-token" header with a decimal number.');
  return { kind: 'fence', key, token };
}

function unquoted(text: string): string | null {
  try {
    const key = decodeURIComponent(text);
    return isWellFormed(key) ? key : null;
  } catch {
    return null;
  }
}

/** 200: a request of the key was served; `answer` is null where it was not kept. */
export function foundBody(fenced: boolean, request_sha256: string, answer: ToldAnswer | null): Buffer {
  const response = answer && { body: asJson(encoded(answer.bytes)), content_type: answer.content_type, status: answer.status };
  return bytesOf({ fenced, found: true, request_sha256, response });
}

/** 200, to a fence: nothing was served, and nothing up to its token will be. */
export function fencedBody(): Buffer {
  return bytesOf({ fenced: true, found: false, request_sha256: null, response: null });
}

/** 404. */
export function notFoundBody(): Buffer {
  return bytesOf({ found: false });
}

/** 409; a fence that found a request in progress stands all the same, and says so. */
export function inProgressBody(fenced: boolean, request_sha256: string): Buffer {
  const error = errorMembers(409, 'A request with this idempotency key is still in progress.');
  return bytesOf({ error, ...(fenced ? { fenced } : {}), request_sha256 });
}

/** 200 with nothing in it that a look-up may be believed for. */
export function malformedBody(): Buffer {
  return bytesOf({});
}

function asJson({ data, encoding }: EncodedBody): Json {
  return { data, encoding };
}

function bytesOf(value: Json): Buffer {
  return Buffer.from(canonical(value));
}

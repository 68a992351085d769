/**
 * What a receipt keeps of a request. Pure. Headers as received, only those that tell something about retries and bodies;
 * credentials never, only that they were there. Nobody can list the names under which a query string may carry one (`sig`, `apikey`,
 * a percent-encoded `key`), so no value of a query string is kept.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Receipt } from '../contract/types.js';
import { decoded, encoded } from '../core/body.js';
import { sha256 } from '../core/canonical.js';
import type { Request } from '../script/react.js';
import { fencingToken, keyIn } from '../wire/keys.js';

const kept = [
  ...['content-length', 'content-type', 'fencing-token', 'idempotency-key', 'request-sha256', 'user-agent'],
  'x-stainless-retry-count',
];
const credentials = ['api-key', 'authorization', 'x-api-key', 'x-goog-api-key'];

/** What the lines of a request that was received, or is on its way, say of the request itself. */
export type Recorded = Pick<
  Extract<Receipt, { kind: 'received' }>,
  'method' | 'path' | 'headers' | 'idempotency_key' | 'body' | 'body_sha256'
>;

export function recorded(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Recorded {
  const idempotencyKey = headers['idempotency-key'];
  return {
    method,
    path: withoutValues(path),
    headers: Object.fromEntries([
      ...kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
      ...credentials.flatMap((name) => (headers[name] === undefined ? [] : [[name, 'present']])),
    ]),
    // Node joins repeated headers with a comma; that text is what the key then is.
    idempotency_key: idempotencyKey === undefined ? null : String(idempotencyKey),
    body: encoded(body),
    body_sha256: sha256(body),
  };
}

/** Those members of a line. */
export function recordedIn(line: Recorded): Recorded {
  const { method, path, headers, idempotency_key, body, body_sha256 } = line;
  return { method, path, headers, idempotency_key, body, body_sha256 };
}

/** The request as the script is asked about it; all that matters of it is in its line. */
export function requestIn(line: Recorded, body = decoded(line.body)): Request {
  const { method, path, idempotency_key, body_sha256, headers } = line;
  const token = fencingToken(headers['fencing-token']);
  return { method, path, key: keyIn(idempotency_key), token, body_sha256, body };
}

function withoutValues(path: string): string {
  const [, pathname = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(path) ?? [];
  return (
    pathname +
    rest.replaceAll(/([?#&;])([^?#&;=]*=?)[^?#&;]*/g, (_, mark: string, name: string) => {
      return mark + (name === '' ? '' : name.endsWith('=') ? `${name}present` : 'present');
    })
  );
}

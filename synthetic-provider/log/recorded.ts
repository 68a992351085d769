/**
 * What a receipt keeps of a request. Pure. Headers as received, only those that tell something about retries and bodies;
 * credentials never, only that they were there. Nobody can list the names under which a query string may carry one (`sig`, `apikey`,
 * a percent-encoded `key`), so no value of a query string is kept.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Receipt } from '../contract/types.js';
import { sha256, utf8 } from '../core/canonical.js';

const kept = ['content-length', 'content-type', 'idempotency-key', 'user-agent', 'x-stainless-retry-count'];
const credentials = ['api-key', 'authorization', 'x-api-key', 'x-goog-api-key'];

type Recorded = Pick<
  Extract<Receipt, { kind: 'received' }>,
  'method' | 'path' | 'headers' | 'idempotency_key' | 'body' | 'body_sha256'
>;

export function recorded(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Recorded {
  const idempotencyKey = headers['idempotency-key'];
  const text = utf8(body);
  return {
    method,
    path: withoutValues(path),
    headers: Object.fromEntries([
      ...kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
      ...credentials.flatMap((name) => (headers[name] === undefined ? [] : [[name, 'present']])),
    ]),
    // Node joins repeated headers with a comma; that text is what the key then is.
    idempotency_key: idempotencyKey === undefined ? null : String(idempotencyKey),
    body: text === null ? { encoding: 'base64', data: body.toString('base64') } : { encoding: 'utf8', data: text },
    body_sha256: sha256(body),
  };
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

import { describe, expect, it } from 'vitest';
import { readingOf, type Exchange } from './provider-exchange.js';

const ours = 'a'.repeat(64);
const other = 'b'.repeat(64);
const response = { body: { data: 'aGk=', encoding: 'base64' }, content_type: null, status: 503 };
const found = { fenced: false, found: true, request_sha256: ours, response };
const absent = { fenced: false, found: false, request_sha256: null, response: null };

function exchange(status: number | null, body: unknown, more: Partial<Exchange> = {}): Exchange {
  const data = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ...{ body: { data, encoding: 'utf8' }, content_type: 'application/json', ended: 'complete', fencing_token: null },
    ...{ method: 'GET', path: '/keys/key-1', request_sha256: ours, status },
    ...more,
  };
}

const nothing = { body: null, content_type: null, status: null };
const fence = { method: 'POST', path: '/keys/key-1/fence', fencing_token: 8 };

const rows: [what: string, given: Exchange, finding: string, reason: string][] = [
  ['nothing whole in time', exchange(null, '', { ...nothing, ended: 'timed_out' }), 'unknown', 'timed_out'],
  ['a connection that broke', exchange(null, '', { ...nothing, ended: 'unreachable' }), 'unknown', 'unreachable'],
  ['500', exchange(500, found), 'unknown', 'provider_failed'],
  ['501', exchange(501, absent), 'unknown', 'provider_failed'],
  ['412', exchange(412, absent), 'unknown', 'provider_failed'],
  ['200 that is no JSON', exchange(200, '{"found":tru'), 'unknown', 'malformed'],
  ['200 that is a list', exchange(200, []), 'unknown', 'malformed'],
  ['200 that does not say whether it is fenced', exchange(200, { ...found, fenced: undefined }), 'unknown', 'malformed'],
  ['200 that found no request in particular', exchange(200, { ...found, request_sha256: null }), 'unknown', 'malformed'],
  ['200 with a hash that is none', exchange(200, { ...absent, request_sha256: 'A' }), 'unknown', 'malformed'],
  ['200 without a response member', exchange(200, { ...found, response: undefined }), 'unknown', 'malformed'],
  ['200 with half a response', exchange(200, { ...found, response: { ...response, body: 'hi' } }), 'unknown', 'malformed'],
  [
    '200 with bytes that are no base64',
    exchange(200, { ...found, response: { ...response, body: { data: '?', encoding: 'base64' } } }),
    'unknown',
    'malformed',
  ],
  ['404 that found it', exchange(404, { found: true }), 'unknown', 'malformed'],
  ['404 in words', exchange(404, 'Not Found'), 'unknown', 'malformed'],
  ['409 without a hash', exchange(409, { error: 'conflict' }), 'unknown', 'malformed'],
  ['409 without an error', exchange(409, { request_sha256: ours }), 'unknown', 'malformed'],
  ['200 about another request', exchange(200, { ...found, request_sha256: other }), 'unknown', 'other_request'],
  ['409 about another request', exchange(409, { error: 'x', request_sha256: other }), 'unknown', 'other_request'],
  ['409 about ours', exchange(409, { error: 'x', request_sha256: ours }), 'unknown', 'in_progress'],
  ['404', exchange(404, { found: false }), 'unknown', 'not_found'],
  ['404 that says more', exchange(404, { found: false, hint: 1.5 }), 'unknown', 'not_found'],
  ['200 with the response', exchange(200, found), 'served', 'found'],
  ['200 with the response, to a fence', exchange(200, { ...found, fenced: true }, fence), 'served', 'found'],
  ['200 without the response', exchange(200, { ...found, response: null }), 'served', 'found_without_response'],
  ['a fence that found nothing', exchange(200, { ...absent, fenced: true }, fence), 'not_served', 'fenced'],
  ['a look-up that says it is fenced', exchange(200, { ...absent, fenced: true }), 'unknown', 'not_found'],
  ['a fence that is none', exchange(200, absent, fence), 'unknown', 'not_found'],
  ['a fence that was answered 404', exchange(404, { found: false, fenced: true }, fence), 'unknown', 'not_found'],
];

describe('what an exchange says', () => {
  it.each(rows)('%s', (_what, given, finding, reason) =>
    expect(readingOf(given, ours)).toMatchObject({ finding, reason, ...(reason === 'found' ? {} : { response: null }) }),
  );

  it('with the response, to the byte', () => {
    const told = readingOf(exchange(200, found), ours).response;
    expect({ ...told, bytes: told?.bytes.toString() }).toEqual({ bytes: 'hi', content_type: null, status: 503 });
  });

  it('covers every reason that a provider can give', () => {
    expect(new Set(rows.map(([, , , reason]) => reason)).size).toBe(10);
  });
});

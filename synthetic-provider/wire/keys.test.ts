import { describe, expect, it } from 'vitest';
import {
  fencedBody,
  fencingToken,
  foundBody,
  inProgressBody,
  isQuestion,
  keyIn,
  malformedBody,
  notFoundBody,
  questionOf,
} from './keys.js';

const hash = 'a'.repeat(64);

describe('a question about a key', () => {
  it.each([
    ['GET', '/keys/a', { kind: 'lookup', key: 'a' }],
    ['GET', '/keys/a%2Fb%20%C3%A9?x=1', { kind: 'lookup', key: 'a/b é' }],
    ['POST', '/keys/a/fence', { kind: 'fence', key: 'a', token: 7 }],
    ['POST', '/keys/a', 405],
    ['GET', '/keys/a/fence', 405],
    ['GET', '/keys/', 404],
    ['GET', '/keys/a/b', 404],
    ['GET', '/keys/%', 400],
    ['GET', '/keys/%ff', 400],
  ])('%s %s', (method, path, expected) => {
    const question = questionOf({ method, path, token: 7 });
    expect(question.kind === 'refuse' ? question.status : question).toEqual(expected);
    expect(isQuestion(path)).toBe(true);
  });

  it('that fences needs a token', () => {
    expect(questionOf({ method: 'POST', path: '/keys/a/fence', token: null })).toMatchObject({ kind: 'refuse', status: 400 });
  });

  it.each(['/v1/chat/completions', '/effects/keys', '/keys', '/'])('is not at %s', (path) => {
    expect(isQuestion(path)).toBe(false);
  });

  it.each([
    ['0', 0],
    ['12', 12],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', null],
    ['012', null],
    ['-1', null],
    ['1.0', null],
    ['1, 2', null],
    ['', null],
    [undefined, null],
  ])('has the token of %j: %j', (header, token) => {
    expect(fencingToken(header)).toBe(token);
  });
});

describe('the key of a request', () => {
  it.each([
    ['key-1', 'key-1'],
    ['\u00e4', 'ä'],
    ['\u00c3\u00a4', 'ä'],
    ['a, b', 'a, b'],
    [null, null],
  ])('in the header %j is %j', (header, key) => {
    expect(keyIn(header)).toBe(key);
  });
});

describe('what is said of a key', () => {
  it.each([
    [notFoundBody(), '{"found":false}'],
    [fencedBody(), '{"fenced":true,"found":false,"request_sha256":null,"response":null}'],
    [foundBody(true, hash, null), `{"fenced":true,"found":true,"request_sha256":"${hash}","response":null}`],
    [
      foundBody(false, hash, { status: 503, content_type: null, bytes: Buffer.from([0xff]) }),
      `{"fenced":false,"found":true,"request_sha256":"${hash}","response":{"body":{"data":"/w==","encoding":"base64"},"content_type":null,"status":503}}`,
    ],
    [
      inProgressBody(true, hash),
      `{"error":{"message":"A request with this idempotency key is still in progress.","type":"invalid_request_error"},"fenced":true,"request_sha256":"${hash}"}`,
    ],
    [malformedBody(), '{}'],
  ])('%#', (bytes, text) => {
    expect(bytes.toString()).toBe(text);
  });
});

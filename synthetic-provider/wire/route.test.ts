import { describe, expect, it } from 'vitest';
import { canonical } from '../core/canonical.js';
import { chatAnswer } from './chat-completions.js';
import { errorBody } from './errors.js';
import { wireOf } from './route.js';

const chat = (body: string | Buffer, method = 'POST', path = '/v1/chat/completions') =>
  wireOf({ method, path, body: Buffer.from(body) });
const good = '{"messages":[{"content":"x","role":"user"}],"model":"m"}';

describe('what a request asks for', () => {
  it.each([
    [good, 'serve'],
    [' {"model":"m","messages":[1],"stream":false} ', 'serve'],
    ['', 400],
    ['{', 400],
    ['[]', 400],
    ['null', 400],
    ['{"messages":[1]}', 400],
    ['{"model":7,"messages":[1]}', 400],
    ['{"model":"m","messages":[]}', 400],
    ['{"model":"\\udc00","messages":[1]}', 400],
    ['{"model":"m","messages":[1],"stream":true}', 400],
    [Buffer.from([0x22, 0xff, 0x22]), 400],
  ])('chat %j → %s', (body, expected) => {
    const wire = chat(body);
    expect(wire.kind === 'serve' ? 'serve' : wire.status).toBe(expected);
  });

  it.each([
    ['POST', '/effects/pay', 'pay'],
    ['POST', '/effects/pay?x=1', 'pay'],
    ['GET', '/effects/pay', 405],
    ['POST', '/effects/', 404],
    ['POST', '/effects/a/b', 404],
    ['POST', '/effects/%2e', 404],
    ['POST', '/effects/.hidden', 404],
    ['POST', '/v1/chat/completions/', 404],
    ['GET', '/v1/chat/completions', 405],
  ])('%s %s → %s', (method, path, expected) => {
    const wire = chat('', method, path);
    expect(wire.kind === 'serve' ? wire.name : wire.status).toBe(expected);
  });
});

describe('answers', () => {
  it('are canonical, and differ by effect, body, model and text', () => {
    const answers = [
      chatAnswer('effect-1', 'm', Buffer.from(good)),
      chatAnswer('effect-2', 'm', Buffer.from(good)),
      chatAnswer('effect-1', 'n', Buffer.from(good)),
      chatAnswer('effect-1', 'm', Buffer.from(`${good} `)),
      chatAnswer('effect-1', 'm', Buffer.from(good), 'text'),
    ].map(String);
    expect(new Set(answers).size).toBe(5);
    for (const answer of answers) expect(canonical(JSON.parse(answer))).toBe(answer);
    expect(chatAnswer('effect-1', 'm', Buffer.from(good)).toString()).toBe(answers[0]);
  });

  it.each([
    [400, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'server_error'],
  ])('error %i is of type %s', (status, type) => {
    expect(JSON.parse(errorBody(status, 'm').toString())).toEqual({ error: { message: 'm', type } });
  });
});

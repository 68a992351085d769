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
    ['POST', '/effects/constructor', 'constructor'],
    ['POST', '/effects/', 404],
    ['POST', '/effects/_pay', 404],
    ['POST', '/effects/pay%3Fx', 404],
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

describe('a strict prefix', () => {
  const strict = (messages: string, more = '') =>
    wireOf(
      { method: 'POST', path: '/v1/chat/completions', body: Buffer.from(`{"messages":${messages},"model":"m"${more}}`) },
      true,
    );

  it('refuses a conversation that breaks a rule, with the sentence of the rule', () => {
    const wire = strict('[{"content":"x","role":"user"},{"content":"x","role":"user"}]');
    expect(wire).toEqual({
      ...{ kind: 'refuse', status: 400 },
      bytes: errorBody(400, 'messages[1]: Two user turns must not follow each other.'),
    });
  });

  it.each([
    ['[{"content":"x","role":"user"}]', ''],
    ['[{"content":"\\ud800","role":"user"}]', ''],
    [`[{"content":[{"text":${'['.repeat(5000)}${']'.repeat(5000)},"type":"x"}],"role":"user"}]`, ''],
  ])('serves one that breaks none, whatever its texts hold', (messages, more) => {
    expect(strict(messages, more).kind).toBe('serve');
  });

  it.each<[string, string, string]>([
    ['[]', '', 'at least one message'],
    ['"x"', '', 'at least one message'],
    ['[7]', ',"stream":true', 'Streaming'],
    ['[7]', '', 'messages[0]: A message'],
    ['[{"role":"\\ud800"}]', '', 'messages[0]: A message'],
    [`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`, '', 'messages[0]: A message'],
    [`[${'{"content":'.repeat(100_000)}1${'}'.repeat(100_000)}]`, '', 'messages[0]: A message'],
    [`[{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`, '', 'messages[0]: The content'],
  ])('refuses after the checks of the wire %#', (messages, more, told) => {
    const wire = strict(messages, more);
    expect(wire).toMatchObject({ kind: 'refuse', status: 400 });
    if (wire.kind === 'refuse')
      expect(JSON.parse(wire.bytes.toString())).toMatchObject({ error: { message: expect.stringContaining(told) as string } });
  });

  it('looks at no effect', () => {
    expect(wireOf({ method: 'POST', path: '/effects/pay', body: Buffer.from('{"messages":[7],"model":"m"}') }, true).kind).toBe(
      'serve',
    );
  });
});

describe('answers', () => {
  const paying = { id: 'call-1', name: 'pay', arguments: '{"to":' };

  it('are canonical, and differ by effect, body, model and text', () => {
    const answers = [
      chatAnswer('effect-1', 'm', Buffer.from(good)),
      chatAnswer('effect-2', 'm', Buffer.from(good)),
      chatAnswer('effect-1', 'n', Buffer.from(good)),
      chatAnswer('effect-1', 'm', Buffer.from(`${good} `)),
      chatAnswer('effect-1', 'm', Buffer.from(good), { text: 'text' }),
      chatAnswer('effect-1', 'm', Buffer.from(good), { tool_calls: [paying] }),
      chatAnswer('effect-1', 'm', Buffer.from(good), { tool_calls: [paying, paying] }),
      chatAnswer('effect-1', 'm', Buffer.from(good), { text: '', tool_calls: [paying] }),
    ].map(String);
    expect(new Set(answers).size).toBe(8);
    for (const answer of answers) expect(canonical(JSON.parse(answer))).toBe(answer);
    expect(chatAnswer('effect-1', 'm', Buffer.from(good)).toString()).toBe(answers[0]);
  });

  it.each([
    [undefined, null],
    ['', ''],
    ['I pay.', 'I pay.'],
  ])('ask for tools, with the text %j as the content %j', (text, content) => {
    const scripted = { tool_calls: [paying], ...(text === undefined ? {} : { text }) };
    const tool_calls = [{ id: 'call-1', type: 'function', function: { name: 'pay', arguments: '{"to":' } }];
    expect(JSON.parse(chatAnswer('effect-1', 'm', Buffer.from(good), scripted).toString())).toMatchObject({
      choices: [{ index: 0, message: { role: 'assistant', content, tool_calls }, finish_reason: 'tool_calls' }],
    });
  });

  it('without calls have none, not even an empty list', () => {
    const { choices } = JSON.parse(chatAnswer('effect-1', 'm', Buffer.from(good)).toString()) as { choices: unknown };
    const content = expect.stringContaining('The answer of effect-1') as string;
    expect(choices).toEqual([{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]);
  });

  it.each([
    [undefined, 'application/json', '{"effect_id":"effect-1","name":"pay"}'],
    ['Paid: 5 €.', 'text/plain;charset=utf-8', 'Paid: 5 €.'],
    ['', 'text/plain;charset=utf-8', ''],
  ])('of an effect with the text %j', (text, content_type, body) => {
    const wire = wireOf({ method: 'POST', path: '/effects/pay', body: Buffer.from('any') });
    if (wire.kind !== 'serve') throw new Error('It is refused.');
    const scripted = text === undefined ? { tool_calls: [paying] } : { text };
    expect(wire.respond('effect-1', scripted)).toEqual({ content_type, bytes: Buffer.from(body) });
  });

  it.each([
    [400, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'server_error'],
  ])('error %i is of type %s', (status, type) => {
    expect(JSON.parse(errorBody(status, 'm').toString())).toEqual({ error: { message: 'm', type } });
  });
});

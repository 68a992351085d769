/**
 * Real HTTP against a real provider process: what a client sees, and what the receipts say, side by side.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, chat, lines, startedProvider, rawChat } from './testing/provider.js';
import { answer, honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();

describe('what a client sees, and what the receipts say', () => {
  it.each([
    [answer, 200, '1 answered 200 effect-1'],
    [{ do: 'answer', text: 'Hello.' }, 200, '1 answered 200 effect-1'],
    [{ do: 'status', status: 503 }, 503, '1 answered 503 no effect'],
    [{ do: 'status', status: 429, message: 'Slower.' }, 429, '1 answered 429 no effect'],
    [{ do: 'drop', when: 'before_commit' }, null, '1 dropped null no effect'],
    [{ do: 'drop', when: 'after_commit' }, null, '1 dropped 200 effect-1'],
    [{ do: 'delay', ms: 20 }, 200, '1 answered 200 effect-1'],
  ])('%j', async (step, status, receipt) => {
    const opened = await provider.open(ignore(step));
    const reply = await chat(opened.url, 'key-1');
    expect(reply.status).toBe(status);
    expect(await sealed(provider, opened)).toEqual([receipt]);
    const [received, settled] = lines(opened.receipts);
    expect(received).toMatchObject({ kind: 'received', method: 'POST', path: '/v1/chat/completions', idempotency_key: 'key-1' });
    const sent = status === null ? {} : { response_sha256: createHash('sha256').update(reply.text).digest('hex') };
    expect(settled).toMatchObject(sent);
  });

  it.each([
    [0, 0],
    [7, 7],
    [1_000_000, -1],
  ])('cut after %i bytes is never a whole answer', async (after_bytes, length) => {
    const opened = await provider.open(ignore({ do: 'cut', after_bytes }));
    const reply = await chat(opened.url);
    expect(reply).toMatchObject({ status: 200, whole: false });
    expect(reply.text.length).toBe(length < 0 ? reply.length - 1 : length);
    expect(await sealed(provider, opened)).toEqual(['1 reset 200 effect-1']);
  });

  it.each([
    ['length', 7, 'content-length: 303', 'end'],
    ['chunked', 7, 'transfer-encoding: chunked', 'end'],
    ['chunked', 1_000_000, 'transfer-encoding: chunked', 'end'],
    ['reset', 7, 'content-length: 303', 'ECONNRESET'],
  ])('cut as %s after %i bytes, on the wire', async (how, after_bytes, framing, end) => {
    const opened = await provider.open(ignore({ do: 'cut', how, after_bytes }));
    for (let round = 0; round < 5; round++) {
      const before = await provider.open(ignore({ do: 'cut', how, after_bytes }));
      const { text, ended } = await rawChat(before.url);
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head.split('\r\n')).toEqual(['HTTP/1.1 200 OK', 'content-type: application/json', framing, 'connection: close']);
      const part = how === 'chunked' && after_bytes > 7 ? 303 : 7;
      expect(body.length).toBe(how === 'chunked' ? part + `${part.toString(16)}\r\n\r\n`.length : part);
      expect(ended).toBe(end);
    }
    expect(await chat(opened.url)).toMatchObject({ status: 200, whole: false });
    expect(await sealed(provider, opened)).toEqual(['1 reset 200 effect-1']);
  });

  it.each([
    ['an error inside a 200', 200, 'application/json', '{"error":{"message":"overloaded"}}'],
    ['half of a JSON text', 200, 'application/json', '{"choices":[{"mess'],
    ['nothing', 200, null, ''],
    ['an empty 404', 404, null, ''],
    ['a 204', 204, null, ''],
    ['HTML', 502, 'text/html', '<html>502</html>'],
  ])('raw: %s, to the byte', async (_name, status, content_type, body) => {
    for (const effect of ['committed', 'none']) {
      const opened = await provider.open(ignore({ do: 'raw', status, content_type, body, effect }));
      const reply = await chat(opened.url, 'a');
      expect([reply.status, reply.text, reply.contentType, reply.whole]).toEqual([status, body, content_type, true]);
      expect(await sealed(provider, opened)).toEqual([`1 answered ${status} ${effect === 'none' ? 'no effect' : 'effect-1'}`]);
      expect(lines(opened.receipts)[1]).toMatchObject({ response_sha256: createHash('sha256').update(body).digest('hex') });
    }
  });

  it('answers with the scripted text, and equally for equal requests of another prefix', async () => {
    const [one, two] = [await provider.open(ignore()), await provider.open(ignore())];
    expect((await chat(one.url)).text).toBe((await chat(two.url)).text);
    const spoken = await provider.open(ignore({ do: 'answer', text: 'Zwölf Boxkämpfer 🥊' }));
    expect(JSON.parse((await chat(spoken.url)).text)).toMatchObject({
      id: 'chatcmpl-effect-1',
      created: 0,
      model: 'synthetic-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Zwölf Boxkämpfer 🥊' }, finish_reason: 'stop' }],
    });
  });

  it('serves effects by name, with any body', async () => {
    const opened = await provider.open(ignore());
    const body = Buffer.from([0xff, 0x00, 0x80]);
    expect(await ask(`${opened.url}/effects/send-mail`, { body })).toMatchObject({
      status: 200,
      text: '{"effect_id":"effect-1","name":"send-mail"}',
    });
    expect(await sealed(provider, opened)).toEqual(['1 answered 200 effect-1']);
    expect(lines(opened.receipts)[0]).toMatchObject({ body: { encoding: 'base64', data: body.toString('base64') } });
  });

  it('refuses what it does not serve, with receipts and without an effect', async () => {
    const opened = await provider.open(ignore());
    expect((await chat(opened.url, 'a', '{"model":')).status).toBe(400);
    expect((await chat(opened.url, 'a', '{"model":"\\ud800","messages":[1]}')).status).toBe(400);
    expect((await ask(`${opened.url}/v1/models`, { method: 'GET' })).status).toBe(404);
    expect((await ask(`${opened.url}/v1/chat/completions`, { method: 'GET' })).status).toBe(405);
    expect(await sealed(provider, opened)).toEqual(
      ['1 answered 400', '2 answered 400', '3 answered 404', '4 answered 405'].map((line) => `${line} no effect`),
    );
  });

  it('keeps credentials only as present', async () => {
    const opened = await provider.open(ignore());
    await ask(`${opened.url}/effects/pay?key=hunter2&n=1&%6bey=hunter2;sig=hunter2&hunter2`, {
      headers: { authorization: 'Bearer hunter2', 'x-api-key': 'hunter2' },
    });
    await sealed(provider, opened);
    expect(readFileSync(opened.receipts, 'utf8')).not.toContain('hunter2');
    expect(lines(opened.receipts)[0]).toMatchObject({
      path: '/effects/pay?key=present&n=present&%6bey=present;sig=present&present',
      headers: { authorization: 'present', 'x-api-key': 'present' },
    });
  });
});

describe('keys', () => {
  it('honour: the first answer again, 422 for another body or name, a key at a time', async () => {
    const opened = await provider.open(honour());
    const first = await chat(opened.url, 'a');
    expect(await chat(opened.url, 'a')).toEqual(first);
    expect((await chat(opened.url, 'a', '{"model":"other","messages":[1]}')).status).toBe(422);
    expect((await ask(`${opened.url}/effects/pay`, { headers: { 'idempotency-key': 'a' } })).status).toBe(422);
    expect((await chat(opened.url, 'b')).status).toBe(200);
    expect((await chat(opened.url)).status).toBe(200);
    expect((await chat(opened.url)).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual([
      '1 answered 200 effect-1',
      '2 answered 200 effect-1 replayed',
      '3 answered 422 no effect',
      '4 answered 422 no effect',
      '5 answered 200 effect-2',
      '6 answered 200 effect-3',
      '7 answered 200 effect-4',
    ]);
  });

  it('honour: 409 while the first is held, and the dropped first one is answered on the second try', async () => {
    const opened = await provider.open(honour({ do: 'hold', effect: 'none' }, answer, { do: 'drop', when: 'after_commit' }));
    const first = chat(opened.url, 'a');
    expect((await provider.held(opened)).value).toEqual({ held: 1 });
    expect((await chat(opened.url, 'a')).status).toBe(409);
    expect((await chat(opened.url, 'b')).status).toBe(null);
    expect((await chat(opened.url, 'b')).status).toBe(200);
    expect((await provider.release(opened)).value).toEqual({ released: 1 });
    expect((await first).status).toBe(200);
    expect(await chat(opened.url, 'a')).toEqual(await first);
    expect(await sealed(provider, opened)).toEqual([
      '2 answered 409 no effect',
      '3 dropped 200 effect-1',
      '4 answered 200 effect-1 replayed',
      '1 answered 200 effect-2',
      '5 answered 200 effect-2 replayed',
    ]);
  });

  it('ignore: every request has an effect of its own', async () => {
    const opened = await provider.open(ignore());
    await chat(opened.url, 'a');
    await chat(opened.url, 'a');
    expect(await sealed(provider, opened)).toEqual(['1 answered 200 effect-1', '2 answered 200 effect-2']);
  });
});

/**
 * Look-ups and fences over real HTTP: what is told, what is refused from then on, and what the receipts say of both.
 */
import { copyFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, chat, freshPath, lines, question, startedProvider } from './testing/provider.js';
import { honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();
const asking = (script: object, ...requests: unknown[]) => ({
  ...script,
  lookup: { requests, otherwise: { do: 'tell' } },
  fence: true,
});
const fenced = { status: 200, told: { fenced: true, found: false, request_sha256: null, response: null } };

describe('a look-up', () => {
  it('tells the answer of the key, byte for byte, and is a request with receipts of its own', async () => {
    const opened = await provider.open(asking(ignore({ do: 'cut', after_bytes: 3, how: 'reset' })));
    expect((await question(opened.url, 'a/ä')).status).toBe(404);
    const sent = await chat(opened.url, 'a/ä', undefined, 7);
    expect(sent.whole).toBe(false);
    const { status, told } = await question(opened.url, 'a/ä');
    const [, , received, settled] = lines(opened.receipts);
    if (received?.kind !== 'received' || settled?.kind !== 'settled') throw new Error('The receipts are in another order.');
    expect({ status, told }).toMatchObject({
      status: 200,
      told: {
        fenced: false,
        found: true,
        request_sha256: received.body_sha256,
        response: { content_type: 'application/json', status: 200 },
      },
    });
    const { data } = (told as { response: { body: { data: string } } }).response.body;
    expect(JSON.parse(data)).toMatchObject({ id: 'chatcmpl-effect-1' });
    expect(data.startsWith(sent.text)).toBe(true);
    expect(received.headers).toMatchObject({ 'fencing-token': '7' });
    await ask(`${opened.url}/keys/a?secret=1`, { method: 'GET', headers: { 'request-sha256': 'f'.repeat(64) } });
    expect(await sealed(provider, opened)).toEqual([
      '1 answered 404 no effect',
      '2 reset 200 effect-1',
      '3 answered 200 no effect',
      '4 answered 404 no effect',
    ]);
    expect(lines(opened.receipts)[6]).toMatchObject({
      ...{ method: 'GET', path: '/keys/a?secret=present', idempotency_key: null },
      headers: { 'request-sha256': 'f'.repeat(64) },
    });
  });

  it('takes no step of the script, and has steps of its own', async () => {
    const opened = await provider.open(
      asking(honour({ do: 'status', status: 500 }), { do: 'malformed' }, { do: 'status', status: 502 }),
    );
    const answers = [await question(opened.url, 'a'), await question(opened.url, 'a'), await chat(opened.url, 'a')];
    expect(answers.map(({ status }) => status)).toEqual([200, 502, 500]);
    expect((await question(opened.url, 'a')).status).toBe(404);
  });

  it('repeats the hash that it was asked about', async () => {
    const opened = await provider.open(asking(ignore(), { do: 'in_progress' }, { do: 'other_request' }));
    const hash = 'a'.repeat(64);
    const look = () => ask(`${opened.url}/keys/a`, { method: 'GET', headers: { 'request-sha256': hash } });
    const [same, other] = [await look(), await look()];
    expect([same.status, JSON.parse(same.text)]).toMatchObject([409, { request_sha256: hash }]);
    expect([other.status, other.text.includes(hash)]).toEqual([409, false]);
  });

  it('is held until released, and then tells what is true', async () => {
    const opened = await provider.open(asking(ignore(), { do: 'hold' }));
    const look = question(opened.url, 'a');
    expect((await provider.held(opened)).value).toEqual({ held: 1 });
    await chat(opened.url, 'a');
    expect((await provider.release(opened)).value).toEqual({ released: 1 });
    expect(await look).toMatchObject({ status: 200, told: { found: true } });
  });

  it('is not offered where the script says nothing of it, and neither is a fence', async () => {
    const opened = await provider.open(ignore());
    expect([(await question(opened.url, 'a')).status, (await question(opened.url, 'a', 1)).status]).toEqual([501, 501]);
    expect(await sealed(provider, opened)).toEqual(['1 answered 501 no effect', '2 answered 501 no effect']);
  });
});

describe('a fence', () => {
  it('is in progress for nobody, and stays in force in a log that goes on', async () => {
    const opened = await provider.open(asking(honour({ do: 'hold', effect: 'none' })));
    const held = chat(opened.url, 'a', undefined, 3);
    await provider.held(opened);
    expect((await question(opened.url, 'a')).status).toBe(409);
    expect(await question(opened.url, 'a', 3)).toEqual(fenced);
    expect((await question(opened.url, 'a')).status).toBe(404);
    expect((await chat(opened.url, 'a', undefined, 3)).status).toBe(412);
    await provider.release(opened);
    expect((await held).status).toBe(412);
    expect(await sealed(provider, opened)).toEqual([
      ...['2 answered 409 no effect', '3 answered 200 no effect', '4 answered 404 no effect', '5 answered 412 no effect'],
      '1 answered 412 no effect',
    ]);

    const copy = freshPath();
    copyFileSync(opened.receipts, copy);
    const next = await provider.open(honour(), copy, true);
    expect((await chat(next.url, 'a', undefined, 3)).status).toBe(412);
    expect((await chat(next.url, 'a')).status).toBe(412);
    expect((await chat(next.url, 'a', undefined, 4)).status).toBe(200);
    expect((await sealed(provider, next)).slice(5)).toEqual([
      '6 answered 412 no effect',
      '7 answered 412 no effect',
      '8 answered 200 effect-1',
    ]);
  });

  it('tells what was served before it', async () => {
    const opened = await provider.open(asking(ignore({ do: 'drop', when: 'after_commit' })));
    await chat(opened.url, 'a', undefined, 3);
    const { told } = await question(opened.url, 'a');
    expect(await question(opened.url, 'a', 3)).toEqual({ status: 200, told: { ...(told as object), fenced: true } });
  });
});

/**
 * Requests that wait, with real clients and real kills: each is settled once, and says how it ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ProviderProcess, ask, batch, chat, client, freshPath, lines, settledOf, startedProvider } from './testing/provider.js';
import { answer, honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();

describe('held requests', () => {
  it.each([
    ['committed', '1 held_at_close 200 effect-1'],
    ['none', '1 held_at_close null no effect'],
  ])('close ends a held request, effect %s', async (effect, receipt) => {
    const opened = await provider.open(ignore({ do: 'hold', effect }));
    const reply = chat(opened.url);
    await provider.held(opened);
    expect(await sealed(provider, opened)).toEqual([receipt]);
    expect((await reply).status).toBe(null);
    expect((await chat(opened.url)).status).toBe(404);
    expect((await provider.held(opened)).status).toBe(409);
    // Closing again says the same, and 404 left no receipt.
    expect(await sealed(provider, opened)).toEqual([receipt]);
  });

  it('close ends a delayed request', async () => {
    const opened = await provider.open(ignore({ do: 'delay', ms: 60_000 }, answer));
    const reply = chat(opened.url);
    while (lines(opened.receipts).length === 0) await chat((await provider.open(ignore())).url);
    expect(await sealed(provider, opened)).toEqual(['1 held_at_close 200 effect-1']);
    expect((await reply).status).toBe(null);
  });

  it('several are held at once, of whatever endpoint; who waits for three hears of the third', async () => {
    const hold = { do: 'hold', effect: 'none' };
    const effects = { pay: { requests: [hold], otherwise: answer }, mail: { requests: [], otherwise: hold } };
    const opened = await provider.open({ ...ignore(hold), effects });
    const effect = (name: string) => ask(`${opened.url}/effects/${name}`, { body: '{}' });
    const heard: string[] = [];
    const three = provider.held(opened, 3).then(({ value }) => heard.push(`three: ${value['held'] as number}`));
    const replies = [chat(opened.url), effect('pay')];
    expect((await provider.held(opened, 2)).value).toEqual({ held: 2 });
    // One more round trip: had the other waiter been told of two, it would have heard by now.
    expect([(await provider.held(opened)).value, heard]).toEqual([{ held: 2 }, []]);
    replies.push(effect('mail'));
    await three;
    expect(heard).toEqual(['three: 3']);
    const four = provider.held(opened, 4);
    expect((await provider.release(opened)).value).toEqual({ released: 3 });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await sealed(provider, opened)).sort()).toEqual([
      '1 answered 200 effect-1',
      '2 answered 200 effect-2',
      '3 answered 200 effect-3',
    ]);
    expect((await four).status).toBe(409);
  });

  it.each(['?at_least=0', '?at_least=', '?at_least=-1', '?at_least=1.5', '?at_least=1000000', '?at_least=1&x=1', '?atleast=1'])(
    'a look that says %s is refused at once, in one sentence',
    async (query) => {
      const opened = await provider.open(ignore());
      const refused = {
        status: 400,
        value: { error: { code: 'usage', message: expect.stringContaining('at_least=3') as string } },
      };
      expect(await provider.control('GET', `/${opened.token}/held${query}`)).toMatchObject(refused);
      expect((await provider.control('POST', `/${opened.token}/close${query}`)).status).toBe(404);
      expect(await sealed(provider, opened)).toEqual([]);
    },
  );

  it('a killed client takes all of its held requests along, every time, and a log that goes on serves each once', async () => {
    const hold = { do: 'hold', effect: 'committed' };
    const text = (said: string) => ({ requests: [], otherwise: { do: 'answer', text: said } });
    for (let round = 0; round < 5; round++) {
      const opened = await provider.open({
        ...ignore(),
        key: 'honour',
        effects: {
          pay: { requests: [hold], otherwise: answer },
          mail: { requests: [{ ...hold, effect: 'none' }], otherwise: answer },
        },
      });
      const child = spawn(process.execPath, [batch, opened.url, 'pay', 'mail', 'plain']);
      const exit = once(child, 'exit');
      expect((await provider.held(opened, 2)).value).toEqual({ held: 2 });
      while (settledOf(opened.receipts).length === 0) await provider.held(opened, 2);
      child.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
      await sealed(provider, opened);
      const ends = lines(opened.receipts).flatMap((line) =>
        line.kind === 'settled' ? [`${line.ended} ${line.effect?.name}`] : [],
      );
      expect(ends.sort()).toEqual(['answered plain', 'gone_while_held pay', 'gone_while_held undefined']);

      const copy = freshPath();
      copyFileSync(opened.receipts, copy);
      const next = await provider.open({ ...honour(), effects: { pay: text('Paid.'), mail: text('Sent.') } }, copy, true);
      const again = (name: string) =>
        ask(`${next.url}/effects/${name}`, { headers: { 'idempotency-key': `key-of-${name}` }, body: '{}' });
      const told = [await again('pay'), await again('mail'), await again('mail')].map(
        ({ text: said, contentType }) => `${contentType} ${said}`,
      );
      const [paid = '', ...sent] = told;
      expect(paid).toMatch(/^application\/json .*"name":"pay"/);
      expect(sent).toEqual(['text/plain;charset=utf-8 Sent.', 'text/plain;charset=utf-8 Sent.']);
      expect((await sealed(provider, next)).slice(3)).toEqual([
        expect.stringMatching(/^4 answered 200 effect-[12] replayed$/),
        '5 answered 200 effect-3',
        '6 answered 200 effect-3 replayed',
      ]);
    }
  });

  it('a waiting look at an unheld prefix ends when the prefix closes', async () => {
    const opened = await provider.open(ignore());
    const look = provider.held(opened);
    await chat(opened.url);
    await sealed(provider, opened);
    expect((await look).status).toBe(409);
  });

  it.each([
    [{ do: 'hold', effect: 'committed' }, '1 gone_while_held 200 effect-1'],
    [{ do: 'hold', effect: 'none' }, '1 gone_while_held null no effect'],
  ])('a killed client is gone before the close that follows its death, every time: %j', async (step, receipt) => {
    for (let round = 0; round < 5; round++) {
      const opened = await provider.open(ignore(step));
      const child = spawn(process.execPath, [client, opened.url, 'key-1']);
      expect((await provider.held(opened)).value).toEqual({ held: 1 });
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
      expect(await sealed(provider, opened)).toEqual([receipt]);
      expect(lines(opened.receipts)[0]).toMatchObject({ peer_pid: child.pid });
    }
  });

  it('a delay outlives its client: the effect has happened', async () => {
    const opened = await provider.open(ignore({ do: 'delay', ms: 60_000 }));
    const child = spawn(process.execPath, [client, opened.url, 'key-1']);
    while (lines(opened.receipts).length === 0) await chat((await provider.open(ignore())).url);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    expect(await sealed(provider, opened)).toEqual(['1 gone_while_held 200 effect-1']);
  });

  it('a client that died while the provider stood still is gone, even if the close was waiting too', async () => {
    const stopped = await ProviderProcess.start();
    const opened = await stopped.open(ignore({ do: 'hold', effect: 'none' }));
    const child = spawn(process.execPath, [client, opened.url, 'key-1']);
    await stopped.held(opened);
    // Connected before the death, so that both news are read in one turn of the provider's loop.
    const close = connect(Number(new URL(opened.url).port), '127.0.0.1');
    await once(close, 'connect');
    await stopped.held(opened);
    stopped.child.kill('SIGSTOP');
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    const answered = once(close.resume(), 'end');
    await new Promise((written) => close.write(stopped.closeRequest(opened), written));
    stopped.child.kill('SIGCONT');
    await answered;
    expect(settledOf(opened.receipts)).toEqual(['1 gone_while_held null no effect']);
    await stopped.stop();
  });
});

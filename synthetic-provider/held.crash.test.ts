/**
 * Requests that wait, with real clients and real kills: each is settled once, and says how it ended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ProviderProcess, chat, client, lines, settledOf, startedProvider } from './testing/provider.js';
import { answer, ignore, sealed } from './testing/sealed.js';

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

/**
 * The provider as a process: who may ask, how it ends, what a kill and a full disk leave.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Opened, ProviderProcess, ask, chat, lines, mainFile, settledOf, startedProvider } from './testing/provider.js';
import { honour, ignore, sealed } from './testing/sealed.js';

const provider = await startedProvider();

describe('who may ask', () => {
  it('control needs its token, and only a loopback host is served', async () => {
    const opened = await provider.open(ignore());
    const close = `${provider.origin}/control/prefixes/${opened.token}/close`;
    expect((await ask(close)).status).toBe(401);
    expect((await ask(close, { headers: { authorization: `Bearer ${opened.token}` } })).status).toBe(401);
    for (const host of ['evil.example', '127.0.0.1', '127.0.0.1:1', 'localhost.evil.example']) {
      expect((await ask(`${opened.url}/effects/pay`, { headers: { host } })).status).toBe(403);
    }
    expect((await ask(`${provider.origin}/p/unknown/effects/pay`)).status).toBe(404);
    expect((await ask(`${opened.url}x/effects/pay`)).status).toBe(404);
    expect(await sealed(provider, opened)).toEqual([]);
  });

  it('a body over 10 MiB is 413 without an effect, one of 10 MiB is served', async () => {
    const opened = await provider.open(ignore());
    expect((await ask(`${opened.url}/effects/pay`, { body: Buffer.alloc(10 * 1024 * 1024 + 1, 97) })).status).toBe(413);
    expect((await ask(`${opened.url}/effects/pay`, { body: Buffer.alloc(10 * 1024 * 1024, 97) })).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual(['1 answered 200 effect-1']);
  });

  it.each<[string, string]>([
    ['half a pair in a name', '{"\\ud800":1}'],
    [
      'half a pair in the path',
      '{"receipts":"/nowhere/\\ud800","script":{"key":"ignore","requests":[],"otherwise":{"do":"answer"}}}',
    ],
    ['half a pair in a name of the script', '{"receipts":"/nowhere/x","script":{"\\ud800":"\\ud800"}}'],
    ['a list deeper than the stack', `{"receipts":"/nowhere/x","script":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a script deeper than the stack', `{"receipts":"/nowhere/x","script":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
  ])('a hostile opening is refused and harms no other prefix: %s', async (_name, body) => {
    const opened = await provider.open(ignore());
    expect(await provider.control('POST', '', undefined, body)).toMatchObject({ status: 400 });
    expect((await chat(opened.url)).status).toBe(200);
    expect(await sealed(provider, opened)).toEqual(['1 answered 200 effect-1']);
  });

  it('many prefixes at once stay apart', async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => provider.open(honour({ do: 'hold', effect: 'none' }))));
    const replies = opened.map((one) => chat(one.url, 'a'));
    await Promise.all(opened.map((one) => provider.held(one)));
    await provider.release(opened[7] as Opened);
    expect((await replies[7])?.status).toBe(200);
    const ended = await Promise.all(opened.map((one) => sealed(provider, one)));
    expect(ended.map(([line]) => line)).toEqual(
      opened.map((_one, index) => (index === 7 ? '1 answered 200 effect-1' : '1 held_at_close null no effect')),
    );
  });
});

describe('the process', () => {
  it('killed while it holds a request, it leaves one whole received line, which cannot be continued', async () => {
    const doomed = await ProviderProcess.start();
    const opened = await doomed.open(ignore({ do: 'hold', effect: 'committed' }));
    const reply = chat(opened.url, 'a');
    await doomed.held(opened);
    const exit = once(doomed.child, 'exit');
    doomed.child.kill('SIGKILL');
    await exit;
    expect((await reply).status).toBe(null);
    expect(lines(opened.receipts)).toMatchObject([{ kind: 'received', seq: 1, idempotency_key: 'a' }]);
    const { value } = await provider.control('POST', '', { receipts: opened.receipts, script: ignore(), continue: true });
    expect(value['error']).toMatchObject({ message: expect.stringContaining('never closed') as string });
  });

  it('ends with its standard input, and on SIGTERM, and settles what it holds', async () => {
    for (const end of [(one: ProviderProcess) => one.child.stdin?.end(), (one: ProviderProcess) => one.child.kill('SIGTERM')]) {
      const one = await ProviderProcess.start();
      const opened = await one.open(ignore({ do: 'hold', effect: 'none' }));
      const reply = chat(opened.url);
      await one.held(opened);
      const exit = once(one.child, 'exit');
      end(one);
      expect(await exit).toEqual([0, null]);
      expect((await reply).status).toBe(null);
      expect(settledOf(opened.receipts)).toEqual(['1 held_at_close null no effect']);
    }
  });

  it.each([['--port', 'many'], ['--port', '70000'], ['--unknown'], ['--port', '1', 'stray']])(
    'refuses %s %s with exit 64',
    async (...argv) => {
      const child = spawn(process.execPath, [mainFile(), ...argv]);
      expect(await once(child, 'exit')).toEqual([64, null]);
    },
  );

  it('a full disk: the request is not served, the log stays poisoned, other prefixes go on', async () => {
    // A file-size limit gives real short writes and EFBIG. The limit is inherited by exec, and pipes and sockets do not count.
    const small = await ProviderProcess.start((argv) => ['bash', '-c', 'ulimit -f 4; exec "$@"', 'bash', ...argv]);
    const opened = await small.open(ignore());
    let served = 0;
    let reply = await chat(opened.url, 'a');
    for (; reply.status === 200; served++) reply = await chat(opened.url, 'a');
    expect(reply.status).toBe(null);
    expect(served).toBeGreaterThan(0);
    expect((await chat(opened.url, 'a')).status).toBe(null);
    expect(await small.close(opened)).toMatchObject({ status: 500, value: { error: { code: 'receipts-unsynced' } } });
    const whole = readFileSync(opened.receipts, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { kind: string });
    expect(whole.filter(({ kind }) => kind === 'settled').length).toBe(served);
    const other = await small.open(ignore());
    expect((await chat(other.url)).status).toBe(200);
    expect((await small.close(other)).status).toBe(200);
    await small.stop();
  });
});

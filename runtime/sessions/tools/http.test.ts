/** HTTP tools against real servers: what is proved, and what is not. */
import * as net from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { sessionLogV1 } from '../../contract/data.js';
import type { SharedTool } from '../../contract/types.js';
import { respond, startProvider, type Behaviour, type TestProvider } from '../../testing/provider.js';
import { toolPlane, type Outcome } from './plane.js';

const tool: SharedTool = {
  name: 'charge',
  description: '',
  arguments: [],
  kind: 'http',
  effect: 'charge-card',
  argv: null,
  safety: 'side_effect',
  approval: 'never',
  on_unknown: 'interrupt',
  timeout_ms: 2000,
};
const key = 's-1/run-a/batch-3/call_1';
const providers: TestProvider[] = [];
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

async function served(...behaviours: Behaviour[]): Promise<TestProvider> {
  const provider = await startProvider(...behaviours);
  providers.push(provider);
  return provider;
}

const send = (url: string | null, changes: Partial<SharedTool> = {}, signal = new AbortController().signal): Promise<Outcome> =>
  toolPlane(url).dispatch({ key, tool: { ...tool, ...changes }, arguments: '{"a": 1}', signal });

describe('an HTTP tool', () => {
  test('is sent the arguments as the model wrote them, under the key of the call', async () => {
    const provider = await served(respond('done'));
    expect(await send(provider.url)).toEqual({ outcome: 'completed', output: 'done', isError: false });
    expect(provider.seen).toHaveLength(1);
    const [{ head, body }] = provider.seen as [{ head: string; body: string }];
    expect(head).toContain('POST /p/token/effects/charge-card HTTP/1.1');
    expect(head.toLowerCase()).toContain(`idempotency-key: ${key}`);
    expect(body).toBe('{"arguments":"{\\"a\\": 1}","tool":"charge"}');
  });

  test('is completed with an error where it tells of one', async () => {
    const provider = await served(respond('no funds', '402 Payment Required'));
    expect(await send(provider.url)).toEqual({ outcome: 'completed', output: 'no funds', isError: true });
  });

  test.each<[string, Behaviour]>([
    ['a reset', (socket) => socket.resetAndDestroy()],
    ['no response', (socket) => socket.destroy()],
    ['a body that is cut', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')],
    ['a body without a length', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it?')],
  ])('is unknown after %s', async (_what, behaviour) => {
    const provider = await served(behaviour);
    expect((await send(provider.url)).outcome).toBe('unknown');
    expect(provider.seen).toHaveLength(1);
  });

  test('is unknown after its time, and is asked once', async () => {
    const provider = await served(() => undefined);
    expect((await send(provider.url, { timeout_ms: 50 })).outcome).toBe('unknown');
    expect(provider.seen).toHaveLength(1);
  });

  test('is unknown where it was given up after it was sent, and not sent where before', async () => {
    const stop = new AbortController();
    const provider = await served(() => stop.abort());
    expect((await send(provider.url, {}, stop.signal)).outcome).toBe('unknown');
    expect((await send(provider.url, {}, stop.signal)).outcome).toBe('not_sent');
    expect(provider.seen).toHaveLength(1);
  });

  test('is not sent where the connection is refused, or there is no URL', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    server.close();
    await once(server, 'close');
    expect((await send(`http://127.0.0.1:${port}`)).outcome).toBe('not_sent');
    expect((await send(null)).outcome).toBe('not_sent');
    expect(toolPlane(null).available(tool)).toBe(false);
    expect(toolPlane('http://127.0.0.1:1').available(tool)).toBe(true);
  });

  test('keeps what is text and small enough for a record', async () => {
    const { texts, output_cap: cap } = sessionLogV1;
    const said = (bytes: Buffer): Behaviour => {
      return (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
        socket.end(bytes);
      };
    };
    const outputs = [
      { bytes: Buffer.alloc(cap, 'a'), output: 'a'.repeat(cap), isError: false },
      { bytes: Buffer.alloc(cap + 1, 'a'), output: texts.too_large, isError: true },
      // Small enough to receive, six times as large in a record.
      { bytes: Buffer.alloc(cap, 1), output: texts.too_large, isError: true },
      { bytes: Buffer.from([0xff, 0xfe]), output: texts.not_text, isError: true },
      { bytes: Buffer.alloc(0), output: '', isError: false },
    ];
    const provider = await served(...outputs.map(({ bytes }) => said(bytes)));
    for (const { output, isError } of outputs)
      expect(await send(provider.url)).toEqual({ outcome: 'completed', output, isError });
  });
});

import * as net from 'node:net';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { interpret } from '../core/interpret.js';
import { answers, answerText, respond, startProvider, type Behaviour, type TestProvider } from '../../testing/provider.js';
import { httpTransport } from './chat-completions.js';
import type { Delivery } from './transport.js';

let provider: TestProvider | null = null;

afterEach(async () => {
  await provider?.close();
  provider = null;
});

async function deliveredBy(behaviour: Behaviour, timeoutMs = 10_000): Promise<Delivery> {
  provider = await startProvider(behaviour);
  const body = Buffer.from('{"model":"é"}');
  return httpTransport({
    url: `${provider.url}/`,
    path: '/v1/chat/completions',
    idempotencyKey: 'key-16',
    fencingToken: 8,
    body,
    timeoutMs,
  });
}

test('one POST with the key and the exact body, on a connection that is not kept', async () => {
  const delivery = await deliveredBy(answers);
  expect(delivery).toEqual({
    delivery: 'complete',
    status: 200,
    contentType: 'application/json',
    bytes: Buffer.from(answerText),
  });
  const [seen, ...more] = provider?.seen ?? [];
  expect(more).toEqual([]);
  expect(seen?.head).toMatch(/^POST \/p\/token\/v1\/chat\/completions HTTP\/1\.1\r\n/);
  expect(seen?.head.toLowerCase()).toContain('idempotency-key: key-16');
  expect(seen?.head.toLowerCase()).toContain('fencing-token: 8');
  expect(seen?.head.toLowerCase()).toContain('connection: close');
  expect(seen?.body).toBe('{"model":"é"}');
});

describe('a whole response is complete, whatever its status', () => {
  test.each(['503 Service Unavailable', '302 Found', '429 Too Many Requests'])('%s', async (line) => {
    const delivery = await deliveredBy(respond('busy', line));
    expect(delivery).toMatchObject({ delivery: 'complete', status: Number(line.slice(0, 3)) });
    expect(provider?.seen).toHaveLength(1);
  });

  test.each(['204 No Content', '304 Not Modified'])('%s, which has no body whatever its headers say', async (line) => {
    for (const headers of [[], ['content-length: 100']]) {
      const delivery = await deliveredBy(respond('', line, headers));
      expect(delivery).toMatchObject({ delivery: 'complete', status: Number(line.slice(0, 3)), bytes: Buffer.alloc(0) });
      await provider?.close();
    }
  });

  test('a compressed one, which was not asked for, byte for byte', async () => {
    const compressed = gzipSync(answerText);
    const delivery = await deliveredBy((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${compressed.length}\r\n\r\n`);
      socket.end(compressed);
    });
    expect(provider?.seen[0]?.head.toLowerCase()).not.toContain('accept-encoding');
    expect(delivery).toMatchObject({ delivery: 'complete', status: 200, bytes: compressed });
    expect(interpret(200, compressed, 1)).toMatchObject({ result: 'uninterpretable' });
  });

  test('a chunked one', async () => {
    const delivery = await deliveredBy(respond('3\r\nabc\r\n0\r\n\r\n', '200 OK', ['transfer-encoding: chunked']));
    expect(delivery).toMatchObject({ delivery: 'complete', bytes: Buffer.from('abc') });
  });
});

describe('everything else that may have been served is broken', () => {
  test.each<[string, Behaviour]>([
    ['reset before the headers', (socket) => socket.resetAndDestroy()],
    ['closed before the headers', (socket) => socket.end()],
    ['a body shorter than its length', respond('half', '200 OK', ['content-length: 100'])],
    ['a chunked body that ends early', respond('3\r\nabc\r\n', '200 OK', ['transfer-encoding: chunked'])],
    [
      'a body that a reset cuts',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.resetAndDestroy());
      },
    ],
    ['a body that only the close ends', respond('whole or half?', '200 OK', [])],
    ['no HTTP at all', (socket) => socket.end('hello\r\n\r\n')],
    ['another protocol', (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
  ])('%s', async (_name, behaviour) => {
    expect(await deliveredBy(behaviour)).toMatchObject({ delivery: 'broken' });
    expect(provider?.seen).toHaveLength(1);
  });

  test('an answer that does not come in time', async () => {
    expect(await deliveredBy(() => undefined, 100)).toMatchObject({
      delivery: 'broken',
      detail: expect.stringContaining('100 ms'),
    });
  });

  test('an answer that stops in the middle', async () => {
    const stalled: Behaviour = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    expect(await deliveredBy(stalled, 100)).toMatchObject({ delivery: 'broken' });
  });

  test.each(['HTTP/1.1 200 OK\r\nx: ', 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n'])(
    'an answer that drips: the time is for the whole of it (%j)',
    async (begun) => {
      const dripping: Behaviour = (socket) => {
        socket.write(begun);
        const drip = setInterval(() => socket.write('.'), 10);
        socket.on('close', () => clearInterval(drip));
      };
      const began = performance.now();
      expect(await deliveredBy(dripping, 200)).toMatchObject({ delivery: 'broken', detail: expect.stringContaining('200 ms') });
      expect(performance.now() - began).toBeLessThan(5_000);
    },
  );
});

test('a refused connection is the one proof that nothing was sent', async () => {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  const request = {
    path: '/v1/chat/completions',
    idempotencyKey: 'k',
    fencingToken: 1,
    body: Buffer.from('{}'),
    timeoutMs: 5000,
  };
  expect(await httpTransport({ ...request, url: `http://127.0.0.1:${port}` })).toMatchObject({ delivery: 'not_sent' });
  expect(await httpTransport({ ...request, url: `http://name.invalid:${port}` })).toMatchObject({ delivery: 'broken' });
});

import * as net from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { respond, startProvider, type Behaviour, type TestProvider } from '../../testing/provider.js';
import type { Told } from '../core/reconciliation.js';
import { askProvider, questionOf } from './key-questions.js';

let provider: TestProvider | null = null;
afterEach(async () => {
  await provider?.close();
  provider = null;
});

const sha256 = 'a'.repeat(64);
const question = (ask: 'lookup' | 'fence', idempotencyKey = 'key 1/ü?'.normalize()) =>
  questionOf({ ask, idempotencyKey, requestSha256: sha256, fencingToken: 8 });

async function answerTo(behaviour: Behaviour, ask: 'lookup' | 'fence' = 'lookup', timeoutMs = 10_000): Promise<Told> {
  provider = await startProvider(behaviour);
  return askProvider(`${provider.url}/`, question(ask), timeoutMs, new AbortController().signal);
}

test.each([
  ['lookup', /^GET \/p\/token\/keys\/key%201%2F%C3%BC%3F HTTP/, null],
  ['fence', /^POST \/p\/token\/keys\/key%201%2F%C3%BC%3F\/fence HTTP/, '8'],
] as const)('a %s is one request without a body, with the hash of the body that was sent', async (ask, line, token) => {
  const answered = await answerTo(respond('{"found":false}', '404 Not Found'), ask);
  expect(answered).toEqual({
    ended: 'complete',
    status: 404,
    contentType: 'application/json',
    bytes: Buffer.from('{"found":false}'),
  });
  const [seen, ...more] = provider?.seen ?? [];
  expect(more).toEqual([]);
  expect(seen?.head).toMatch(line);
  expect(seen?.head).toContain(`request-sha256: ${sha256}`);
  expect(/fencing-token: (\d+)/.exec(seen?.head ?? '')?.[1] ?? null).toBe(token);
  expect(seen?.body).toBe('');
});

test('a key of dots is a key, and no way upwards', async () => {
  provider = await startProvider(respond('{}'));
  await askProvider(provider.url, question('fence', '..'), 10_000, new AbortController().signal);
  expect(provider.seen[0]?.head).toMatch(/^POST \/p\/token\/keys\/\.\.\/fence HTTP/);
});

test.each<[string, Behaviour]>([
  ['reset before the headers', (socket) => socket.resetAndDestroy()],
  ['a body shorter than its length', respond('{"found"', '200 OK', ['content-length: 100'])],
  ['a chunked body that ends early', respond('3\r\nabc\r\n', '200 OK', ['transfer-encoding: chunked'])],
  [
    'a body that a reset cuts',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"found"', () => socket.resetAndDestroy());
    },
  ],
  ['a body that only the close ends', respond('{"found":false}', '200 OK', [])],
  ['a status that is none', respond('', '099 Odd')],
  ['headers of a megabyte', respond('{}', '200 OK', [`x: ${'y'.repeat(1 << 20)}`, 'content-length: 2'])],
  ['two lengths', respond('{}', '200 OK', ['content-length: 2', 'content-length: 3'])],
  ['more than its length', respond('{"found":false}more', '404 Not Found', ['content-length: 15'])],
  ['another protocol', respond('', '101 Switching Protocols', ['upgrade: x', 'connection: upgrade'])],
  ['no HTTP at all', (socket) => socket.end('hello\r\n\r\n')],
])('what is not whole is no answer, and is not asked for again: %s', async (_name, behaviour) => {
  expect(await answerTo(behaviour)).toEqual({ ended: 'unreachable' });
  expect(provider?.seen).toHaveLength(1);
});

test('an answer that does not come in time', async () => {
  expect(await answerTo(() => undefined, 'fence', 100)).toEqual({ ended: 'timed_out' });
});

test('a provider that is not there', async () => {
  const server = net.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  expect(await askProvider(`http://127.0.0.1:${port}`, question('lookup'), 5000, new AbortController().signal)).toEqual({
    ended: 'unreachable',
  });
});

/** A real HTTP server for the tests, with one behaviour per request and the requests that it saw. Raw sockets, so it can misbehave. */
import * as net from 'node:net';
import { once } from 'node:events';

export type Behaviour = (socket: net.Socket, request: Seen) => void;

export interface Seen {
  head: string;
  body: string;
}

export interface TestProvider {
  url: string;
  port: number;
  seen: Seen[];
  close: () => Promise<void>;
}

export const answerText = JSON.stringify({
  choices: [{ finish_reason: 'stop', message: { content: 'It is fine.', role: 'assistant' } }],
});

export function respond(
  body: string,
  status = '200 OK',
  headers: readonly string[] = [`content-length: ${Buffer.byteLength(body)}`],
): Behaviour {
  return (socket) =>
    socket.end([`HTTP/1.1 ${status}`, 'content-type: application/json', 'connection: close', ...headers, '', body].join('\r\n'));
}

export const answers: Behaviour = respond(answerText);

/** Behaves as listed, then keeps to the last. */
export async function startProvider(...behaviours: Behaviour[]): Promise<TestProvider> {
  const seen: Seen[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    let received = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || Buffer.byteLength(body) < length) return;
      seen.push({ head, body });
      (behaviours[seen.length - 1] ?? behaviours.at(-1) ?? answers)(socket, { head, body });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}/p/token`, port, seen, close };
}

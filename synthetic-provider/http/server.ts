/**
 * Listens on loopback and hands each request to the control interface or to its prefix.
 *
 * A `Host` other than our own loopback address is refused first: a page in a browser can reach this port under a foreign name, and
 * must get nothing. An unknown or closed prefix is 404, and a body over the limit 413; neither leaves a receipt, since nothing
 * was received under a prefix.
 */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpClient } from './client.js';
import { Control } from './control.js';
import { readBody, send } from './messages.js';
import { peerPid } from './peer.js';
import { type Opening, Registry, Token } from './registry.js';
import { errorBody } from '../wire/errors.js';

export interface Provider {
  readonly port: number;
  readonly controlToken: string;
  /** Opens a prefix as the control interface does, and returns its URL. Throws ProviderError. */
  open(opening: Opening): string;
  /** Ends waiting requests with their receipts, then stops listening. */
  stop(): void;
}

export async function startProvider(port: number, failed: (error: unknown) => void): Promise<Provider> {
  const registry = new Registry();
  const controlToken = Token.fresh();
  const control = new Control(registry, controlToken);
  const server = createServer((request, response) => {
    route(request, response).catch(failed);
  });
  // One request a connection: a pipelined second one would be settled as answered, and its answer lost with the first one's close.
  server.maxRequestsPerSocket = 1;
  server.keepAliveTimeout = 1;
  await listen(server, port);
  const bound = (server.address() as AddressInfo).port;
  const hosts = new Set([`127.0.0.1:${bound}`, `localhost:${bound}`, `[::1]:${bound}`]);

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!hosts.has((request.headers.host ?? '').toLowerCase()))
      return drained(request, response, 403, 'This host is not served.');
    const url = request.url ?? '';
    if (url.startsWith('/control/')) return control.handle(request, response);
    const [, secret = '', path = ''] = /^\/p\/([A-Za-z0-9_-]+)(.*)$/.exec(url) ?? [];
    const prefix = registry.find(secret);
    if (prefix === null || !prefix.open) return drained(request, response, 404, 'There is no such prefix.');
    // Before the body: the client surely lives while it still sends.
    const pid = peerPid(request.socket);
    const body = await readBody(request);
    if (body.kind === 'broken') return;
    if (body.kind === 'too_large') return send(response, 413, errorBody(413, 'The body is over 10 MiB.'));
    if (!prefix.open) return send(response, 404, errorBody(404, 'There is no such prefix.'));
    const { method = '', headers } = request;
    const below = path.startsWith('/') ? path : `/${path}`;
    prefix.serve({ method, path: below, headers, body: body.bytes, pid }, new HttpClient(response));
  }

  return {
    port: bound,
    controlToken,
    open: (opening) => `http://127.0.0.1:${bound}/p/${registry.open(opening)}`,
    stop: () => {
      registry.closeAll();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function drained(request: IncomingMessage, response: ServerResponse, status: number, message: string): Promise<void> {
  const body = await readBody(request);
  if (body.kind !== 'broken') send(response, status, errorBody(status, message));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

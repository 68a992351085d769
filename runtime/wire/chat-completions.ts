/**
 * The HTTP client: one POST on a connection of its own, no retries, no redirects, no kept connection.
 *
 * A client that retries or reuses a connection by itself would turn one recorded attempt into several requests. A body is
 * complete only when its framing says so: cut short, ended early, or ended only by the close of the connection is broken, since
 * nobody can tell the end from a loss. `not_sent` is claimed for one proof alone: every connection was refused.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Delivery, Transport, WireRequest } from './transport.js';

const responseBytesMax = 64 * 1024 * 1024;

export const httpTransport: Transport = (request) =>
  new Promise<Delivery>((resolve) => {
    const target = new URL(request.url.replace(/\/+$/, '') + request.path);
    const outgoing = (target.protocol === 'https:' ? https : http).request(target, {
      method: 'POST',
      agent: false,
      headers: headersOf(request),
    });
    let connected = false;
    const settle = (delivery: Delivery): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', givenUp);
      resolve(delivery);
      if (delivery.delivery === 'broken') outgoing.destroy();
    };
    const broken = (detail: string): void => settle({ delivery: 'broken', detail });
    const givenUp = (): void => broken('nobody waits for the response any more');
    request.signal?.addEventListener('abort', givenUp, { once: true });
    const timer = setTimeout(() => broken(`no whole response within ${request.timeoutMs} ms`), request.timeoutMs);
    outgoing.on('socket', (socket) => socket.once('connect', () => (connected = true)));
    outgoing.on('error', (error) => {
      if (!connected && wasRefused(error)) settle({ delivery: 'not_sent', detail: 'the connection was refused' });
      else broken(describe(error));
    });
    outgoing.on('upgrade', () => broken('the provider asked for another protocol'));
    outgoing.on('response', (response) => collect(response, settle, broken));
    outgoing.end(request.body);
  });

function headersOf(request: WireRequest): http.OutgoingHttpHeaders {
  return {
    'content-type': 'application/json',
    'content-length': request.body.length,
    'idempotency-key': request.idempotencyKey,
    connection: 'close',
  };
}

function collect(response: http.IncomingMessage, settle: (delivery: Delivery) => void, broken: (detail: string) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > responseBytesMax) broken(`the response is larger than ${responseBytesMax} bytes`);
    else chunks.push(chunk);
  });
  response.on('error', (error) => broken(describe(error)));
  response.on('aborted', () => broken('the response was cut'));
  response.on('end', () => {
    if (!response.complete) broken('the response was cut');
    else if (!isFramed(response)) broken('the response has no length, so its end cannot be told from a loss');
    else {
      const contentType = response.headers['content-type'] ?? null;
      settle({ delivery: 'complete', status: response.statusCode ?? 0, contentType, bytes: Buffer.concat(chunks) });
    }
  });
}

function isFramed(response: http.IncomingMessage): boolean {
  const { headers, statusCode } = response;
  const hasNoBody = statusCode === 204 || statusCode === 304;
  return hasNoBody || headers['content-length'] !== undefined || /(^|,)\s*chunked\s*$/i.test(headers['transfer-encoding'] ?? '');
}

/** Refused before anything was connected, at every address that the name has. */
function wasRefused(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(wasRefused);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'ECONNREFUSED' && syscall === 'connect';
}

function describe(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

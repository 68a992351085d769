/**
 * One HTTP exchange on a connection of its own: no retries, no redirects, no kept connection.
 *
 * A client that retries or reuses a connection by itself would turn one recorded attempt into several requests. A response is complete
 * only when its framing says so: cut short, ended early, or ended only by the close of the connection is broken, since nobody can tell
 * the end from a loss. The time limit is for the whole of it. `refused` is claimed for one proof alone: every connection was refused.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import { urlToHttpOptions } from 'node:url';

const responseBytesMax = 64 * 1024 * 1024;

export interface Outgoing {
  method: 'GET' | 'POST';
  /** The provider's URL; the path is appended to it. */
  url: string;
  path: string;
  headers: Readonly<Record<string, string | number>>;
  /** Null: none. */
  body: Buffer | null;
  /** At most 2,147,483,647, the longest that a timer can wait. */
  timeoutMs: number;
  signal?: AbortSignal;
}

export type Exchanged =
  | { ended: 'complete'; status: number; contentType: string | null; bytes: Buffer }
  | { ended: 'refused' | 'timed_out' | 'broken'; detail: string };

export function exchange(request: Outgoing): Promise<Exchanged> {
  return new Promise((resolve) => {
    const { method, headers } = request;
    const target = urlToHttpOptions(new URL(request.url));
    // Put together as text: a URL would take a key of two dots for a way upwards.
    const path = (target.path ?? '').replace(/\/+$/, '') + request.path;
    const client = target.protocol === 'https:' ? https : http;
    const outgoing = client.request({ ...target, path, method, agent: false, headers: { ...headers, connection: 'close' } });
    let connected = false;
    const settle = (exchanged: Exchanged): void => {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', givenUp);
      resolve(exchanged);
      if (exchanged.ended !== 'complete') outgoing.destroy();
    };
    const broken = (detail: string): void => settle({ ended: 'broken', detail });
    const givenUp = (): void => broken('nobody waits for the response any more');
    request.signal?.addEventListener('abort', givenUp, { once: true });
    const late = (): void => settle({ ended: 'timed_out', detail: `no whole response within ${request.timeoutMs} ms` });
    const timer = setTimeout(late, request.timeoutMs);
    outgoing.on('socket', (socket) => socket.once('connect', () => (connected = true)));
    outgoing.on('error', (error) => {
      if (!connected && wasRefused(error)) settle({ ended: 'refused', detail: 'the connection was refused' });
      else broken(describe(error));
    });
    outgoing.on('upgrade', () => broken('the provider asked for another protocol'));
    outgoing.on('response', (response) => collect(response, settle, broken));
    if (request.body === null) outgoing.end();
    else outgoing.end(request.body);
  });
}

function collect(response: http.IncomingMessage, settle: (exchanged: Exchanged) => void, broken: (detail: string) => void): void {
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
    const { statusCode: status = 0 } = response;
    if (!response.complete) broken('the response was cut');
    else if (status < 100) broken(`the status ${status} is none`);
    else if (!isFramed(response)) broken('the response has no length, so its end cannot be told from a loss');
    else {
      const contentType = response.headers['content-type'] ?? null;
      settle({ ended: 'complete', status, contentType, bytes: Buffer.concat(chunks) });
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

/**
 * The few HTTP manners that all answers share. Every answer closes its connection, so that one connection is one request and its
 * peer, and has no date, so that equal answers are equal bytes.
 */
import { type IncomingMessage, STATUS_CODES, type ServerResponse } from 'node:http';
import { type Json, canonical } from '../core/canonical.js';
import type { Content } from '../script/effects.js';
import type { CutHow } from '../script/script.js';

const bodyBytesMax = 10 * 1024 * 1024;

export type Body = { kind: 'whole'; bytes: Buffer } | { kind: 'too_large' } | { kind: 'broken' };

/** A body over the limit is read to its end and dropped: answering before that would reset the connection and lose the answer. */
export function readBody(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyBytesMax) chunks = [];
      else chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(size > bodyBytesMax ? { kind: 'too_large' } : { kind: 'whole', bytes: Buffer.concat(chunks) }),
    );
    // After a whole body these change nothing.
    request.on('error', () => resolve({ kind: 'broken' }));
    request.on('close', () => resolve({ kind: 'broken' }));
  });
}

export function send(
  response: ServerResponse,
  status: number,
  bytes: Buffer,
  contentType: string | null = 'application/json',
): void {
  response.sendDate = false;
  const type = contentType === null ? {} : { 'content-type': contentType };
  response.writeHead(status, { ...type, 'content-length': bytes.length, connection: 'close' });
  response.end(bytes);
}

export function sendJson(response: ServerResponse, status: number, value: Json): void {
  send(response, status, Buffer.from(canonical(value)));
}

/**
 * Sends a part of a body, never with its end, and ends the connection once the kernel has that part: `length`, short of the announced
 * length; `chunked`, without the last chunk; `reset`, as `length` with a reset of the connection. A kernel that could not pass on the
 * whole part before a reset forgets the rest of it, which is how a reset is.
 */
export function sendCut(response: ServerResponse, content: Content, afterBytes: number, how: CutHow): void {
  const { socket } = response;
  if (socket === null) return;
  const { status, content_type, bytes } = content;
  const chunked = how === 'chunked';
  // An empty body cannot be cut, so one byte more is announced than ever comes.
  const length = Math.max(bytes.length, 1);
  const part = bytes.subarray(0, chunked ? afterBytes : Math.min(afterBytes, length - 1));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...(content_type === null ? [] : [`content-type: ${content_type}`]),
    chunked ? 'transfer-encoding: chunked' : `content-length: ${length}`,
    'connection: close',
  ];
  const chunk = part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')];
  // Past the response object, which would hold back the head until the body begins.
  socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), ...(chunked ? chunk : [part])]), () => {
    if (how === 'reset') socket.resetAndDestroy();
    else socket.destroy();
  });
}

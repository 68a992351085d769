/**
 * The few HTTP manners that all answers share. Every answer closes its connection, so that one connection is one request and its
 * peer, and has no date, so that equal answers are equal bytes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Json, canonical } from '../core/canonical.js';

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

export function send(response: ServerResponse, status: number, bytes: Buffer): void {
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, connection: 'close' });
  response.end(bytes);
}

export function sendJson(response: ServerResponse, status: number, value: Json): void {
  send(response, status, Buffer.from(canonical(value)));
}

/** Announces the whole body, sends a part of it that is never the whole, and destroys the socket once the kernel has that part. */
export function sendCut(response: ServerResponse, status: number, bytes: Buffer, afterBytes: number): void {
  const { socket } = response;
  if (socket === null) return;
  const head = `HTTP/1.1 ${status} OK\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\nconnection: close\r\n\r\n`;
  const part = bytes.subarray(0, Math.min(afterBytes, bytes.length - 1));
  // Past the response object, which would hold back the head until the body begins.
  socket.write(Buffer.concat([Buffer.from(head), part]), () => socket.destroy());
}

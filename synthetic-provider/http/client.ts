/**
 * Whoever sent a request, as a prefix sees it: something can be sent once, or the connection ended, and it can go away. The order of
 * receipts is decided above and needs no more than this; sockets are known here.
 */
import type { ServerResponse } from 'node:http';
import { send, sendCut } from './messages.js';
import type { Content } from '../script/effects.js';
import type { CutHow } from '../script/script.js';

export interface Client {
  answer(content: Content): void;
  /** A part of the body, then the end of the connection. */
  cut(content: Content, afterBytes: number, how: CutHow): void;
  destroy(): void;
  readonly isGone: boolean;
  /** Calls back when it goes, perhaps more than once. Returns a way to stop. */
  onGone(gone: () => void): () => void;
}

export class HttpClient implements Client {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  answer({ status, bytes, content_type }: Content): void {
    send(this.#response, status, bytes, content_type);
  }

  cut(content: Content, afterBytes: number, how: CutHow): void {
    sendCut(this.#response, content, afterBytes, how);
  }

  destroy(): void {
    this.#response.destroy();
  }

  get isGone(): boolean {
    const { socket } = this.#response;
    return socket === null || socket.destroyed || socket.readableEnded;
  }

  onGone(gone: () => void): () => void {
    const { socket } = this.#response;
    // The end of file comes some turns before the close, and a dead client's is all that there will be.
    socket?.once('end', gone).once('close', gone);
    return () => socket?.off('end', gone).off('close', gone);
  }
}

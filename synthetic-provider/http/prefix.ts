/**
 * The life of one prefix: requests are received, answered or not as the script says, and settled, until the prefix is closed.
 *
 * Order, per request: `received` is durable before the script is looked at; the effect is decided; `settled` is durable before the
 * first byte of an answer leaves. Where the log fails, the socket is destroyed without a byte: the request is not served.
 * All of that is one synchronous stretch, so neither another request nor a close can come between. Only waiting requests (held,
 * delayed) leave it, and each ends exactly once: released or due, its client gone, or the prefix closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderScript, Receipt } from '../contract/types.js';
import { sha256 } from '../core/canonical.js';
import type { Effects } from '../script/effects.js';
import { ProviderError } from '../core/errors.js';
import { Held } from './held.js';
import { send, sendCut } from './messages.js';
import { type Ending, type Reaction, react } from '../script/react.js';
import type { ReceiptLog, Sealed } from '../log/receipts.js';
import { recorded } from '../log/recorded.js';

type Ended = Extract<Receipt, { kind: 'settled' }>['ended'];
type Waiting = Extract<Reaction, { do: 'wait' }>;

export class Prefix {
  readonly held = new Held();
  readonly log: ReceiptLog;
  readonly #script: ProviderScript;
  readonly #effects: Effects;
  readonly #waiting = new Set<(ended: 'answered' | 'gone_while_held' | 'held_at_close') => void>();
  #served = 0;
  #closed = false;
  #seal: (() => Sealed) | null = null;

  constructor(log: ReceiptLog, script: ProviderScript, effects: Effects) {
    this.log = log;
    this.#script = script;
    this.#effects = effects;
  }

  get open(): boolean {
    return !this.#closed;
  }

  serve(request: IncomingMessage, response: ServerResponse, path: string, body: Buffer, pid: number | null): void {
    const number = this.log.nextRequest();
    const kept = recorded(request.method ?? '', path, request.headers, body);
    this.#unlessUnsynced(response, () => {
      this.log.append({ kind: 'received', request: number, ...now(), ...kept, peer_pid: pid });
      this.#served += 1;
      const asked = { method: kept.method, path, body, body_sha256: kept.body_sha256, key: kept.idempotency_key };
      this.#carryOut(number, react(this.#script, this.#effects, this.#served, asked), response);
    });
  }

  /**
   * Ends what still waits, and seals the log; asked again, it says the same again. A client that died before the close was asked
   * for has been seen to go first, since the system tells of both in their order; where it does not, its request counts as held.
   */
  close(): Sealed {
    this.#closed = true;
    for (const finish of this.#waiting) finish('held_at_close');
    this.held.end();
    this.#seal ??= this.#sealOnce();
    return this.#seal();
  }

  #sealOnce(): () => Sealed {
    try {
      const sealed = this.log.close();
      return () => sealed;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  #carryOut(number: number, reaction: Reaction, response: ServerResponse): void {
    switch (reaction.do) {
      case 'answer':
        this.#settle(number, 'answered', reaction.ending);
        return deliver(response, reaction.ending);
      case 'cut':
        this.#settle(number, 'reset', reaction.ending);
        return sendCut(response, reaction.ending.status, reaction.ending.bytes, reaction.after_bytes);
      case 'drop':
        this.#settle(number, 'dropped', reaction.ending);
        response.destroy();
        return;
      case 'wait':
        return this.#wait(number, reaction, response);
    }
  }

  #wait(number: number, reaction: Waiting, response: ServerResponse): void {
    const { socket } = response;
    let timer: NodeJS.Timeout | undefined;
    const finish = (ended: 'answered' | 'gone_while_held' | 'held_at_close') => {
      if (!this.#waiting.delete(finish)) return;
      clearTimeout(timer);
      this.held.remove(release);
      socket?.off('end', gone).off('close', gone);
      const ending = ended === 'answered' ? reaction.answer() : reaction.abandon();
      this.#unlessUnsynced(response, () => {
        this.#settle(number, ended, ending);
        if (ended === 'answered') deliver(response, ending);
        else response.destroy();
      });
    };
    const release = () => finish('answered');
    const gone = () => finish('gone_while_held');
    this.#waiting.add(finish);
    if (socket === null || socket.destroyed || socket.readableEnded) return gone();
    // The end of file comes some turns before the close, and a dead client's is all that there will be.
    socket.once('end', gone).once('close', gone);
    if (reaction.until === 'released') this.held.add(release);
    else timer = setTimeout(release, reaction.until);
  }

  #settle(request: number, ended: Ended, { status, bytes, effect }: Ending): void {
    const response_sha256 = bytes === null ? null : sha256(bytes);
    this.log.append({ kind: 'settled', request, ...now(), ended, status, response_sha256, effect });
  }

  #unlessUnsynced(response: ServerResponse, serve: () => void): void {
    try {
      serve();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // `close` reports it; the client must see no answer.
      response.destroy();
    }
  }
}

function deliver(response: ServerResponse, { status, bytes }: Ending): void {
  if (status === null || bytes === null) throw new Error('An answer has a status and a body.');
  send(response, status, bytes);
}

function now(): { at: string; monotonic_ns: string } {
  return { at: new Date().toISOString(), monotonic_ns: String(process.hrtime.bigint()) };
}

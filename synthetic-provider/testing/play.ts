/**
 * A prefix played from a list of moves, without sockets: real receipts in a real file, and clients that say what they were sent. For
 * properties over many interleavings; that sockets carry the same is shown by the tests with real processes.
 */
import * as fs from 'node:fs';
import type { ProviderScript } from '../contract/types.js';
import type { Client } from '../http/client.js';
import { Prefix } from '../http/prefix.js';
import { readContinued } from '../log/continue.js';
import { rebuiltEffects } from '../log/rebuild.js';
import { ReceiptLog } from '../log/receipts.js';
import type { Content } from '../script/effects.js';
import { Effects } from '../script/effects.js';
import type { Behaviour } from '../script/script.js';

export interface Send {
  readonly move: 'send';
  readonly path: string;
  readonly key: string | null;
  readonly token: number | null;
  readonly body: string;
  readonly step: Behaviour;
}

export type Move =
  | Send
  | { readonly move: 'look'; readonly key: string }
  | { readonly move: 'fence'; readonly key: string; readonly token: number }
  | { readonly move: 'release' }
  | { readonly move: 'leave' };

/** What a client was sent, as one line of text; null while it waits. */
class Seat implements Client {
  told: string | null = null;
  isGone = false;
  readonly #leaving = new Set<() => void>();

  answer({ status, content_type, bytes }: Content): void {
    this.told = `${status} ${content_type} ${bytes.toString()}`;
  }

  cut(content: Content, afterBytes: number, how: string): void {
    this.told = `cut ${how} after ${afterBytes} of ${content.bytes.toString()}`;
  }

  destroy(): void {
    this.told = 'destroyed';
  }

  onGone(gone: () => void): () => void {
    this.#leaving.add(gone);
    return () => this.#leaving.delete(gone);
  }

  leave(): void {
    this.isGone = true;
    for (const gone of this.#leaving) gone();
  }
}

const unsynced = { write: (fd: number, bytes: Buffer) => fs.writeSync(fd, bytes), sync: () => undefined };

export class Play {
  readonly #prefix: Prefix;
  readonly seats: Seat[] = [];

  private constructor(prefix: Prefix) {
    this.#prefix = prefix;
  }

  static begin(path: string, script: ProviderScript): Play {
    return new Play(new Prefix(ReceiptLog.create(path, unsynced), script, new Effects(script.key === 'honour')));
  }

  static goOn(path: string, script: ProviderScript): Play {
    const continued = readContinued(fs.readFileSync(path));
    const effects = rebuiltEffects(script, continued);
    return new Play(new Prefix(ReceiptLog.resume(path, continued, unsynced), script, effects, continued.onTheirWay));
  }

  /** `leave`: every client that waits goes away. */
  make(move: Move): void {
    switch (move.move) {
      case 'send': {
        const key = move.key === null ? {} : { 'idempotency-key': move.key };
        return this.#ask('POST', move.path, { ...key, ...tokenHeader(move.token) }, move.body);
      }
      case 'look':
        return this.#ask('GET', `/keys/${move.key}`, {}, '');
      case 'fence':
        return this.#ask('POST', `/keys/${move.key}/fence`, tokenHeader(move.token), '');
      case 'release':
        return void this.#prefix.held.release();
      case 'leave':
        for (const seat of this.seats.filter(({ told }) => told === null)) seat.leave();
    }
  }

  close(): void {
    this.#prefix.close();
  }

  #ask(method: string, path: string, headers: Record<string, string>, body: string): void {
    const seat = new Seat();
    this.seats.push(seat);
    this.#prefix.serve({ method, path, headers, body: Buffer.from(body), pid: null }, seat);
  }
}

function tokenHeader(token: number | null): Record<string, string> {
  return token === null ? {} : { 'fencing-token': String(token) };
}

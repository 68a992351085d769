/**
 * The life of one prefix: requests are received, answered or not as the script says, and settled, until the prefix is closed.
 *
 * Order, per request: `received` is durable before anything follows from it; the effect is decided, or the fence set; `settled` is
 * durable before the first byte of an answer leaves. A request that is sent on its way gets one durable `delayed` line, and nobody
 * hears of it before. What is on its way arrives, request by request, right after the question that lets it was settled and before
 * its answer leaves. Where the log fails, the socket is destroyed without a byte: the request is not served.
 * All of that is one synchronous stretch, so neither another request nor a close can come between; only clients that wait leave it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderScript, Receipt } from '../contract/types.js';
import type { Client } from './client.js';
import { sha256 } from '../core/canonical.js';
import type { Content, Effects } from '../script/effects.js';
import { ProviderError } from '../core/errors.js';
import type { Held } from './held.js';
import { type Ending, type Reaction, arrive, react } from '../script/react.js';
import { isQuestion, questionOf } from '../wire/keys.js';
import type { OnItsWay } from '../log/continue.js';
import type { ReceiptLog, Sealed } from '../log/receipts.js';
import { type Recorded, recorded, requestIn } from '../log/recorded.js';
import { Steps } from '../script/script.js';
import { reactToQuestion } from '../script/questions.js';
import { Waiting } from './waiting.js';

type Ended = Extract<Receipt, { kind: 'settled' }>['ended'];

/** A request whose bytes are all here. */
export interface Sent {
  readonly method: string;
  /** Below the prefix. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly pid: number | null;
}

export class Prefix {
  readonly log: ReceiptLog;
  readonly #script: ProviderScript;
  readonly #effects: Effects;
  readonly #onTheirWay: OnItsWay[];
  readonly #waiting = new Waiting();
  readonly #steps: Steps;
  readonly #isStrict: boolean;
  #lookups = 0;
  #questions = 0;
  /** The request after whose end what is on its way arrives. */
  #arriveAfter: number | null = null;
  #closed = false;
  #seal: (() => Sealed) | null = null;

  constructor(log: ReceiptLog, script: ProviderScript, effects: Effects, onTheirWay: readonly OnItsWay[] = []) {
    this.log = log;
    this.#script = script;
    this.#effects = effects;
    this.#onTheirWay = [...onTheirWay];
    this.#steps = new Steps(script);
    this.#isStrict = script.strict === true;
  }

  get open(): boolean {
    return !this.#closed;
  }

  get held(): Held {
    return this.#waiting.held;
  }

  serve(sent: Sent, client: Client): void {
    const kept = recorded(sent.method, sent.path, sent.headers, sent.body);
    this.#unlessUnsynced(client, () => {
      if (isQuestion(sent.path)) return this.#ask(kept, sent.pid, client);
      const step = this.#steps.take(sent.path);
      if (step.do === 'delay_arrival') return this.#delay(kept, sent.pid, client);
      const number = this.#receive({ ...kept, peer_pid: sent.pid });
      this.#carryOut(number, react(step, this.#effects, requestIn(kept, sent.body), this.#isStrict), client);
    });
  }

  /** Ends what still waits, and seals the log; asked again, it says the same again. */
  close(): Sealed {
    this.#closed = true;
    this.#waiting.close();
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

  #ask(kept: Recorded, pid: number | null, client: Client): void {
    const number = this.#receive({ ...kept, peer_pid: pid });
    this.#questions += 1;
    if (this.#questions === this.#script.arrivals?.after_questions) this.#arriveAfter = number;
    const question = questionOf(requestIn(kept));
    if (question.kind === 'lookup') this.#lookups += 1;
    const told = kept.headers['request-sha256'] ?? '';
    const about = /^[0-9a-f]{64}$/.test(told) ? told : kept.body_sha256;
    this.#carryOut(number, reactToQuestion(this.#script, this.#effects, question, this.#lookups, about), client);
  }

  /** Its client waits, for an answer that will go to nobody. */
  #delay(kept: Recorded, pid: number | null, client: Client): void {
    const delayed = this.log.nextDelayed();
    this.log.append({ kind: 'delayed', delayed, ...now(), ...kept, peer_pid: pid });
    this.#onTheirWay.push({ delayed, recorded: kept });
    this.#waiting.add(client, 'never', () => client.destroy());
  }

  #arrive(): void {
    for (const { delayed, recorded: kept } of this.#onTheirWay.splice(0)) {
      const number = this.#receive({ ...kept, peer_pid: null, delayed });
      this.#settle(number, 'gone_while_held', arrive(this.#effects, requestIn(kept), this.#isStrict));
    }
  }

  #receive(request: Recorded & { peer_pid: number | null; delayed?: number }): number {
    const number = this.log.nextRequest();
    this.log.append({ kind: 'received', request: number, ...now(), ...request });
    return number;
  }

  #carryOut(number: number, reaction: Reaction, client: Client): void {
    switch (reaction.do) {
      case 'answer':
        this.#settle(number, 'answered', reaction.ending);
        return client.answer(sendable(reaction.ending));
      case 'cut':
        this.#settle(number, 'reset', reaction.ending);
        return client.cut(reaction.ending, reaction.after_bytes, reaction.how);
      case 'drop':
        this.#settle(number, 'dropped', reaction.ending);
        return client.destroy();
      case 'wait':
        return this.#waiting.add(client, reaction.until, (over) => {
          const ending = over === 'answered' ? reaction.answer() : reaction.abandon();
          this.#unlessUnsynced(client, () => {
            this.#settle(number, over, ending);
            if (over === 'answered') client.answer(sendable(ending));
            else client.destroy();
          });
        });
    }
  }

  #settle(request: number, ended: Ended, { status, bytes, effect }: Ending): void {
    const response_sha256 = bytes === null ? null : sha256(bytes);
    this.log.append({ kind: 'settled', request, ...now(), ended, status, response_sha256, effect });
    if (request === this.#arriveAfter) this.#arrive();
  }

  #unlessUnsynced(client: Client, serve: () => void): void {
    try {
      serve();
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      // `close` reports it; the client must see no answer.
      client.destroy();
    }
  }
}

function sendable({ status, content_type, bytes }: Ending): Content {
  if (status === null || bytes === null) throw new Error('An answer has a status and a body.');
  return { status, content_type, bytes };
}

function now(): { at: string; monotonic_ns: string } {
  return { at: new Date().toISOString(), monotonic_ns: String(process.hrtime.bigint()) };
}

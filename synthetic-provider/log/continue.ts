/**
 * Reads the bytes of a receipt log that a new prefix is to continue. Pure.
 *
 * The log must be whole, as a closed prefix leaves it: canonical lines with right digests, seq, request and delayed numbers gapless,
 * one `settled` for each `received`, effect numbers from 1, and what arrives late is what left. Anything else is refused with one
 * sentence that names the line: a provider that continued a torn or edited log would lend it its own good name.
 */
import type { Receipt } from '../contract/types.js';
import { type Json, canonical, utf8 } from '../core/canonical.js';
import { damaged, parseLine } from './lines.js';
import { type Recorded, recordedIn } from './recorded.js';

type Received = Extract<Receipt, { kind: 'received' }>;
type Settled = Extract<Receipt, { kind: 'settled' }>;

/** A request with its end. */
export interface Over {
  readonly received: Received;
  readonly settled: Settled;
}

/** A request that had an effect, of its own or that of the first of its key. */
export interface Served extends Over {
  readonly settled: Settled & { effect: NonNullable<Settled['effect']> };
}

/** Bytes that left a client and have not arrived. */
export interface OnItsWay {
  /** The number of the `delayed` line. */
  readonly delayed: number;
  readonly recorded: Recorded;
}

export interface Continued {
  readonly bytes: Buffer;
  readonly lines: number;
  /** In the order in which they were received. */
  readonly requests: readonly Over[];
  /** Effects, each with the request that had it, in the order in which they happened. */
  readonly effects: readonly Served[];
  readonly delayed: number;
  /** In the order in which they left. */
  readonly onTheirWay: readonly OnItsWay[];
}

export function isServed(request: Over): request is Served {
  return request.settled.effect !== null;
}

export function readContinued(bytes: Buffer): Continued {
  const text = utf8(bytes);
  if (text === null) throw damaged('the bytes are not UTF-8');
  if (text !== '' && !text.endsWith('\n')) throw damaged('the last line is torn');
  const lines = text.split('\n').slice(0, -1);
  const requests = new Requests();
  const ways = new Ways();
  const effects = new Map<string, Served>();

  for (const [index, line] of lines.entries()) {
    const receipt = parseLine(line, index + 1);
    if (receipt.kind === 'delayed') ways.left(receipt.delayed, receipt, receipt.seq);
    else if (receipt.kind === 'received') {
      ways.arrived(receipt);
      requests.received(receipt);
    } else {
      const request = requests.settled(receipt);
      if (!isServed(request)) continue;
      const { effect_id, replayed } = request.settled.effect;
      // A key is in progress until its first request is settled, so a replay never comes before its effect.
      if (effects.has(effect_id) !== replayed) throw damaged(`line ${receipt.seq} names ${effect_id} out of turn`);
      if (!replayed) effects.set(effect_id, request);
    }
  }
  const numberOf = ({ settled }: Served) => Number(settled.effect.effect_id.replace('effect-', ''));
  const happened = [...effects.values()].sort((a, b) => numberOf(a) - numberOf(b));
  for (const [index, one] of happened.entries()) {
    if (one.settled.effect.effect_id !== `effect-${index + 1}`) throw damaged(`effect-${index + 1} is missing`);
  }
  return { bytes, lines: lines.length, requests: requests.over(), effects: happened, ...ways.all() };
}

class Requests {
  readonly #all: { received: Received; settled: Settled | null }[] = [];

  received(received: Received): void {
    const expected = this.#all.length + 1;
    if (received.request !== expected) throw damaged(`line ${received.seq} is request ${received.request}, expected ${expected}`);
    this.#all.push({ received, settled: null });
  }

  settled(settled: Settled): Over {
    const request = this.#all[settled.request - 1];
    if (request === undefined || request.settled !== null)
      throw damaged(`line ${settled.seq} settles request ${settled.request}, which is not open`);
    request.settled = settled;
    return { received: request.received, settled };
  }

  over(): Over[] {
    return this.#all.map(({ received, settled }) => {
      if (settled === null) throw damaged(`request ${received.request} has no settled line, so its prefix was never closed`);
      return { received, settled };
    });
  }
}

class Ways {
  readonly #open = new Map<number, Recorded>();
  #count = 0;

  left(delayed: number, line: Recorded, seq: number): void {
    this.#count += 1;
    if (delayed !== this.#count) throw damaged(`line ${seq} is delayed request ${delayed}, expected ${this.#count}`);
    this.#open.set(delayed, recordedIn(line));
  }

  arrived(received: Received): void {
    const { delayed, seq } = received;
    if (delayed === undefined) return;
    const left = this.#open.get(delayed);
    if (left === undefined) throw damaged(`line ${seq} lets delayed request ${delayed} arrive, which is not on its way`);
    const isSame = canonical(recordedIn(received) as Json) === canonical(left as Json);
    if (!isSame || received.peer_pid !== null) throw damaged(`line ${seq} is not what left as delayed request ${delayed}`);
    this.#open.delete(delayed);
  }

  all(): Pick<Continued, 'delayed' | 'onTheirWay'> {
    return { delayed: this.#count, onTheirWay: [...this.#open].map(([delayed, recorded]) => ({ delayed, recorded })) };
  }
}

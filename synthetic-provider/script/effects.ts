/**
 * Which effects have happened under a prefix, what a key may still do, and what a look-up is told of it. Pure: no clock, no I/O.
 *
 * A fence comes first: a request of its key at or below its token is refused. Then `honour`, for a request that carries a key:
 * nothing known under the key → a fresh effect; the same body → the first answer again and no effect of its own; another body or
 * another name → a conflict; the first one still open (held, delayed) → in progress. `ignore`: every served request has an effect of
 * its own. Requests without a key are always fresh.
 */
import { Fences } from './fences.js';

export interface Claim {
  readonly key: string | null;
  /** The fencing token of the request. */
  readonly token: number | null;
  readonly name: string;
  readonly body_sha256: string;
}

export interface Effect {
  readonly effect_id: string;
  readonly name: string;
  readonly replayed: boolean;
}

/** What is sent: `content_type` null where none is named. */
export interface Content {
  readonly status: number;
  readonly content_type: string | null;
  readonly bytes: Buffer;
}

export interface Answer extends Content {
  readonly effect: Effect;
}

export type Admission =
  { kind: 'fresh' } | { kind: 'replay'; answer: Answer } | { kind: 'fenced' } | { kind: 'conflict' } | { kind: 'in_progress' };

/** A request that was let in, from `begin` to `end`; it has an answer as soon as its effect is decided. */
export interface Exchange {
  readonly claim: Claim;
  open: boolean;
  answer: Answer | null;
}

export type Told =
  { kind: 'absent' } | { kind: 'in_progress'; body_sha256: string } | { kind: 'found'; body_sha256: string; answer: Answer };

export class Effects {
  readonly #honour: boolean;
  readonly #fences = new Fences();
  /** Under `honour`: the exchange that has the key. */
  readonly #holders = new Map<string, Exchange>();
  /** What look-ups may be told of: by key, in the order in which the requests were received. */
  readonly #exchanges = new Map<string, Exchange[]>();
  #next: number;

  constructor(honour: boolean, next = 1) {
    this.#honour = honour;
    this.#next = next;
  }

  admit(claim: Claim): Admission {
    if (this.isFenced(claim)) return { kind: 'fenced' };
    const holder = claim.key === null ? undefined : this.#holders.get(claim.key);
    if (holder === undefined) return { kind: 'fresh' };
    if (holder.claim.body_sha256 !== claim.body_sha256 || holder.claim.name !== claim.name) return { kind: 'conflict' };
    if (holder.open || holder.answer === null) return { kind: 'in_progress' };
    return { kind: 'replay', answer: { ...holder.answer, effect: { ...holder.answer.effect, replayed: true } } };
  }

  /** A request begins; until `end` its key is in progress, unless it repeats what already has the key. */
  begin(claim: Claim): Exchange {
    const exchange = { claim, open: true, answer: null };
    this.#add(exchange);
    return exchange;
  }

  /** The effect happens, once for each call: there is no way to take it back. */
  commit(exchange: Exchange, respond: (effectId: string) => Content): Answer {
    const effect = { effect_id: `effect-${this.#next}`, name: exchange.claim.name, replayed: false };
    this.#next += 1;
    return this.repeat(exchange, { ...respond(effect.effect_id), effect });
  }

  /** The exchange is answered with what was said before. */
  repeat(exchange: Exchange, answer: Answer): Answer {
    exchange.answer = answer;
    return answer;
  }

  /** The request is over. Without an effect its key is free again, and there is nothing to tell of it. */
  end(exchange: Exchange): void {
    exchange.open = false;
    const { key } = exchange.claim;
    if (key === null) return;
    if (exchange.answer === null && this.#holders.get(key) === exchange) this.#holders.delete(key);
    const known = this.#exchanges.get(key) ?? [];
    const at = known.indexOf(exchange);
    // What is over and older can never be the last one again.
    const kept =
      exchange.answer === null ? known.filter((one) => one !== exchange) : known.filter((one, index) => index >= at || one.open);
    this.#exchanges.set(key, kept);
  }

  /** From now on no request of the key up to the token has an effect; one that waits without an effect gives its key up. */
  fence(key: string, token: number): void {
    this.#fences.raise(key, token);
    const holder = this.#holders.get(key);
    if (holder !== undefined && this.#isRuledOut(holder)) this.#holders.delete(key);
  }

  isFenced(claim: Pick<Claim, 'key' | 'token'>): boolean {
    return this.#fences.refuses(claim);
  }

  /** Of the last request of the key that still can have an effect, or had one. What was refused has left nothing to tell. */
  tell(key: string): Told {
    const last = this.#exchanges.get(key)?.findLast((one) => !this.#isRuledOut(one));
    if (last === undefined) return { kind: 'absent' };
    const { body_sha256 } = last.claim;
    if (last.open || last.answer === null) return { kind: 'in_progress', body_sha256 };
    return { kind: 'found', body_sha256, answer: last.answer };
  }

  /** Takes over what an earlier log shows: the first answer of a key that is remembered keeps the key, the last one is told. */
  remember(claim: Claim, answer: Answer): void {
    const exchange = { claim, open: true, answer };
    this.#add(exchange);
    this.end(exchange);
  }

  #isRuledOut({ claim, answer }: Exchange): boolean {
    return answer === null && this.isFenced(claim);
  }

  #add(exchange: Exchange): void {
    const { key } = exchange.claim;
    if (key === null) return;
    this.#exchanges.set(key, [...(this.#exchanges.get(key) ?? []), exchange]);
    if (this.#honour && !this.#holders.has(key)) this.#holders.set(key, exchange);
  }
}

/**
 * What the provider knows of its keys at any moment of a log: the first request that was served under each, up to which token a key
 * is fenced, and what a question about it is told. Rebuilt from receipts alone, so that a prefix goes on from the log that it
 * continues. Pure but for its own memory; lines are taken in the order of the log.
 */
import type { Received, Request, Settled } from '../read/receipts.js';
import { tokenOf } from './provider-steps.js';

/** A request that was let through to its key. */
export interface Exchange {
  readonly name: string;
  readonly received: Received;
  readonly settled: Settled | undefined;
  /** The line with which it was over; until then its key is in progress. */
  readonly over: number;
  /** It had no effect yet while it waited. */
  readonly isOpenEnded: boolean;
}

/** What a question about a key may truly be told. */
export type Truth = { readonly kind: 'absent' } | { readonly kind: 'in_progress' | 'found'; readonly of: Exchange };

export class Keys {
  private readonly exchanges = new Map<string, Exchange[]>();
  /** Fences in the order of their lines: the token, and the line from which it holds. */
  private readonly fences = new Map<string, { token: number; since: number }[]>();

  /** An inherited log is closed: what had an effect is known, and everything else has left its key free. */
  inherit(requests: readonly Request[]): void {
    const numberOf = ({ settled }: Request): number => Number(settled?.effect?.effect_id.replace('effect-', ''));
    const served = requests.filter(({ settled }) => settled?.effect !== null && settled?.effect !== undefined);
    const inOrder = [...served].sort((left, right) => numberOf(left) - numberOf(right) || left.received.seq - right.received.seq);
    for (const { received, settled } of inOrder)
      this.admit({ name: settled?.effect?.name ?? '', received, settled, over: 0, isOpenEnded: false });
  }

  admit(exchange: Exchange): void {
    const { idempotency_key: key } = exchange.received;
    if (key === null) return;
    const before = this.exchanges.get(key);
    if (before === undefined) this.exchanges.set(key, [exchange]);
    else before.push(exchange);
  }

  /** A fence is never lowered. */
  fence(key: string, token: number, since: number): void {
    const before = this.fences.get(key);
    if (before === undefined) this.fences.set(key, [{ token, since }]);
    else before.push({ token, since });
  }

  /** Whether a fence that holds before the line `at` rules the request out. */
  isFenced({ idempotency_key: key, headers }: Pick<Received, 'idempotency_key' | 'headers'>, at: number): boolean {
    const token = tokenOf({ headers });
    const fences = key === null ? [] : (this.fences.get(key) ?? []);
    return fences.some((fence) => fence.since < at && (token === null || token <= fence.token));
  }

  /** The request that holds the key at this line: the first that is not over, or had an effect. */
  holder(key: string, at: number): Exchange | undefined {
    return this.exchanges.get(key)?.find((one) => this.isOpen(one, at) || hadEffect(one, at));
  }

  isOpen(exchange: Exchange, at: number): boolean {
    return exchange.over > at && !(exchange.isOpenEnded && this.isFenced(exchange.received, at));
  }

  /** What is true of the key at this line: the last request that waits or had an effect. What is on its way is not known. */
  truth(key: string, at: number): Truth {
    const exchanges = (this.exchanges.get(key) ?? []).filter(({ received }) => received.seq < at);
    const last = exchanges.findLast((one) => this.isOpen(one, at) || hadEffect(one, at));
    if (last === undefined) return { kind: 'absent' };
    return { kind: this.isOpen(last, at) ? 'in_progress' : 'found', of: last };
  }
}

function hadEffect({ settled, over }: Exchange, at: number): boolean {
  return over <= at && settled?.effect !== null && settled?.effect !== undefined;
}

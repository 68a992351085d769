/**
 * The clients of a prefix that wait: for a release, for a time, or, where their request is on its way, for nothing that will come. Each
 * ends exactly once: released or due, its client gone, or the prefix closed.
 */
import type { Client } from './client.js';
import { Held } from './held.js';

export type Over = 'answered' | 'gone_while_held' | 'held_at_close';

export class Waiting {
  readonly held = new Held();
  readonly #ends = new Set<(over: Over) => void>();

  /** `until`: milliseconds, or until released; `never` is ended by its client or by the close alone. */
  add(client: Client, until: number | 'released' | 'never', ended: (over: Over) => void): void {
    let timer: NodeJS.Timeout | undefined;
    let stop = (): void => undefined;
    const end = (over: Over): void => {
      if (!this.#ends.delete(end)) return;
      clearTimeout(timer);
      stop();
      this.held.remove(end);
      ended(over);
    };
    this.#ends.add(end);
    if (client.isGone) return end('gone_while_held');
    stop = client.onGone(() => end('gone_while_held'));
    if (typeof until === 'number') timer = setTimeout(() => end('answered'), until);
    else this.held.add(end, until === 'released' ? () => end('answered') : null);
  }

  /**
   * A client that died before the close was asked for has been seen to go first, since the system tells of both in their order; where
   * it does not, its request counts as held.
   */
  close(): void {
    for (const end of this.#ends) end('held_at_close');
    this.held.end();
  }
}

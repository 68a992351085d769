/**
 * The requests of a prefix that are held or on their way, and those who wait for one. Waiting is by event: a waiter is answered in the
 * very turn in which a request starts to be held.
 */
export class Held {
  /** How each is released; null for what no release can reach. */
  readonly #releases = new Map<object, (() => void) | null>();
  readonly #waiters = new Set<(count: number | null) => void>();

  add(request: object, release: (() => void) | null): void {
    this.#releases.set(request, release);
    this.#tell(this.#releases.size);
  }

  remove(request: object): void {
    this.#releases.delete(request);
  }

  /** Calls back once, with the number of such requests, or with null when there will be none. Returns a way to stop waiting. */
  wait(told: (count: number | null) => void): () => void {
    if (this.#releases.size > 0) {
      told(this.#releases.size);
      return () => undefined;
    }
    this.#waiters.add(told);
    return () => this.#waiters.delete(told);
  }

  /** Returns how many were released. */
  release(): number {
    const releases = [...this.#releases.values()].filter((release) => release !== null);
    for (const release of releases) release();
    return releases.length;
  }

  end(): void {
    this.#tell(null);
  }

  #tell(count: number | null): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const told of waiters) told(count);
  }
}

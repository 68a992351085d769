/**
 * The requests that a prefix holds, and those who wait for one to be held. Waiting is by event: a waiter is answered in the very
 * turn in which a request starts to be held.
 */
export class Held {
  readonly #releases = new Set<() => void>();
  readonly #waiters = new Set<(count: number | null) => void>();

  add(release: () => void): void {
    this.#releases.add(release);
    this.#tell(this.#releases.size);
  }

  remove(release: () => void): void {
    this.#releases.delete(release);
  }

  /** Calls back once, with the number of held requests, or with null when there will be none. Returns a way to stop waiting. */
  wait(told: (count: number | null) => void): () => void {
    if (this.#releases.size > 0) {
      told(this.#releases.size);
      return () => undefined;
    }
    this.#waiters.add(told);
    return () => this.#waiters.delete(told);
  }

  release(): number {
    const releases = [...this.#releases];
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

/**
 * The requests of a prefix that are held or on their way, of whatever endpoint, and those who wait until there are enough of them at once.
 * Waiting is by event: a waiter is answered in the very turn in which the last of as many as it wants starts to be held.
 */
interface Waiter {
  readonly atLeast: number;
  readonly told: (count: number | null) => void;
}

export class Held {
  /** How each is released; null for what no release can reach. */
  readonly #releases = new Map<object, (() => void) | null>();
  readonly #waiters = new Set<Waiter>();

  add(request: object, release: (() => void) | null): void {
    this.#releases.set(request, release);
    const count = this.#releases.size;
    this.#tell(count, ({ atLeast }) => atLeast <= count);
  }

  remove(request: object): void {
    this.#releases.delete(request);
  }

  /** Calls back once, with the number of such requests as soon as it is enough, or with null when no more will come. Returns a way to stop. */
  wait(atLeast: number, told: Waiter['told']): () => void {
    if (this.#releases.size >= atLeast) {
      told(this.#releases.size);
      return () => undefined;
    }
    const waiter = { atLeast, told };
    this.#waiters.add(waiter);
    return () => this.#waiters.delete(waiter);
  }

  /** Returns how many were released. */
  release(): number {
    const releases = [...this.#releases.values()].filter((release) => release !== null);
    for (const release of releases) release();
    return releases.length;
  }

  end(): void {
    this.#tell(null, () => true);
  }

  #tell(count: number | null, concerns: (waiter: Waiter) => boolean): void {
    for (const waiter of [...this.#waiters].filter(concerns)) {
      this.#waiters.delete(waiter);
      waiter.told(count);
    }
  }
}

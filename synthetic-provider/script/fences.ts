/**
 * Up to which fencing token the requests of a key are refused. Pure. A fence is never lowered: what one has ruled out, a later one with
 * a smaller token does not let in again.
 */
export class Fences {
  readonly #tokens = new Map<string, number>();

  raise(key: string, token: number): void {
    this.#tokens.set(key, Math.max(token, this.#tokens.get(key) ?? token));
  }

  /** A request without a token is below every fence of its key; one without a key is below none. */
  refuses({ key, token }: { readonly key: string | null; readonly token: number | null }): boolean {
    const fence = key === null ? undefined : this.#tokens.get(key);
    return fence !== undefined && (token === null || token <= fence);
  }
}

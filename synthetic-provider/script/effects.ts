/**
 * Which effects have happened under a prefix, and what a key may still do. Pure: no clock, no I/O.
 *
 * `honour`, for a request that carries a key: nothing known under the key → a fresh effect; the same body → the first answer again
 * and no effect of its own; another body or another name → a conflict; the first one still open (held, delayed) → in progress.
 * `ignore`: every served request has an effect of its own. Requests without a key are always fresh.
 */
export interface Claim {
  readonly key: string | null;
  readonly name: string;
  readonly body_sha256: string;
}

export interface Effect {
  readonly effect_id: string;
  readonly name: string;
  readonly replayed: boolean;
}

export interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  readonly effect: Effect;
}

export type Admission = { kind: 'fresh' } | { kind: 'replay'; answer: Answer } | { kind: 'conflict' } | { kind: 'in_progress' };

interface Entry {
  readonly claim: Claim;
  open: boolean;
  answer: Answer | null;
}

export class Effects {
  readonly #honour: boolean;
  readonly #keys = new Map<string, Entry>();
  #next: number;

  constructor(honour: boolean, next = 1) {
    this.#honour = honour;
    this.#next = next;
  }

  admit(claim: Claim): Admission {
    const entry = this.#entry(claim);
    if (entry === undefined) return { kind: 'fresh' };
    if (entry.claim.body_sha256 !== claim.body_sha256 || entry.claim.name !== claim.name) return { kind: 'conflict' };
    if (entry.open || entry.answer === null) return { kind: 'in_progress' };
    return { kind: 'replay', answer: { ...entry.answer, effect: { ...entry.answer.effect, replayed: true } } };
  }

  /** A request begins that may take its time; its key is in progress until `end`. */
  begin(claim: Claim): void {
    if (this.#honour && claim.key !== null) this.#keys.set(claim.key, { claim, open: true, answer: null });
  }

  /** The effect happens, once for each call: there is no way to take it back. */
  commit(claim: Claim, respond: (effectId: string) => Buffer): Answer {
    const effect = { effect_id: `effect-${this.#next}`, name: claim.name, replayed: false };
    const answer = { status: 200, bytes: respond(effect.effect_id), effect };
    this.#next += 1;
    this.remember(claim, answer);
    return answer;
  }

  /** The request is over. Without an effect its key is free again. */
  end(claim: Claim): void {
    const entry = this.#entry(claim);
    if (entry === undefined || claim.key === null) return;
    if (entry.answer === null) this.#keys.delete(claim.key);
    else entry.open = false;
  }

  /** Takes over what an earlier log shows: the first effect of a key stands. */
  remember(claim: Claim, answer: Answer): void {
    if (!this.#honour || claim.key === null) return;
    const entry = this.#entry(claim);
    if (entry === undefined) this.#keys.set(claim.key, { claim, open: false, answer });
    else entry.answer ??= answer;
  }

  #entry(claim: Claim): Entry | undefined {
    return this.#honour && claim.key !== null ? this.#keys.get(claim.key) : undefined;
  }
}

/**
 * Byte-pair encoding of one long piece in n log n steps: the pair of the lowest rank is merged first, the leftmost of equals, until no
 * pair has a rank. The library looks at all pairs before each merge, which takes minutes for a word of a hundred kilobytes.
 */

/** By bytes as latin-1 text: which tokens there are, and which pair is merged first. */
export type Ranks = ReadonlyMap<string, number>;

interface Pair {
  readonly rank: number;
  /** Where its two parts begin, and where it ends: a pair of which that is not so any more is stale. */
  readonly at: number;
  readonly second: number;
  readonly end: number;
}

/** How many tokens the bytes are. Every single byte is a token. */
export function tokensOfPiece(piece: string, ranks: Ranks): number {
  const { length } = piece;
  if (ranks.has(piece)) return 1;
  // By where a part begins: where the next one does, and where the one before it did.
  const next = Int32Array.from({ length: length + 1 }, (_next, at) => at + 1);
  const previous = Int32Array.from({ length: length + 1 }, (_previous, at) => at - 1);
  const waiting = new Heap();
  const offer = (at: number): void => {
    const second = next[at] ?? length;
    if (at < 0 || second >= length) return;
    const end = next[second] ?? length;
    const rank = ranks.get(piece.slice(at, end));
    if (rank !== undefined) waiting.push({ rank, at, second, end });
  };
  for (let at = 0; at < length - 1; at += 1) offer(at);
  let count = length;
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const { at, second, end } = pair;
    if (next[at] !== second || next[second] !== end) continue;
    next[at] = end;
    // No part begins here any more.
    next[second] = -1;
    previous[end] = at;
    count -= 1;
    offer(previous[at] ?? -1);
    offer(at);
  }
  return count;
}

function isBefore(left: Pair, right: Pair): boolean {
  return left.rank < right.rank || (left.rank === right.rank && left.at < right.at);
}

/** A binary heap: the first pair to be merged is at its top. */
class Heap {
  private readonly pairs: Pair[] = [];

  push(pair: Pair): void {
    let at = this.pairs.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const one = this.pairs[above];
      if (one === undefined || !isBefore(pair, one)) break;
      this.pairs[at] = one;
      at = above;
    }
    this.pairs[at] = pair;
  }

  pop(): Pair | undefined {
    const [top] = this.pairs;
    const last = this.pairs.pop();
    if (top === undefined || last === undefined || this.pairs.length === 0) return top;
    let at = 0;
    for (;;) {
      const [left, right] = [this.pairs[2 * at + 1], this.pairs[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const below = isRight ? right : left;
      if (!isBefore(below, last)) break;
      this.pairs[at] = below;
      at = 2 * at + (isRight ? 2 : 1);
    }
    this.pairs[at] = last;
    return top;
  }
}

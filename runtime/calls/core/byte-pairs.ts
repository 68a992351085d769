/**
 * Byte pair encoding to the letter, for text that the library miscounts: it reads its table through a decoder that drops a byte order mark, and
 * so never finds the tokens that begin with one.
 *
 * Pure. Quadratic in the length of a piece, as the library is.
 */

/** Tokens by rank: a text, or bytes where they are none. */
export type Ranked = readonly (string | readonly number[] | undefined)[];

/** Rank by the bytes of a token, each as one character. */
export function ranksOf(ranked: Ranked): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const [rank, token] of ranked.entries()) if (token !== undefined) ranks.set(bytesOf(token).toString('latin1'), rank);
  return ranks;
}

function bytesOf(token: string | readonly number[]): Buffer {
  return typeof token === 'string' ? Buffer.from(token) : Buffer.from(token);
}

/** `pattern` cuts the text into pieces; tokens do not reach over their ends. */
export function countPairs(text: string, pattern: RegExp, ranks: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const [piece] of text.matchAll(pattern)) count += mergedLength(Buffer.from(piece).toString('latin1'), ranks);
  return count;
}

/** Joins the neighbours of the lowest rank until none are a token. */
function mergedLength(bytes: string, ranks: ReadonlyMap<string, number>): number {
  if (ranks.has(bytes)) return 1;
  const parts = bytes.split('');
  for (;;) {
    let [best, at] = [Infinity, -1];
    for (let index = 1; index < parts.length; index += 1) {
      const rank = ranks.get(`${parts[index - 1]}${parts[index]}`) ?? Infinity;
      if (rank < best) [best, at] = [rank, index];
    }
    if (at < 0) return parts.length;
    parts.splice(at - 1, 2, `${parts[at - 1]}${parts[at]}`);
  }
}

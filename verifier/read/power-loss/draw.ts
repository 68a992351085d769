/** What the seed of an arm decides. Pure. */
import { textSha256 } from '../hash.js';

const byte = 8;
const hashBits = 256;

/** The first four bytes of a hash of seed, word and number. */
export function draw(seed: string, word: 'position' | 'cut', number: number): number {
  return hashOf(`${seed}:${word}:${number}`).readUInt32BE(0);
}

/** The bits of a subset, from the highest of the first byte on. */
export class Bits {
  private readonly hashes: Buffer[] = [];

  constructor(
    private readonly seed: string,
    private readonly cut: number,
    private readonly subset: number,
  ) {}

  at(bit: number): boolean {
    const block = Math.floor(bit / hashBits);
    const hash = (this.hashes[block] ??= hashOf(`${this.seed}:subset:${this.cut}:${this.subset}:${block}`));
    const inside = bit % hashBits;
    return (((hash[Math.floor(inside / byte)] ?? 0) >> (byte - 1 - (inside % byte))) & 1) === 1;
  }
}

function hashOf(text: string): Buffer {
  return Buffer.from(textSha256(text), 'hex');
}

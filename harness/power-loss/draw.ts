/** What a seed draws: which cuts and places stand for many, and which pieces a subset keeps. Pure. */
import { hash } from 'node:crypto';

export function draw(seed: string, word: 'position' | 'cut', number: number): number {
  return digestOf(`${seed}:${word}:${number}`).readUInt32BE(0);
}

/** Bit number b of a subset: whether part b is kept. */
export function bitsOf(seed: string, cut: number, subset: number): (bit: number) => boolean {
  const digests: Buffer[] = [];
  return (bit) => {
    const at = Math.floor(bit / 256);
    const digest = (digests[at] ??= digestOf(`${seed}:subset:${cut}:${subset}:${at}`));
    return (((digest[Math.floor((bit % 256) / 8)] ?? 0) >> (7 - (bit % 8))) & 1) === 1;
  };
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

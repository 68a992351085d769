/**
 * How a ratio is measured: two sides in turns, in one run, medians of each.
 *
 * Machines are shared and noisy; two numbers taken at different times say more about the neighbours than about the code. The two
 * sides of a pair run one right after the other, and the ratio is the median of the pairs' ratios.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../build.mjs';

export interface Measured {
  name: string;
  value: number;
  bound: string;
  passed: boolean;
  detail: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('There is no median of nothing.');
  return (upper + lower) / 2;
}

export async function milliseconds(work: () => unknown): Promise<number> {
  const began = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - began) / 1e6;
}

/** Pairs of measurements, the first side first in one pair and last in the next. */
export async function pairs(
  count: number,
  left: () => Promise<number>,
  right: () => Promise<number>,
): Promise<[number, number][]> {
  const measured: [number, number][] = [];
  for (let index = 0; index < count; index++) {
    if (index % 2 === 0) {
      const first = await left();
      measured.push([first, await right()]);
    } else {
      const second = await right();
      measured.push([await left(), second]);
    }
  }
  return measured;
}

export const ratio = (measured: readonly [number, number][]): number => median(measured.map(([left, right]) => left / right));

/**
 * How far a value may miss its bound: 1 to hold the bound, 2 to notice only that something became twice as slow. The gate uses 2, since a
 * neighbour's load must not keep a good change out; the bounds themselves are for a person with a quiet machine.
 */
const slack = process.argv.includes('--slack') ? Number(process.argv[process.argv.indexOf('--slack') + 1]) : 1;
if (!(slack >= 1)) throw new Error('--slack wants a number of at least 1.');

/** How often a pair that takes a minute, and how often one that takes seconds is measured: three times the bound needs no fine median to be met. */
export const longPairs = slack > 1 ? 1 : 3;
export const shortPairs = slack > 1 ? 3 : 7;

export function atLeast(name: string, value: number, bound: number, detail: string): Measured {
  return { name, value, bound: `≥ ${bound}`, passed: value >= bound / slack, detail };
}

export function atMost(name: string, value: number, bound: number, detail: string): Measured {
  return { name, value, bound: `≤ ${bound}`, passed: value <= bound * slack, detail };
}

/** A folder on the file system of the checkout: a temporary one is often in memory, where a sync costs nothing. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const parent = join(root, 'evidence/runs');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, '.bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

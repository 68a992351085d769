/**
 * A trace of many items: the work is bounded by the seed, the memory by what is pending.
 */
import { describe, expect, it } from 'vitest';
import { distinctStatesOf, type Source, survey } from './derive.js';

const parameters = { persistence: 'strictest', subsets: 8, seed: 's' } as const;
const commits = 7000;

/** Commits of a log that begins anew after each thousand, as a ledger's does; told as they are asked for. */
function* lines(): Generator<string> {
  yield '7 openat(AT_FDCWD, "<state>/wal", O_WRONLY|O_CREAT, 0666) = 3<<state>/wal>';
  for (let commit = 0; commit < commits; commit++) {
    const at = (commit % 1000) * 4120;
    const page = `${'\\x0d'.repeat(4094)}\\x${hex(commit)}\\x${hex(commit >> 8)}`;
    yield `7 pwrite64(3<<state>/wal>, "${'\\x0d'.repeat(24)}", 24, ${at}) = 24`;
    yield `7 pwrite64(3<<state>/wal>, "${page}", 4096, ${at + 24}) = 4096`;
    yield '7 fsync(3<<state>/wal>) = 0';
  }
  yield '7 +++ exited with 0 +++';
}

const hex = (number: number): string => (number % 256).toString(16).padStart(2, '0');

describe('a long trace', () => {
  it('is derived in the work that the bound allows, and never held', () => {
    const source: Source = { begun: new Map(), lines, volatile: [] };
    const surveyed = survey(source, parameters);
    expect(surveyed).toMatchObject({ items: 3 * commits + 1, operations: 3 * commits + 1 });
    expect(surveyed.weight).toBeGreaterThan(262_144);
    const before = process.memoryUsage().rss;
    let most = 0;
    const states = distinctStatesOf(source, parameters, surveyed);
    let result = states.next();
    for (let count = 0; result.done !== true; result = states.next())
      if (++count % 500 === 0) most = Math.max(most, process.memoryUsage().rss);
    const { cuts, left_out: leftOut, derived } = result.value;
    expect(cuts + leftOut).toBe(3 * commits + 2);
    expect(leftOut).toBeGreaterThan(0);
    expect(Math.abs(derived - 262_144)).toBeLessThan(30_000);
    expect(most - before).toBeLessThan(400 * 1024 * 1024);
  });
});

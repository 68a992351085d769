/** Kept evidence stays small in git; that it is there, and whole, is in `evidence.test.ts`. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { keptBundles } from './kept.js';

/** As git packs it, which is how it travels: the ledgers of one case differ by a few rows, and a pack says so. */
function packedBytes(bundle: string): number {
  const objects = execFileSync('git', ['ls-files', '-s', '--', bundle], { encoding: 'utf8', maxBuffer: 1 << 26 })
    .trimEnd()
    .split('\n')
    .map((line) => line.replace('\t', ' ').split(' '))
    .map(([, id = '', , path = '']) => `${id} ${path}`);
  const input = `${objects.join('\n')}\n`;
  return execFileSync('git', ['pack-objects', '--stdout', '-q'], { input, maxBuffer: 1 << 26 }).length;
}

it.each(keptBundles())('%s: has at most 2 MiB packed', (bundle) => {
  expect(packedBytes(bundle)).toBeLessThanOrEqual(2 * 1024 * 1024);
});

/** A sample of the generated mutants of one small kept bundle; all of them, of every kept bundle, are made by `npm run soak`. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Memory } from '../../read/memory.js';
import { readTree } from '../../read/tree.js';
import { reportOf } from './report.js';
import { goodOf, shareOf } from './run.js';

const kept = fileURLToPath(new URL('../../../evidence/kept/sessions-races', import.meta.url));
const bundles = existsSync(kept)
  ? readdirSync(kept)
      .map((name) => join(kept, name))
      .filter((folder) => existsSync(join(folder, 'bagit.txt')))
  : [];

describe.runIf(bundles.length > 0)('a sample of the generated mutants of a kept bundle', () => {
  it.each(bundles)('%s leaves no survivor', { timeout: 300_000 }, (bundle) => {
    const choice = { seed: 'gate', bound: 2, sample: 250 };
    const good = goodOf(readTree(bundle), new Memory());
    const { survivors, applied } = reportOf([shareOf(good, choice, { number: 0, of: 1 })], choice);
    expect(survivors).toEqual([]);
    expect(applied).toBeGreaterThan(150);
  });
});

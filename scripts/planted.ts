/**
 * Planted defects: every patch in `scripts/planted/`, or those that are named: `tsx scripts/planted.ts [<name>…]`.
 *
 * A line for each. Exits 1 if a patch no longer applies, or if the plan that it names does not find its defect; 64 if a named patch is not there.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, withFolder } from './ci/shared.js';
import { prepareCopy } from './planted/copy.js';
import { plant } from './planted/plant.js';

const home = join(root, 'scripts/planted');
const named = process.argv.slice(2);
const all = readdirSync(home)
  .filter((name) => name.endsWith('.patch'))
  .map((name) => name.replace(/\.patch$/, ''))
  .sort();
const missing = named.filter((name) => !existsSync(join(home, `${name}.patch`)));
if (missing.length > 0) {
  process.stderr.write(`There is no patch ${missing.join(', ')}; there are: ${all.join(', ')}.\n`);
  process.exit(64);
}

const wanted = named.length > 0 ? named : all;
const found = withFolder('planted', (folder) => {
  prepareCopy(root, join(folder, 'prepared'));
  return wanted.filter((name) => {
    const { problems, size } = plant(join(folder, 'prepared'), join(home, `${name}.patch`), join(folder, name));
    process.stdout.write(`${problems.length === 0 ? 'found' : 'NOT FOUND'} ${name}${size === '' ? '' : `: ${size}`}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    return problems.length === 0;
  });
});
process.stdout.write(`planted: ${wanted.length} defects, ${found.length} found\n`);
process.exitCode = found.length === wanted.length && wanted.length > 0 ? 0 : 1;

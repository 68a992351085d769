/**
 * Planted defects: every patch in `scripts/planted/`, or those that are named: `tsx scripts/planted.ts [<name>…]`.
 *
 * A line for each; and one for each plan on the sources as they are, in the same cases: without a defect it must find nothing, and no case may be void. With `--table <file>` every plan (or those of `--plan`, once for each) runs against each defect of its subject instead, and the file says
 * which crash model found which; what that file already holds of other defects stays; `--cases <n>` takes n cases of each plan, and as many more as it takes to try each of its models. `--sample <n>` takes n of all, others at each commit. Exits 1 if a patch no longer applies, or if the plan that it names does not find its defect, or finds something without it; 64 if a named patch is not there.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { demand, root, withFolder } from './ci/shared.js';
import { prepareCopy } from './planted/copy.js';
import { plant } from './planted/plant.js';
import { withRows, type Table } from './planted/table.js';
import { tabulate } from './planted/tabulate.js';
import { unplanted } from './planted/unplanted.js';

const home = join(root, 'scripts/planted');
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: {
    table: { type: 'string' },
    plan: { type: 'string', multiple: true, default: [] },
    cases: { type: 'string' },
    sample: { type: 'string' },
  },
});
const all = readdirSync(home)
  .filter((name) => name.endsWith('.patch'))
  .map((name) => name.replace(/\.patch$/, ''))
  .sort();
const missing = named.filter((name) => !existsSync(join(home, `${name}.patch`)));
if (missing.length > 0) {
  process.stderr.write(`There is no patch ${missing.join(', ')}; there are: ${all.join(', ')}.\n`);
  process.exit(64);
}

const wanted = values.sample === undefined ? (named.length > 0 ? named : all) : sampleOf(all, Number(values.sample));
const patchOf = (name: string): string => join(home, `${name}.patch`);
const { table } = values;
const count = values.cases === undefined ? null : Number(values.cases);
const found = withFolder('planted', (folder) => {
  const prepared = join(folder, 'prepared');
  prepareCopy(root, prepared);
  if (table !== undefined) {
    const patches = new Map(wanted.map((name) => [name, patchOf(name)]));
    const defects = tabulate(prepared, patches, values.plan, count, folder, (line) => process.stdout.write(`${line}\n`));
    const before = existsSync(table) ? (JSON.parse(readFileSync(table, 'utf8')) as Table) : { defects: [] };
    writeFileSync(table, `${JSON.stringify(withRows(before, defects, all), null, 2)}\n`);
    return defects.filter((defect) => Object.keys(defect.found).length > 0).map(({ name }) => name);
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const without = unplanted(prepared, wanted.map(patchOf), join(folder, '.unplanted'), say);
  return wanted.filter((name) => {
    const { problems: missed, size } = plant(prepared, patchOf(name), join(folder, name));
    // Of a defect that could not be planted nothing was run.
    const problems = [...missed, ...(size === '' ? [] : without(patchOf(name)))];
    process.stdout.write(`${problems.length === 0 ? 'found' : 'NOT FOUND'} ${name}${size === '' ? '' : `: ${size}`}\n`);
    for (const problem of problems) process.stdout.write(`  ${problem}\n`);
    return problems.length === 0;
  });
});
process.stdout.write(`planted: ${wanted.length} of ${all.length} defects, ${found.length} found\n`);
process.exitCode = found.length === wanted.length && wanted.length > 0 ? 0 : 1;

/** The same ones for the same commit. */
function sampleOf(names: readonly string[], count: number): string[] {
  const commit = demand(0, 'git', ['rev-parse', 'HEAD'], { cwd: root }).stdout.trim();
  const rank = (name: string): string => createHash('sha256').update(`${commit} ${name}`).digest('hex');
  const chosen = new Set(names.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, count));
  return names.filter((name) => chosen.has(name));
}

/**
 * Fuzzes the readers of evidence, guided by coverage: `npx tsx scripts/fuzz.ts [target…] [--seconds <n>] [--planted] [--seed
 * <n>] [--out <file>]`. All targets where none is named, 60 seconds each. What it finds is written to
 * `scripts/fuzz/corpus/<target>/` under its hash, to be read by `npm test` from then on.
 *
 * With `--planted` the fuzzer itself is tried instead: each patch of `scripts/fuzz/planted/` breaks a copy of one reader, and
 * its target must find that within 180 seconds, which the seeds alone may not. With `--seconds` as well both are done. `--out`
 * writes what was run and found as one JSON document. One seed tries the same inputs again; without one, readers are fuzzed by a
 * new one, and planted faults by 1.
 *
 * Exit codes: 0 nothing was found and every planted fault was, 1 otherwise, 64 usage.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureContract, root } from './build.mjs';
import { withFolderAsync } from './differential/folder.js';
import { plantedFaults, seek, type Sought } from './fuzz/planted.js';
import { beginningsOf, bundleTarget, findIn, fuzzTarget, hashOf, installTool, keptOf } from './fuzz/run.js';
import { seeds } from './fuzz/seeds.js';
import { prepareCopy } from './planted/copy.js';

const secondsOfPlanted = 180;
const options = {
  seconds: { type: 'string' },
  seed: { type: 'string' },
  planted: { type: 'boolean', default: false },
  out: { type: 'string' },
} as const;

interface Target {
  readonly name: string;
  readonly seconds: number;
  readonly executions: number;
  /** Statements, functions and branches. */
  readonly coverage: number;
  readonly inputs_begun_with: number;
  readonly inputs_kept: number;
  /** The file that holds the input; null where nothing was found. */
  readonly found: string | null;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options });
const wanted = positionals.length > 0 ? positionals : Object.keys(seeds);
const isNumber = (text: string | undefined, least: number): boolean =>
  text === undefined || (/^\d{1,9}$/.test(text) && Number(text) >= least);
const isKnown = wanted.every((name) => Object.hasOwn(seeds, name));
if (!isKnown || !isNumber(values.seconds, 1) || !isNumber(values.seed, 0)) {
  const names = Object.keys(seeds).join(' | ');
  process.stderr.write(`Usage: fuzz [${names}]… [--seconds <n>] [--planted] [--seed <n>] [--out <file>]\n`);
  process.exit(64);
}
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const seedOfPlanted = values.seed === undefined ? 1 : Number(values.seed);

ensureContract();
installTool();
const targets: Target[] = [];
if (!values.planted || values.seconds !== undefined)
  for (const name of wanted) targets.push(await fuzzed(name, Number(values.seconds ?? 60)));
const planted = values.planted ? await allPlanted() : [];
const summary = {
  ...(targets.length > 0 ? { seed, targets } : {}),
  ...(values.planted ? { planted_seed: seedOfPlanted, planted_seconds_max: secondsOfPlanted, planted } : {}),
};
if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(summary, null, 2)}\n`);
const isQuiet = targets.every(({ found }) => found === null);
process.exitCode = isQuiet && planted.every(({ found }) => found) ? 0 : 1;

async function fuzzed(name: string, seconds: number): Promise<Target> {
  const folder = join(root, 'dist/fuzz', name);
  await bundleTarget(root, name, folder);
  const ran = await fuzzTarget(folder, beginningsOf(name), { seconds, seed });
  const { executions, coverage, begun, inputs, crash } = ran;
  say(
    `${name}: ${executions} executions in ${ran.seconds} s, coverage ${coverage}, ${inputs} inputs from ${begun}, seed ${seed}`,
  );
  const target = { name, seconds: ran.seconds, executions, coverage, inputs_begun_with: begun, inputs_kept: inputs };
  if (crash === null) return { ...target, found: null };
  const words = findIn(folder, [crash]);
  if (words === null) {
    say(`${name}: what the fuzzer took for a find is read without one; the machine may have been busy`);
    return { ...target, found: null };
  }
  mkdirSync(keptOf(name), { recursive: true });
  writeFileSync(join(keptOf(name), hashOf(crash)), crash);
  const found = `scripts/fuzz/corpus/${name}/${hashOf(crash)}`;
  say(`${name}: FOUND ${found}: ${words}\n${ran.said.split('\n').slice(-20).join('\n')}`);
  return { ...target, found };
}

/** Of the targets that are wanted. */
async function allPlanted(): Promise<Sought[]> {
  const faults = plantedFaults().filter(({ target }) => wanted.includes(target));
  const without = wanted.filter((name) => !faults.some(({ target }) => target === name));
  if (without.length > 0) throw new Error(`No fault is planted for ${without.join(', ')}.`);
  const sought = await withFolderAsync('fuzz-planted', async (folder) => {
    const prepared = join(folder, 'prepared');
    prepareCopy(root, prepared);
    const all: Sought[] = [];
    for (const fault of faults) {
      const one = await seek(fault, prepared, join(folder, fault.name), { seconds: secondsOfPlanted, seed: seedOfPlanted });
      say(`${one.found ? 'found' : 'NOT FOUND'} ${one.name}: ${one.executions} executions in ${one.seconds} s. ${one.said}`);
      all.push(one);
    }
    return all;
  });
  say(`planted: ${sought.length} faults, ${sought.filter(({ found }) => found).length} found`);
  return sought;
}

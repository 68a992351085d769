/**
 * Mutates the verifier's own code and counts what its tests notice: `npx tsx scripts/stryker.ts [--sample <n>] [--seed <text>] [--mutate <file or folder>]… [--tests <folder>]… [--out <file>]`.
 * All mutants of `verifier/checks`, `verifier/model` and `verifier/read` where nothing else is asked, and
 * all tests of the verifier that run in one process: with fewer the score is a lower bound, and there sooner.
 *
 * Stryker makes the mutants and counts them; the tests are run by a plugin of ours (`stryker/plugin.ts`), in one process, since loading them anew for each of twenty thousand
 * mutants would take days. Stryker is no dependency of the project: it is kept in a lock of its own, `scripts/stryker/tool`, and installed below `dist/` by whoever
 * asks. What is found out of a state of the sources is kept there too, so a run that was ended goes on. Exit codes: 0 at least 95 % were noticed, 1 fewer, or a test that
 * notices something where nothing is mutated, 64 usage.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { ensureContract, root } from './build.mjs';
import { readControl, readJournal } from './stryker/journal.js';
import { slowestMs, type SuiteRecord } from './stryker/record.js';
import { scoreOf } from './stryker/score.js';

const folders = ['verifier/checks', 'verifier/model', 'verifier/read'];
const wantedScore = 95;
const tool = join(root, 'dist/stryker/tool');
const stryker = join(tool, 'node_modules/@stryker-mutator/core/bin/stryker.js');

const { mutate, tests, sample, seed, out } = asked();
ensureContract();
installTool();
const state = join(root, 'dist/stryker', stateOfSources());
mkdirSync(state, { recursive: true });
const plugin = join(tool, 'killpoint-plugin.mjs');
await build({
  entryPoints: [join(root, 'scripts/stryker/plugin.ts')],
  outfile: plugin,
  ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external', logLevel: 'warning' },
});
const config = join(state, 'stryker.json');
writeFileSync(
  config,
  JSON.stringify({
    plugins: [plugin],
    killpoint: { root, state, mutate, tests, sample, seed },
    ...{ testRunner: 'killpoint', reporters: ['killpoint'], coverageAnalysis: 'perTest', concurrency: 1 },
    // The copy holds the verifier; whatever else a test reads is read where it is.
    ...{
      mutate: folders.map((folder) => `${folder}/**/!(*.test).ts`),
      ignorePatterns: ['**', '!verifier/**/*'],
      disableTypeChecks: false,
    },
    ...{
      symlinkNodeModules: false,
      tempDirName: join('dist/stryker', 'sandbox'),
      logLevel: 'warn',
      warnings: false,
      checkers: [],
    },
    // Only for what the runner's own limits cannot stop.
    ...{ timeoutMS: 300_000, timeoutFactor: 5, dryRunTimeoutMinutes: 60, testRunnerNodeArgs: ['--max-old-space-size=3072'] },
  }),
);
const began = Date.now();
const before = readJournal(state).size;
const { status } = spawnSync(process.execPath, [stryker, 'run', config], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
rmSync(join(state, 'tmp'), { recursive: true, force: true });
if (status !== 0) throw new Error('Stryker failed.');

const journal = readJournal(state);
const { all, keys } = JSON.parse(readFileSync(join(state, 'asked.json'), 'utf8')) as { all: number; keys: string[] };
const lines = keys.flatMap((key) => journal.get(key) ?? []);
const { score, mutants, counts, files, survivors } = scoreOf(lines);
const { files: recorded } = JSON.parse(readFileSync(join(state, 'record.json'), 'utf8')) as SuiteRecord;
const timed = recorded.flatMap(({ file, tests }) => tests.map(({ title, ms }) => ({ test: `${file}: ${title}`, ms })));
const tests_left_out = timed.filter(({ ms }) => ms === null || ms > slowestMs).map(({ test }) => test);
const controlled = readControl(state);
const noticed = controlled.flatMap((one) => one.noticed ?? []);
const control = { rounds: controlled.length, tests: controlled.reduce((sum, { tests: asked }) => sum + asked, 0), noticed };
const wall_s = Math.round((Date.now() - began) / 1000);
const asks = {
  mutate: mutate.length > 0 ? mutate : folders,
  tests_in: tests.length > 0 ? tests : ['verifier'],
  sample,
  seed,
  mutants_of_all: all,
};
const summary = {
  ...asks,
  tried_now: journal.size - before,
  wall_s,
  tests: timed.length,
  tests_left_out,
  control,
  score,
  mutants,
  counts,
  files,
  survivors,
};
for (const { at, mutator, replacement, status: how } of survivors)
  process.stdout.write(`${at}: ${how}, ${mutator}: ${replacement.replace(/\s+/g, ' ').slice(0, 100)}\n`);
process.stdout.write(`${score} % of ${mutants} mutants were noticed (of ${all} in all): ${JSON.stringify(counts)}\n`);
writeFileSync(out, `${JSON.stringify(summary, null, 2)}\n`);
for (const what of noticed) process.stdout.write(`With nothing mutated a test noticed something, so no figure holds: ${what}\n`);
process.exitCode = score >= wantedScore && noticed.length === 0 ? 0 : 1;

function asked(): { mutate: string[]; tests: string[]; sample: number | null; seed: string; out: string } {
  try {
    const { values } = parseArgs({
      options: {
        mutate: { type: 'string', multiple: true, default: [] },
        tests: { type: 'string', multiple: true, default: [] },
        sample: { type: 'string' },
        seed: { type: 'string', default: 'killpoint' },
        out: { type: 'string', default: join(root, 'dist/stryker/summary.json') },
      },
    });
    if (values.sample !== undefined && !/^[1-9]\d*$/.test(values.sample)) throw new Error('--sample wants a number from 1.');
    const paths = values.mutate.map((path) => path.replace(/\/$/, ''));
    const foreign = paths.find(
      (path) => !folders.some((folder) => `${path}/`.startsWith(`${folder}/`)) || !existsSync(join(root, path)),
    );
    if (foreign !== undefined) throw new Error(`--mutate wants a path in ${folders.join(', ')}, not ${foreign}.`);
    const tests = values.tests.map((path) => path.replace(/\/$/, ''));
    return {
      mutate: paths,
      tests,
      sample: values.sample === undefined ? null : Number(values.sample),
      seed: values.seed,
      out: values.out,
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(64);
  }
}

/** By its lock, without running anything of what is installed. */
function installTool(): void {
  if (existsSync(stryker)) return;
  mkdirSync(tool, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, 'scripts/stryker/tool', file), join(tool, file));
  const { status: installed } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: tool,
    stdio: 'inherit',
  });
  if (installed !== 0) throw new Error('Stryker could not be installed.');
}

/** Of the verifier, the tests that are asked and what runs them: a result holds for nothing else. */
function stateOfSources(): string {
  const hash = createHash('sha256').update(JSON.stringify(tests.toSorted()));
  for (const folder of ['verifier', 'scripts/stryker']) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !(folder === 'scripts/stryker' && name.endsWith('.test.ts')),
    );
    for (const name of names.sort()) hash.update(`${folder}/${name}\n`).update(readFileSync(join(root, folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Fuzzes the readers of evidence, guided by coverage: `npx tsx scripts/fuzz.ts [target…] [--seconds <n>]`. All targets where none is named, 60 seconds each.
 *
 * jsfuzz counts what it sees of CommonJS, so each target is bundled as such with the reader that it is about. The fuzzer is no dependency of the
 * project: it is kept in a lock of its own, `scripts/fuzz/tool`, and installed below `dist/` by whoever fuzzes. What it finds is written to
 * `scripts/fuzz/corpus/<target>/` under its hash, to be read by `npm test` from then on. Exit codes: 0 nothing was found, 1 something was, 64 usage.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { ensureContract, root } from './build.mjs';
import { seeds } from './fuzz/seeds.js';

const tool = join(root, 'dist/fuzz/tool');
const fuzzer = join(tool, 'node_modules/jsfuzz/build/src/index.js');
const rssMebibytes = 1024;
/** The first input waits for all of the target to be instrumented. What one may take of a processor is the targets' own bound. */
const secondsOfOne = 600;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '60' } } });
const seconds = Number(values.seconds);
const wanted = positionals.length > 0 ? positionals : Object.keys(seeds);
if (!Number.isSafeInteger(seconds) || seconds < 1 || !wanted.every((name) => Object.hasOwn(seeds, name))) {
  process.stderr.write(`Usage: fuzz [${Object.keys(seeds).join(' | ')}]… [--seconds <n>]\n`);
  process.exit(64);
}

ensureContract();
installTool();
let found = 0;
for (const name of wanted) found += (await fuzzed(name)) ? 1 : 0;
process.exitCode = found > 0 ? 1 : 0;

/** By its lock, without running anything of what is installed. */
function installTool(): void {
  if (existsSync(fuzzer)) return;
  mkdirSync(tool, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, 'scripts/fuzz/tool', file), join(tool, file));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tool, stdio: 'inherit' });
  if (status !== 0) throw new Error('The fuzzer could not be installed.');
}

/** True where something was found. */
async function fuzzed(name: string): Promise<boolean> {
  const folder = join(root, 'dist/fuzz', name);
  const corpus = join(folder, 'corpus');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(corpus, { recursive: true });
  const target = await bundled(name, folder);
  const kept = join(root, 'scripts/fuzz/corpus', name);
  const before = existsSync(kept) ? readdirSync(kept).map((file) => readFileSync(join(kept, file))) : [];
  for (const bytes of [...(seeds[name]?.() ?? []), ...before]) writeFileSync(join(corpus, hashOf(bytes)), bytes);
  const crash = join(folder, 'crash');
  const limits = ['--exact-artifact-path', crash, '--rss-limit-mb', String(rssMebibytes), '--timeout', String(secondsOfOne)];
  // Targets are named from the folder in which the fuzzer runs.
  const run = spawn(process.execPath, [fuzzer, target, corpus, ...limits], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  run.stdout.on('data', (bytes: Buffer) => void (said += bytes.toString('utf8')));
  const timer = setTimeout(() => run.kill('SIGTERM'), seconds * 1000);
  await once(run, 'close');
  clearTimeout(timer);
  const last = said.split('\n').findLast((line) => /^#\d+ (?:PULSE|NEW)/.test(line)) ?? 'nothing was run';
  process.stdout.write(`${name}: ${last.trim().replace(/\s+/g, ' ')}; ${readdirSync(corpus).length} inputs kept for this run\n`);
  if (!existsSync(crash)) return false;
  const bytes = readFileSync(crash);
  const again = "require(process.argv[1]).fuzz(require('node:fs').readFileSync(process.argv[2]))";
  const seen = spawnSync(process.execPath, ['-e', again, join(folder, target), crash], {
    timeout: secondsOfOne * 1000,
    stdio: 'ignore',
  });
  if (seen.status === 0) {
    process.stdout.write(`${name}: what the fuzzer took for a find is read without one; the machine may have been busy\n`);
    return false;
  }
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, hashOf(bytes)), bytes);
  process.stdout.write(
    `${name}: FOUND scripts/fuzz/corpus/${name}/${hashOf(bytes)}\n${said.split('\n').slice(-20).join('\n')}\n`,
  );
  return true;
}

/**
 * The name of the bundle, in its folder. Packages stay outside: what the engine does is not ours to cover. So do the validators, which are generated
 * and larger than all that reads with them; their own file asks not to be instrumented.
 */
async function bundled(name: string, folder: string): Promise<string> {
  const common = { bundle: true, format: 'cjs', platform: 'node', target: 'node20', logLevel: 'warning' } as const;
  const validators = (path: string): string => `./${basename(path, '.js')}.cjs`;
  await build({
    ...common,
    entryPoints: [join(root, 'scripts/fuzz/targets', `${name}.ts`)],
    outfile: join(folder, 'target.cjs'),
    external: ['better-sqlite3', 'js-tiktoken'],
    nodePaths: [join(root, 'node_modules')],
    plugins: [
      {
        name: 'validators',
        setup: ({ onResolve }) =>
          onResolve({ filter: /validators\.js$/ }, ({ path }) => ({ path: validators(path), external: true })),
      },
    ],
  });
  for (const path of ['validators.js', 'session-validators.js'])
    await build({
      ...common,
      entryPoints: [join(root, 'verifier/contract', path)],
      outfile: join(folder, validators(path)),
      banner: { js: '/* istanbul ignore file */' },
    });
  return 'target.cjs';
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

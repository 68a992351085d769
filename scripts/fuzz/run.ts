/**
 * One target, made and fuzzed: of the sources as they are, or of a copy with a planted fault.
 *
 * jsfuzz counts what it sees of CommonJS, so each target is bundled as such with the reader that it is about. The fuzzer is no
 * dependency of the project: it is kept in a lock of its own, `scripts/fuzz/tool`, and installed below `dist/` by whoever
 * fuzzes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../build.mjs';
import type { Ran, Task } from './driver.js';
import { seeds } from './seeds.js';

const tool = join(root, 'dist/fuzz/tool');
const fuzzer = join(tool, 'node_modules/jsfuzz/build/src/index.js');
const rssMebibytes = 1024;
/** Longer inputs are cut, those of the seeds are not. */
const mostBytes = 64 * 1024;
/** Beyond it an input hangs. What one may take of a processor is the targets' own bound, which is told only once it is read. */
const secondsOfOne = 120;
const common = { bundle: true, format: 'cjs', platform: 'node', target: 'node20', logLevel: 'warning' } as const;

export interface Fuzzed extends Ran {
  /** What it begins with. */
  readonly begun: number;
  /** The input at which it ended, where it did not end by its time. */
  readonly crash: Buffer | null;
  /** The last that was said. */
  readonly said: string;
}

/** By its lock, without running anything of what is installed. */
export function installTool(): void {
  if (existsSync(fuzzer)) return;
  mkdirSync(tool, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, 'scripts/fuzz/tool', file), join(tool, file));
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tool, stdio: 'inherit' });
  if (status !== 0) throw new Error('The fuzzer could not be installed.');
}

/** Where finds of a target are kept. */
export function keptOf(name: string): string {
  return join(root, 'scripts/fuzz/corpus', name);
}

/** The seeds of a target and what was found before. */
export function beginningsOf(name: string): Buffer[] {
  const kept = keptOf(name);
  const before = existsSync(kept) ? readdirSync(kept).map((file) => readFileSync(join(kept, file))) : [];
  return [...(seeds[name]?.() ?? []), ...before];
}

/**
 * The target of those sources, in an empty folder. Packages stay outside: what the engine does is not ours to cover. So do the
 * validators, which are generated and larger than all that reads with them; their own file asks not to be instrumented.
 */
export async function bundleTarget(sources: string, name: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const validators = (path: string): string => `./${basename(path, '.js')}.cjs`;
  await build({
    ...common,
    entryPoints: [join(sources, 'scripts/fuzz/targets', `${name}.ts`)],
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
      entryPoints: [join(sources, 'verifier/contract', path)],
      outfile: join(folder, validators(path)),
      banner: { js: '/* istanbul ignore file */' },
    });
}

/** Fuzzes the target that was bundled in that folder. */
export async function fuzzTarget(
  folder: string,
  begin: readonly Buffer[],
  limits: { seconds: number; seed: number },
): Promise<Fuzzed> {
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  const begun = new Map(begin.map((bytes) => [hashOf(bytes), bytes]));
  for (const [name, bytes] of begun) writeFileSync(join(corpus, name), bytes);
  await build({ ...common, entryPoints: [join(root, 'scripts/fuzz/driver.ts')], outfile: join(folder, 'driver.cjs') });
  const task: Task = { fuzzer, ...limits, mostBytes, rssMebibytes };
  const args = [`--max-old-space-size=${rssMebibytes}`, 'driver.cjs', JSON.stringify(task)];
  const run = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  run.stdout.on('data', (bytes: Buffer) => void (said = (said + bytes.toString('utf8')).slice(-8000)));
  // Whoever does not end by itself hangs in one input.
  const timer = setTimeout(() => run.kill('SIGKILL'), (limits.seconds + secondsOfOne) * 1000);
  const [code] = (await once(run, 'close')) as [number | null];
  clearTimeout(timer);
  const summary = join(folder, 'summary.json');
  const none: Ran = { executions: 0, coverage: 0, inputs: 0, seconds: 0 };
  const ran = existsSync(summary) ? (JSON.parse(readFileSync(summary, 'utf8')) as Ran) : none;
  if (code === 0 && ran.executions === 0) throw new Error('Nothing was run.');
  return { ...ran, begun: begun.size, crash: code === 0 ? bytesOf(join(folder, 'crash')) : triedIn(folder), said };
}

function bytesOf(path: string): Buffer | null {
  return existsSync(path) ? readFileSync(path) : null;
}

/** At which the process died. */
function triedIn(folder: string): Buffer {
  const bytes = bytesOf(join(folder, 'tried'));
  if (bytes === null || bytes.length < 4) throw new Error('The fuzzer died before it tried anything.');
  return bytes.subarray(4, 4 + bytes.readUInt32BE(0));
}

/** What a target that was bundled says of inputs, without a fuzzer around it: the first find in words, or null. */
export function findIn(folder: string, inputs: readonly Buffer[]): string | null {
  const place = join(folder, 'again');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  for (const bytes of inputs) writeFileSync(join(place, hashOf(bytes)), bytes);
  const again = `const { readFileSync, readdirSync } = require('node:fs');
    const { fuzz } = require('./target.cjs');
    try { for (const file of readdirSync('again')) fuzz(readFileSync('again/' + file)); process.stdout.write('read'); }
    catch (error) { process.stdout.write(String(error)); process.exitCode = 1; }`;
  const limits = [`--max-old-space-size=${rssMebibytes}`, '-e', again];
  const { status, signal, stdout } = spawnSync(process.execPath, limits, {
    ...{ cwd: folder, encoding: 'utf8', timeout: secondsOfOne * 1000 },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (status === 0 && stdout === 'read') return null;
  return stdout.split('\n')[0] || `It ended with ${signal ?? `code ${status}`}.`;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

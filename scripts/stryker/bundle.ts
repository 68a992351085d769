/**
 * The verifier's tests and all that they load, as one script that is compiled once and can be run any number of times in one process.
 *
 * Each run of it is a new world: no module of one is seen by another, so a mutant meets what is evaluated when a module is loaded like anything else, and
 * leaves nothing behind. In a world a module is evaluated when the first test file that needs it is loaded. Packages stay outside, and are loaded once.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import type * as Esbuild from 'esbuild';
import { collector, type Test } from './collector.js';

/** Not loaded: tests of what is spawned, which no mutant reaches, and those that take minutes or are not about the three folders. */
const leftOut = /\.crash\.test\.ts$|^verifier\/(?:cli|attest)\/|^verifier\/(?:mutations|read\/sqlite)\/.*\.gate\.test\.ts$/;

function testFilesIn(folder: string, among: readonly string[]): string[] {
  return readdirSync(join(folder, 'verifier'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('verifier', path))
    .filter((path) => path.endsWith('.test.ts') && !leftOut.test(path))
    .filter((path) => among.length === 0 || among.some((one) => path.startsWith(`${one}/`)))
    .sort();
}

export interface World {
  /** Loads a file, with what it needs and no other file has loaded yet. */
  load: (file: string) => Test[];
}

export interface Bundle {
  hash: string;
  files: readonly string[];
  open: () => World;
}

/** Of the sources in a folder, which may be a copy. What a file says of its place is the place of its original, so that evidence and schemas are found. */
export async function bundleOf(folder: string, original: string, among: readonly string[], path: string): Promise<Bundle> {
  const require = createRequire(join(original, 'package.json'));
  const files = testFilesIn(folder, among);
  // A process that took too long is replaced, and what replaces it need not bundle again.
  if (!existsSync(path)) {
    const text = await bundledText(require('esbuild') as typeof Esbuild, folder, original, files);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.partial`, `(function (require, module) {${text}\n})`);
    renameSync(`${path}.partial`, path);
  }
  const text = readFileSync(path, 'utf8');
  type Loaders = Record<string, () => unknown>;
  const run = new Script(text, { filename: path }).runInThisContext() as (
    require: (name: string) => unknown,
    module: { exports: Loaders },
  ) => void;
  return {
    hash: createHash('sha256').update(text).digest('hex'),
    files,
    open: () => {
      const module = { exports: {} as Loaders };
      let words: Record<string, unknown> = {};
      // Each file gets words of its own; they are looked up when they are used.
      const vitest = new Proxy({}, { get: (_target, name) => words[String(name)] });
      run((name) => (name === 'vitest' ? vitest : require(name)), module);
      return {
        load: (file) => {
          const collected = collector();
          words = collected.words;
          module.exports[file]?.();
          return collected.tests;
        },
      };
    },
  };
}

async function bundledText(esbuild: typeof Esbuild, folder: string, original: string, files: readonly string[]): Promise<string> {
  const loaders = files.map((file) => `module.exports[${JSON.stringify(file)}] = () => require('./${file}');`);
  const { outputFiles } = await esbuild.build({
    stdin: { contents: loaders.join('\n'), resolveDir: folder },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    supported: { 'dynamic-import': false },
    plugins: [
      {
        name: 'places',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/verifier\/.*\.ts$/ }, ({ path }) => {
            const place = pathToFileURL(join(original, relative(folder, path))).href;
            return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(place)), loader: 'ts' };
          }),
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

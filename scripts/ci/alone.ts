/**
 * The verifier alone: its compiled folder and `evidence/schema/` in an empty folder, with its own short list of packages.
 *
 * What an import rule cannot see (a computed import, a path read at run time) is caught here, because nothing else is there. The
 * verdict must be, to the byte, the one that the whole installation gives.
 */
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, resolve } from 'node:path';
import { ensureBuild } from '../build.mjs';
import { demand, root, run, step, withFolder } from './shared.js';

/** Node, the SQLite engine, a second SHA-256, an argument parser, a tokenizer: what `verifier/README.md` says is trusted. */
const shortList = ['@noble/hashes', 'better-sqlite3', 'commander', 'js-tiktoken'];

/** Loaded only where a key is given, and not installed here: whoever signs nothing and checks no signature needs none of them. */
const withAKeyOnly = ['@sigstore/bundle', '@sigstore/core'];

/** The program as its modules say it, without the file that was bundled in their place. */
const byModules = `
const { command } = await import('./verifier/cli/command.js');
const write = (stream) => (text) => void stream.write(text);
const streams = { out: write(process.stdout), err: write(process.stderr), colour: false };
process.exitCode = await command(process.argv.slice(1), streams);
`;

interface Manifest {
  version: string;
  dependencies?: Record<string, string>;
}

const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Manifest;

/** A package with everything that it depends on, in turn. */
function closure(names: string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    closure(Object.keys(manifestOf(name).dependencies ?? {}), seen);
  }
  return seen;
}

function importedPackages(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'));
  const statement =
    /^\s*(?:import|export)\s[^;'"]*?from\s+['"]([^'".][^'"]*)['"]|^\s*import\s+['"]([^'".][^'"]*)['"]|\b(?:import|load|require)\(\s*['"]([^'".][^'"]*)['"]/gm;
  const specifiers = files.flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(statement)].map(
      ([, from, bare, called]) => from ?? bare ?? called ?? '',
    ),
  );
  const names = specifiers.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  return [
    ...new Set(
      names.map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    ),
  ].sort();
}

step('verifier alone', () => {
  const bundles = process.argv.slice(2).map((named) => resolve(named));
  if (bundles.length === 0) throw new Error('Usage: tsx scripts/ci/alone.ts <bundle>…');
  const build = ensureBuild();
  return withFolder('alone', (folder) => {
    cpSync(join(build, 'verifier'), join(folder, 'verifier'), { recursive: true });
    cpSync(join(root, 'evidence/schema'), join(folder, 'evidence/schema'), { recursive: true });
    const named = importedPackages(join(folder, 'verifier'));
    const imported = named.filter((name) => !withAKeyOnly.includes(name));
    const surplus = imported.filter((name) => !shortList.includes(name));
    if (surplus.length > 0) throw new Error(`The verifier imports packages that are not on its list: ${surplus.join(', ')}`);
    const dependencies = Object.fromEntries(imported.map((name) => [name, manifestOf(name).version]));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
    for (const name of closure(imported)) {
      const target = join(folder, 'node_modules', name);
      mkdirSync(target, { recursive: true });
      cpSync(join(root, 'node_modules', name), target, { recursive: true });
    }
    const bytes = bundles.map((bundle) => sameVerdict(folder, build, bundle));
    refusesKeys(folder, bundles[0] ?? '');
    return `the same ${bytes.join(' and ')} bytes of verdict with ${imported.join(', ')} only`;
  });
});

/** Without the packages of signatures a key is refused in a sentence, and nothing is written. */
function refusesKeys(folder: string, bundle: string): void {
  const key = join(folder, 'key.pem');
  writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { stderr } = demand(64, process.execPath, [join(folder, 'verifier/cli/main.js'), bundle, '--sign', key], { cwd: folder });
  if (!/^Signatures need the packages .* not installed here\.\n$/.test(stderr))
    throw new Error(`A key without packages: ${stderr}`);
}

/** Demands one verdict document of the verifier alone, of the whole installation, and of the modules; returns its size. */
function sameVerdict(folder: string, build: string, bundle: string): number {
  const args = (main: string): string[] => [main, bundle, '--json'];
  const alone = run(process.execPath, args(join(folder, 'verifier/cli/main.js')), { cwd: folder });
  const whole = demand(0, process.execPath, args(join(build, 'verifier/cli/main.js')));
  if (alone.status !== 0) throw new Error(`${bundle}: exit ${alone.status}: ${alone.stderr.slice(-2000)}`);
  if (alone.stdout !== whole.stdout) throw new Error(`${bundle}: alone, the verifier gives another verdict document.`);
  // What starts is a bundle; the list of packages was read from the modules beside it, which must therefore be the same program.
  const modules = run(process.execPath, ['--input-type=module', '-e', byModules, bundle, '--json'], { cwd: folder });
  if (modules.stdout !== whole.stdout) throw new Error(`Its modules are another program than its bundle: ${modules.stderr}`);
  return alone.stdout.length;
}

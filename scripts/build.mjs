/**
 * Builds the four programs into `dist/<key>/`, where the key is the digest of everything that the result depends on.
 *
 * Spawned roles are compiled JavaScript, and evidence names the build that produced it; so a build is never overwritten: other
 * sources give another folder, and a folder that a running experiment uses stays as it is. Nothing but `node_modules` is needed.
 *
 * Fault model: process crash and concurrent builds. A build appears by one rename, complete or not at all.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standalone, writeStandalone } from './standalone.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
export const programs = ['runtime', 'synthetic-provider', 'harness', 'verifier'];

const dist = join(root, 'dist');
const contractInputs = ['evidence/schema', 'preregistrations/schema', 'scripts/contract.ts'];
const otherInputs = ['tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs', 'scripts/standalone.mjs', 'package-lock.json'];
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Files below a folder (or the file itself), as paths from the root with forward slashes, sorted. */
function filesBelow(path, wanted) {
  const found = [];
  const visit = (absolute) => {
    if (fs.statSync(absolute).isDirectory()) for (const name of fs.readdirSync(absolute)) visit(join(absolute, name));
    else found.push(relative(root, absolute).split(sep).join('/'));
  };
  const start = join(root, path);
  if (fs.existsSync(start)) visit(start);
  return found.filter(wanted).sort();
}

/** What is compiled: no tests, nothing generated (the generator and its inputs are inputs themselves). */
function isSource(path) {
  if (/(^|\/)(contract|testing)\//.test(path) || path.endsWith('.test.ts')) return false;
  return path.endsWith('.ts') || isCarried(path);
}

/** What is copied beside the compiled code: the data that a program reads at run time. */
function isCarried(path) {
  return path.endsWith('.json') && !/(^|\/)(testing\/|tsconfig)/.test(path);
}

/** Generated as JavaScript: nothing compiles it. */
function isValidator(path) {
  return /\/contract\/[a-z-]*validators\.js$/.test(path);
}

function digestOf(paths) {
  const lines = paths.map((path) => `${digest(fs.readFileSync(join(root, path)))}  ${path}\n`);
  return digest(lines.join(''));
}

function contractFiles() {
  return contractInputs.flatMap((path) => filesBelow(path, (file) => /\.(json|ts)$/.test(file) && !/requirements/.test(file)));
}

function sourceDigest() {
  const sources = programs.flatMap((program) => filesBelow(program, isSource));
  return digestOf([...contractFiles(), ...otherInputs, ...sources].sort());
}

function syncFolder(path) {
  // Windows cannot open a folder; there, only verifying is promised.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(path, 'r');
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

function writeDurably(path, text) {
  const descriptor = fs.openSync(path, 'w');
  fs.writeFileSync(descriptor, text);
  fs.fsyncSync(descriptor);
  fs.closeSync(descriptor);
}

/** Makes `<program>/contract/` if the schemas changed since it was last made. */
export function ensureContract() {
  const stamp = join(dist, 'contract.key');
  const key = digestOf(contractFiles().sort());
  const made = programs.every((program) => fs.existsSync(join(root, program, 'contract/validators.d.ts')));
  if (made && fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === key) return;
  node(['node_modules/tsx/dist/cli.mjs', 'scripts/contract.ts']);
  fs.mkdirSync(dist, { recursive: true });
  fs.writeFileSync(`${stamp}.${process.pid}`, key);
  fs.renameSync(`${stamp}.${process.pid}`, stamp);
}

function node(args) {
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (run.error) throw run.error;
  if (run.status !== 0) throw new BuildError(`${args[0]} failed:\n${run.stdout}${run.stderr}`);
}

export class BuildError extends Error {
  code = 'build-failed';
}

/** The files that are started as processes, by program; packages that stay outside are loaded only where they are wanted. */
function entriesOf(folder) {
  const subjects = join(folder, 'runtime/subjects');
  const roles = fs.existsSync(subjects)
    ? fs.readdirSync(subjects).flatMap((subject) => {
        const manifest = join(subjects, subject, 'subject.json');
        if (!fs.existsSync(manifest)) return [];
        return Object.values(JSON.parse(fs.readFileSync(manifest, 'utf8')).roles ?? {}).map(([, file]) =>
          join(subjects, subject, file),
        );
      })
    : [];
  const all = [
    {
      program: 'verifier',
      entries: [join(folder, 'verifier/cli/main.js')],
      external: ['commander', '@sigstore/bundle', '@sigstore/core'],
    },
    { program: 'harness', entries: [join(folder, 'harness/cli/main.js')], external: [] },
    { program: 'synthetic-provider', entries: [join(folder, 'synthetic-provider/main.js')], external: [] },
    { program: 'runtime', entries: roles, external: ['gpt-tokenizer', 'js-tiktoken'] },
  ];
  return all.filter(({ entries }) => entries.length > 0 && entries.every((entry) => fs.existsSync(entry)));
}

/**
 * Puts what is started as a process, with all that it needs, into a few files in the place of some hundred: half of so short a process is
 * finding and compiling modules, and an experiment starts hundreds. No two programs share a file. The modules stay beside them, and are
 * what the boundary and the verifier's list of packages are held against. Names are kept, so that a stack still tells where an error comes
 * from.
 */
function bundleEntries(folder) {
  const { buildSync } = createRequire(import.meta.url)('esbuild');
  // The engine's own loader looks for its addon around the file that calls it; here that is the bundle, so it is told where it is.
  const loader = join(folder, 'addon.cjs');
  fs.writeFileSync(loader, "module.exports = (name) => require('better-sqlite3/build/Release/' + name);\n");
  try {
    // First, from the modules: they are the same program as what takes their place.
    if (fs.existsSync(join(folder, 'verifier/cli/standalone.js'))) writeStandalone(folder, join(root, 'node_modules'));
    for (const { program, entries, external } of entriesOf(folder)) {
      buildSync({
        entryPoints: entries,
        outdir: join(folder, program),
        outbase: join(folder, program),
        allowOverwrite: true,
        bundle: true,
        splitting: true,
        // As deep as the modules that they hold: paths from them lead to the same place.
        chunkNames: 'parts/[hash]',
        format: 'esm',
        platform: 'node',
        target: 'node20',
        minifySyntax: true,
        minifyWhitespace: true,
        external,
        alias: { bindings: loader },
        banner: { js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);" },
        nodePaths: [join(root, 'node_modules')],
        absWorkingDir: folder,
        logLevel: 'silent',
      });
    }
  } catch (error) {
    throw new BuildError(`A program could not be bundled:\n${error.message}`);
  } finally {
    fs.rmSync(loader);
  }
}

/** Builds into a private folder; the caller renames it. */
function compileInto(folder, sourceSha256) {
  ensureContract();
  node(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', folder]);
  for (const program of programs) {
    for (const path of filesBelow(program, (file) => isCarried(file) || isValidator(file))) {
      fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
      fs.copyFileSync(join(root, path), join(folder, path));
    }
  }
  bundleEntries(folder);
  const inFolder = relative(root, folder).split(sep).join('/');
  const files = filesBelow(inFolder, () => true).map((path) => {
    const bytes = fs.readFileSync(join(root, path));
    return { path: path.slice(inFolder.length + 1), size: bytes.length, sha256: digest(bytes) };
  });
  const build = { files, key: sourceSha256.slice(0, 16), source_sha256: sourceSha256 };
  writeDurably(join(folder, 'build.json'), `${JSON.stringify(build, null, 2)}\n`);
  syncFolder(folder);
}

/** Builds in a folder of its own and removes what a failed build leaves. False: the sources changed meanwhile. */
function publish(target, sourceSha256, beforeRename) {
  fs.mkdirSync(dist, { recursive: true });
  const temporary = join(dist, `.${sourceSha256.slice(0, 16)}.${process.pid}`);
  try {
    fs.rmSync(temporary, { recursive: true, force: true });
    compileInto(temporary, sourceSha256);
    // A folder whose name lies about its sources would be worse than no build.
    if (sourceDigest() !== sourceSha256) return false;
    beforeRename();
    try {
      fs.renameSync(temporary, target);
    } catch (error) {
      // Another build of the same sources came first; both have the same bytes.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code) || !fs.existsSync(join(target, 'build.json'))) throw error;
    }
    syncFolder(dist);
    return true;
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** The folder of the build of the present sources, made if it is not there yet. */
export function ensureBuild() {
  for (let attempt = 0; attempt < 5; attempt++) {
    const sourceSha256 = sourceDigest();
    const target = join(dist, sourceSha256.slice(0, 16));
    if (fs.existsSync(join(target, 'build.json')) || publish(target, sourceSha256, () => {})) return target;
  }
  throw new BuildError('The sources kept changing while they were compiled.');
}

/** Puts the verifier as one file where a person finds it, whole or not at all; the build keeps its own. */
function handOut(build) {
  const made = join(build, standalone);
  if (!fs.existsSync(made)) return;
  const temporary = join(dist, `.${standalone}.${process.pid}`);
  fs.copyFileSync(made, temporary);
  fs.renameSync(temporary, join(dist, standalone));
}

/** The one folder that the packed package carries. Made anew each time: `npm pack` must not ship what an older build left. */
export function buildPackage() {
  const target = join(dist, 'package');
  const removeOld = () => fs.rmSync(target, { recursive: true, force: true });
  if (!publish(target, sourceDigest(), removeOld)) throw new BuildError('The sources changed while they were compiled.');
  return target;
}

/** Runs a step of a command line, and turns a failed build into its output and an exit code. */
export function orExit(step, exitCode = 1) {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    process.stderr.write(`${error.message.trimEnd()}\n`);
    process.exit(exitCode);
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [mode] = process.argv.slice(2);
  if (mode === '--contract') orExit(ensureContract);
  else if (mode === undefined) {
    const build = orExit(ensureBuild);
    handOut(build);
    process.stdout.write(`${build}\n`);
  }
  // `npm pack --json` has stdout for itself.
  else if (mode === '--package') process.stderr.write(`${orExit(buildPackage)}\n`);
  else {
    process.stderr.write('Usage: node scripts/build.mjs [--package | --contract]\n');
    process.exit(64);
  }
}

/**
 * Finds the compiled program behind a command and runs it in this process.
 *
 * In a checkout the build follows the sources (installed and built first if need be); an installed package carries one build.
 * Nothing here imports a program: each command reaches its own main file only.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function refuse(sentence, exitCode) {
  process.stderr.write(`${sentence}\n`);
  process.exit(exitCode);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  refuse(`killpoint needs Node 20.19 or newer; this is Node ${process.versions.node}.`, 64);
}

async function buildFolder() {
  if (!existsSync(join(root, 'tsconfig.build.json'))) return join(root, 'dist/package');
  const { ensureInstalledOrExit } = await import('../scripts/install.mjs');
  const { ensureBuild, orExit } = await import('../scripts/build.mjs');
  ensureInstalledOrExit();
  return orExit(ensureBuild, 70);
}

/** @param {string} main path of the program's main file in the build */
export async function launch(main) {
  checkNode();
  const path = join(await buildFolder(), main);
  if (!existsSync(path)) refuse(`This installation of killpoint is incomplete: ${main} is not in its build.`, 70);
  // The program sees itself as the script that was started, wherever the launcher lies.
  process.argv[1] = path;
  await import(pathToFileURL(path).href);
}

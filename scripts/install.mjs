/**
 * Installs what is missing, and decides cheaply that nothing is: the second start must not pay for the first.
 *
 * The stamp in `node_modules` names the lock file and the Node ABI of an installation (a native module of another ABI does not
 * load). Without a stamp, the list that npm keeps of what it installed decides, so that a tree made by `npm ci` is not made
 * again. Everything npm prints goes to stderr: stdout belongs to the command that was asked for.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = resolve(dirname(fileURLToPath(import.meta.url)), '..');

function wantedStamp(root) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  return `${lock} ${process.platform}-${process.arch}-${process.versions.modules}\n`;
}

/** Does npm's own list say that every package of the lock is installed in its version? Packages for other platforms may be absent. */
export function isInstalledPerNpm(root) {
  const installed = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  const { packages: present } = JSON.parse(readFileSync(installed, 'utf8'));
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(locked).every(
    ([path, entry]) => path === '' || entry.optional || entry.peer || present[path]?.version === entry.version,
  );
}

/** The npm that belongs to this Node; a shell is needed only where npm is a batch file. */
export function npm(args, options = {}) {
  const beside = [process.env.npm_execpath, join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')];
  const cli = beside.find((path) => path?.endsWith('npm-cli.js') && existsSync(path));
  const [command, before] = cli ? [process.execPath, [cli]] : ['npm', []];
  return spawnSync(command, [...before, ...args], { shell: !cli && process.platform === 'win32', ...options });
}

/** Returns whether it had to install. */
export function ensureInstalled(root = here) {
  const stampPath = join(root, 'node_modules/.killpoint-installed');
  const wanted = wantedStamp(root);
  const found = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : undefined;
  if (found === wanted) return false;
  const needed = found !== undefined || !isInstalledPerNpm(root);
  if (needed) {
    process.stderr.write('Installing packages (npm ci) …\n');
    const run = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
    if (run.error) throw run.error;
    if (run.status !== 0) throw new InstallError(`npm ci failed with exit code ${run.status}; see its output above.`);
  }
  writeFileSync(stampPath, wanted);
  return needed;
}

export class InstallError extends Error {
  code = 'install-failed';
}

/** Installs, or ends the command with one sentence. */
export function ensureInstalledOrExit() {
  try {
    return ensureInstalled();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(70);
  }
}

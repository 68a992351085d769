/**
 * Where this harness was compiled to, and what lies beside it: provider, verifier, watchdog, installed subjects.
 *
 * Everything that is spawned comes from the folder that holds this very file, so that one inventory (`build.json`) covers all
 * that ran. Paths in evidence are written relative to that folder.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Installation {
  /** The build folder: `harness/`, `runtime/`, `synthetic-provider/`, `verifier/` below it, compiled. */
  readonly build: string;
  /** The folder of killpoint's package.json. */
  readonly packageRoot: string;
  readonly provider: string;
  readonly verifier: string;
  readonly watchdog: string;
  readonly subjects: string;
}

export function installationAt(build: string): Installation {
  return {
    build,
    packageRoot: packageRootOf(build),
    provider: join(build, 'synthetic-provider', 'main.js'),
    verifier: join(build, 'verifier', 'cli', 'main.js'),
    watchdog: join(build, 'harness', 'process', 'watchdog.js'),
    subjects: join(build, 'runtime', 'subjects'),
  };
}

export function ownInstallation(): Installation {
  return installationAt(resolve(dirname(fileURLToPath(import.meta.url)), '..', '..'));
}

/** The checkout, if there is one: the package root with a git repository of its own. */
export function isCheckout(installation: Installation): boolean {
  return existsSync(join(installation.packageRoot, '.git'));
}

export function within(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from !== '..' && !from.startsWith(`..${sep}`) && !from.startsWith(sep);
}

function packageRootOf(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }).name === 'killpoint')
      return folder;
    if (folder === dirname(folder)) return start;
  }
}

/**
 * How a person calls this very program from the folder that they stand in: what the printed lines begin with.
 *
 * Only what really leads here is said: each name is followed to the launcher that it stands for, and one that leads to another killpoint, or
 * nowhere, is passed over. The launcher's own path always works.
 */
import { realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import type { Installation } from '../io/installation.js';
import { quoted } from '../report/command-line.js';

const name = 'killpoint';

export function ownCommand(
  { packageRoot }: Pick<Installation, 'packageRoot'>,
  from: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const launcher = join(packageRoot, 'bin', 'killpoint.js');
  const leadsHere = (path: string): boolean => targetOf(path) === targetOf(launcher);
  const { npm_command: npm = '', PATH: path = '', _: called = '' } = environment;
  if (npm === 'exec' && npxFinds(from, packageRoot, leadsHere)) return `npx ${name}`;
  // Below npm the search path is npm's own: the person's shell may find nothing there.
  if (npm === '') {
    const found = path.split(delimiter).find((folder) => folder !== '' && targetOf(join(folder, name)) !== null);
    if (found !== undefined && leadsHere(join(found, name))) return name;
    // Shells tell the program here by which path they found it.
    if (basename(called) === name && called.includes('/') && leadsHere(resolve(from, called))) return quoted(called);
  }
  return `node ${quoted(launcher)}`;
}

/** npx takes the program of the package that it stands in, else the nearest one that is installed above. */
function npxFinds(from: string, packageRoot: string, leadsHere: (path: string) => boolean): boolean {
  for (let folder = from; ; folder = dirname(folder)) {
    if (folder === packageRoot) return true;
    const installed = join(folder, 'node_modules', '.bin', name);
    if (targetOf(installed) !== null) return leadsHere(installed);
    if (folder === dirname(folder)) return false;
  }
}

/** Null where nothing is there, or nothing that can be followed. */
function targetOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

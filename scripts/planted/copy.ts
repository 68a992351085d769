/**
 * A copy of the sources in a folder of its own, and a patch applied and built there.
 *
 * Copied is what git lists, tracked or not ignored, as it lies in the working tree; packages are linked. One copy is prepared (with the code
 * that is generated from the schemas) and copied again for each patch, so that no patch meets another. git is told to look for no repository
 * around the copy: inside one, `git apply` skips paths in silence. What judges (verifier, contract, plans, scripts) may not be patched.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { demand } from '../ci/shared.js';

const judges = ['verifier/', 'evidence/', 'preregistrations/', 'scripts/'];

/** Copies the sources of `root` into `folder`, which must not be there yet. */
export function prepareCopy(root: string, folder: string): void {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.', ':!evidence/kept', ':!node_modules'];
  const listed = demand(0, 'git', args, { cwd: root }).stdout.split('\0').filter(Boolean);
  for (const path of new Set(listed)) {
    // Listed and gone: deleted in the working tree.
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  demand(0, process.execPath, ['scripts/build.mjs', '--contract'], { cwd: folder });
}

const isOfJudge = (path: string): boolean => judges.some((judge) => path.startsWith(judge));

/** Applies a patch to a copy; throws a sentence where it does not apply or patches what judges. */
export function applyPatch(folder: string, patch: string, isJudge = isOfJudge): void {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder), GIT_DIR: undefined, GIT_WORK_TREE: undefined };
  const git = (...args: string[]) => spawnSync('git', ['apply', ...args, patch], { cwd: folder, env, encoding: 'utf8' });
  const { stdout, stderr, status } = git('--numstat');
  const reason = (text: string): string => text.trim().split('\n')[0] ?? '';
  if (status !== 0) throw new Error(`It is no patch (${reason(stderr)}).`);
  const touched = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t')[2] ?? '');
  const wrong = touched.filter(isJudge);
  if (wrong.length > 0) throw new Error(`It patches what judges: ${wrong.join(', ')}.`);
  const applied = git();
  if (applied.status !== 0)
    throw new Error(`It no longer applies (${reason(applied.stderr)}). Make it anew against the present sources, or remove it.`);
}

/** Builds a copy by its own build script; returns the folder of the build. */
export function buildCopy(folder: string): string {
  return demand(0, process.execPath, ['scripts/build.mjs'], { cwd: folder }).stdout.trim();
}

/**
 * Reads a git repository: never writes to it, never through a shell.
 *
 * A clean `git status` is not enough: files under `assume-unchanged` or `skip-worktree` are hidden from it, so the flags are
 * looked for and the bytes of plan, schemas and sources are hashed and compared with HEAD. No filter is applied: what ran are the
 * bytes on disk. Neither the caller's `GIT_*` variables (a hook sets them; they name another repository) nor a file system
 * monitor (whose word git would take for the tree) have a say.
 */
import { execa } from 'execa';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { codeOf, HarnessError } from '../errors.js';

export interface Repository {
  readonly root: string;
}

function optionsOfGit() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return { extendEnv: false, env: { ...env, LC_ALL: 'C' } } as const;
}

const always = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false'];

async function git(root: string, args: readonly string[], input?: string): Promise<string> {
  try {
    const { stdout } = await execa('git', ['-C', root, ...always, ...args], {
      ...optionsOfGit(),
      stripFinalNewline: false,
      ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    throw new HarnessError('git-failed', `git could not read the repository ${root}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What git said, in one line; where it said nothing, why it could not. */
function reasonOf(error: unknown): string {
  const { stderr, shortMessage } = error as { stderr?: string; shortMessage?: string };
  if (codeOf(error) === 'ENOENT') return 'there is no git here';
  return (stderr ?? '').trim().split('\n')[0] || (shortMessage ?? String(error));
}

/** The repository around a path, or null: no git, no repository, or one without a commit. */
export async function repositoryOf(path: string): Promise<Repository | null> {
  const found = await findRepository(path);
  return 'root' in found ? found : null;
}

/** The same, with the reason where there is none. */
export async function findRepository(path: string): Promise<Repository | { readonly why: string }> {
  const folder = existsSync(path) ? dirname(realpathSync(path)) : path;
  try {
    const root = (await git(folder, ['rev-parse', '--show-toplevel'])).replace(/\n$/, '');
    await git(root, ['rev-parse', '--verify', 'HEAD^{commit}']);
    return { root };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { why: reasonOf(error.cause) };
  }
}

export async function headOf({ root }: Repository): Promise<{ commit: string; tree: string }> {
  const [commit = '', tree = ''] = (await git(root, ['rev-parse', 'HEAD', 'HEAD^{tree}'])).trim().split('\n');
  return { commit, tree };
}

/** Everything that keeps the tree from being clean, as lines for a person; empty when it is. */
export async function blemishes(repository: Repository, compared: readonly string[]): Promise<string[]> {
  const status = (
    await git(repository.root, ['status', '--porcelain', '-z', '--untracked-files=all', '--ignore-submodules=none'])
  )
    .split('\0')
    .filter(Boolean)
    .map((line) => `${line.slice(3)} (${line.startsWith('??') ? 'untracked' : 'changed'})`);
  const flagged = (await git(repository.root, ['ls-files', '-v', '-z']))
    .split('\0')
    .filter((line) => /^[a-zS] /.test(line))
    .map((line) => `${line.slice(2)} (flagged ${line.startsWith('S') ? 'skip-worktree' : 'assume-unchanged'})`);
  const known = new Set([...status, ...flagged].map((line) => line.replace(/ \([^(]*\)$/, '')));
  const differing = (await differingFrom(repository, compared))
    .filter((path) => !known.has(path))
    .map((path) => `${path} (not as in HEAD)`);
  return [...status, ...flagged, ...differing];
}

async function differingFrom({ root }: Repository, compared: readonly string[]): Promise<string[]> {
  const listed = (await git(root, ['ls-tree', '-r', '-z', 'HEAD', '--', ...compared]))
    .split('\0')
    .map((line) => /^100[0-9]{3} blob ([0-9a-f]+)\t(.*)$/s.exec(line))
    .filter((match) => match !== null)
    .map(([, blob = '', path = '']) => ({ blob, path }));
  // A name with a line feed cannot be handed over by this list; it counts as differing.
  const present = listed.filter(({ path }) => !path.includes('\n') && isPlainFile(join(root, path)));
  const hashes = (
    await git(root, ['hash-object', '--no-filters', '--stdin-paths'], present.map(({ path }) => `${path}\n`).join(''))
  ).split('\n');
  const missing = listed.filter(({ path }) => path.includes('\n') || !isPlainFile(join(root, path)));
  return [...missing, ...present.filter(({ blob }, index) => hashes[index] !== blob)].map(({ path }) => path);
}

function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Files that git was told not to see, in folders from which everything is compiled: they would be part of what runs. */
export async function ignoredSources({ root }: Repository, compared: readonly string[]): Promise<string[]> {
  const listed = await git(root, ['ls-files', '--others', '--ignored', '--exclude-standard', '-z', '--', ...compared]);
  // `contract/` is generated from tracked files by the build.
  return listed
    .split('\0')
    .filter((path) => /\.(ts|json|mjs)$/.test(path) && !/^[^/]+\/contract\/|(^|\/)node_modules\//.test(path))
    .map((path) => `${path} (ignored by git, but a source)`);
}

/** The plan's path in the repository and its blob in HEAD; null where HEAD does not have it. */
export async function blobOf({ root }: Repository, file: string): Promise<{ path: string; blob: string } | null> {
  const path = relative(realpathSync(root), realpathSync(file));
  const line = await git(root, ['ls-tree', '-z', 'HEAD', '--', path]);
  const blob = /^100[0-9]{3} blob ([0-9a-f]+)\t/.exec(line)?.[1];
  return blob === undefined ? null : { path, blob };
}

export async function isIgnored({ root }: Repository, path: string): Promise<boolean> {
  const { exitCode } = await execa('git', ['-C', root, ...always, 'check-ignore', '-q', '--', path], {
    ...optionsOfGit(),
    reject: false,
    stdin: 'ignore',
  });
  return exitCode === 0;
}

/** Raw objects with their headers: the commit, and each tree on the way to the plan. A reader can hash them again and follow the names. */
export async function objectsTo({ root }: Repository, commit: string, planPath: string): Promise<Map<string, Buffer>> {
  const objects = new Map<string, Buffer>();
  objects.set(commit, await rawObject(root, 'commit', commit));
  let tree = (await git(root, ['rev-parse', `${commit}^{tree}`])).trim();
  const folders = planPath.split('/').slice(0, -1);
  for (const [depth, folder] of [...folders, null].entries()) {
    objects.set(tree, await rawObject(root, 'tree', tree));
    if (folder !== null) tree = (await git(root, ['rev-parse', `${commit}:${folders.slice(0, depth + 1).join('/')}`])).trim();
  }
  return objects;
}

async function rawObject(root: string, type: 'commit' | 'tree', id: string): Promise<Buffer> {
  const { stdout } = await execa('git', ['-C', root, ...always, 'cat-file', type, id], {
    ...optionsOfGit(),
    encoding: 'buffer',
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  return Buffer.concat([Buffer.from(`${type} ${stdout.length}\0`), stdout]);
}

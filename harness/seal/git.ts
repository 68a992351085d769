/**
 * Reads a git repository: never writes to it, never through a shell.
 *
 * A clean `git status` is not enough: files under `assume-unchanged` or `skip-worktree` are hidden from it, so the flags are
 * looked for and the bytes of plan, schemas and sources are hashed and compared with HEAD. No filter is applied: what ran are the
 * bytes on disk.
 */
import { execa } from 'execa';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export interface Repository {
  readonly root: string;
}

async function git(root: string, args: readonly string[], input?: string): Promise<string> {
  const { stdout } = await execa('git', ['-C', root, '--no-optional-locks', ...args], {
    stripFinalNewline: false,
    env: { LC_ALL: 'C' },
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}

/** The repository around a path, or null: no git, no repository, or one without a commit. */
export async function repositoryOf(path: string): Promise<Repository | null> {
  const folder = existsSync(path) ? dirname(realpathSync(path)) : path;
  try {
    const root = (await git(folder, ['rev-parse', '--show-toplevel'])).trim();
    await git(root, ['rev-parse', '--verify', 'HEAD^{commit}']);
    return { root };
  } catch {
    return null;
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
  const present = listed.filter(({ path }) => existsSync(join(root, path)));
  const hashes = (
    await git(root, ['hash-object', '--no-filters', '--stdin-paths'], present.map(({ path }) => `${path}\n`).join(''))
  ).split('\n');
  const missing = listed.filter(({ path }) => !existsSync(join(root, path)));
  return [...missing, ...present.filter(({ blob }, index) => hashes[index] !== blob)].map(({ path }) => path);
}

/** The plan's path in the repository and its blob in HEAD; null where HEAD does not have it. */
export async function blobOf({ root }: Repository, file: string): Promise<{ path: string; blob: string } | null> {
  const path = relative(realpathSync(root), realpathSync(file));
  const line = await git(root, ['ls-tree', '-z', 'HEAD', '--', path]);
  const blob = /^100[0-9]{3} blob ([0-9a-f]+)\t/.exec(line)?.[1];
  return blob === undefined ? null : { path, blob };
}

export async function isIgnored({ root }: Repository, path: string): Promise<boolean> {
  const { exitCode } = await execa('git', ['-C', root, 'check-ignore', '-q', '--', path], { reject: false, stdin: 'ignore' });
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
  const { stdout } = await execa('git', ['-C', root, 'cat-file', type, id], {
    encoding: 'buffer',
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  return Buffer.concat([Buffer.from(`${type} ${stdout.length}\0`), stdout]);
}

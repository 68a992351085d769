/**
 * The standing of a run in real repositories: a tree that is not clean, a repository that is not what it seems.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installationAt, type Installation } from '../io/installation.js';
import { runPlan } from '../run.js';
import { builtInstallation, readJson, requestFor, temporaryFolder, toyPlan } from '../testing/plans.js';
import { git, refusalOf } from '../testing/repositories.js';
import { blemishes, repositoryOf } from './git.js';
import { standingOf } from './standing.js';

let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

describe('a confirmatory run', () => {
  /** A repository that holds a plan, and killpoint as an installed package elsewhere. */
  const repository = (name: string): { root: string; plan: string } => {
    const root = join(folder.path, name);
    mkdirSync(join(root, 'plans', 'deep'), { recursive: true });
    git(root, 'init', '-q');
    const plan = join(root, 'plans', 'deep', 'toy.json');
    writeFileSync(plan, `${JSON.stringify(toyPlan())}\n`);
    writeFileSync(join(root, '.gitignore'), 'runs/\n');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'plan');
    return { root, plan };
  };
  const packaged = (): Installation => {
    const root = join(folder.path, 'installed');
    if (!existsSync(root)) {
      cpSync(installation.build, join(root, 'dist', 'package'), { recursive: true });
      cpSync(join(installation.packageRoot, 'package.json'), join(root, 'package.json'));
    }
    return installationAt(join(root, 'dist', 'package'));
  };
  const standing = (plan: string, root: string) => standingOf(plan, join(root, 'runs'), null, packaged());

  it('from a clean tree holds the objects that lead from the commit to the plan', async () => {
    const { root, plan } = repository('clean');
    const { confirmatory, objects, plan: named, atEnd } = await standing(plan, root);
    expect(confirmatory).toBe(true);
    const blob = git(root, 'rev-parse', 'HEAD:plans/deep/toy.json').trim();
    expect(named).toEqual({ path: 'plans/deep/toy.json', git_blob: blob });
    for (const [id, bytes] of objects) expect(createHash('sha1').update(bytes).digest('hex')).toBe(id);
    const ids = ['HEAD', 'HEAD^{tree}', 'HEAD:plans', 'HEAD:plans/deep'].map((name) => git(root, 'rev-parse', name).trim());
    expect([...objects.keys()]).toEqual(ids);
    expect(objects.get(ids[3] ?? '')?.includes(Buffer.from(blob, 'hex'))).toBe(true);
    expect(await atEnd()).toMatchObject({ commit: ids[0], tree: ids[1], clean_at_start: true, clean_at_end: true });
  });

  it('notices a tree that got dirty, or another commit, before the end', async () => {
    const { root, plan } = repository('moving');
    const { atEnd } = await standing(plan, root);
    writeFileSync(join(root, 'new.txt'), '');
    expect(await atEnd()).toMatchObject({ clean_at_start: true, clean_at_end: false });
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'more');
    expect(await atEnd()).toMatchObject({ clean_at_end: false });
  });

  it.each<[string, RegExp, (root: string, plan: string) => void]>([
    ['a changed plan', /^plans\/deep\/toy\.json \(changed\)$/, (_root, plan) => appendFileSync(plan, ' \n')],
    ['an untracked file', /^stray \(untracked\)$/, (root) => writeFileSync(join(root, 'stray'), '')],
    [
      'a change hidden by assume-unchanged',
      /^plans\/deep\/toy\.json \(flagged assume-unchanged\)$/,
      (root, plan) => {
        git(root, 'update-index', '--assume-unchanged', plan);
        appendFileSync(plan, ' \n');
      },
    ],
    [
      'a change hidden by skip-worktree',
      /^plans\/deep\/toy\.json \(flagged skip-worktree\)$/,
      (root, plan) => {
        git(root, 'update-index', '--skip-worktree', plan);
        appendFileSync(plan, ' \n');
      },
    ],
  ])('is refused with %s, naming it and the ways on', async (name, line, spoil) => {
    const { root, plan } = repository(name.replaceAll(' ', '-'));
    spoil(root, plan);
    const error = await refusalOf(standing(plan, root));
    expect([error.code, error.exitCode]).toEqual(['tree-dirty', 64]);
    expect(error.message).toMatch(/Commit what is listed, or run with --exploratory/);
    expect(error.items).toEqual([expect.stringMatching(line)]);
  });

  it('sees bytes that differ from HEAD although git calls the tree clean', async () => {
    const { root, plan } = repository('filtered');
    writeFileSync(join(root, '.gitattributes'), '*.json text eol=lf\n');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'attributes');
    writeFileSync(plan, readFileSync(plan, 'utf8').replace('\n', '\r\n'));
    git(root, 'add', '.');
    const found = await blemishes((await repositoryOf(plan))!, [plan]);
    expect(found).toEqual(['plans/deep/toy.json (not as in HEAD)']);
  });

  it('is not led astray by the variables of a git hook, nor by a plan that is reached through links', async () => {
    const { root, plan } = repository('hooked');
    const other = repository('other');
    writeFileSync(join(other.root, 'stray'), '');
    symlinkSync(root, join(folder.path, 'linked-root'));
    symlinkSync(plan, join(folder.path, 'linked-plan.json'));
    process.env.GIT_DIR = join(other.root, '.git');
    process.env.GIT_WORK_TREE = other.root;
    try {
      for (const path of [join(folder.path, 'linked-root', 'plans', 'deep', 'toy.json'), join(folder.path, 'linked-plan.json')])
        expect((await standing(path, root)).plan.path).toBe('plans/deep/toy.json');
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_WORK_TREE;
    }
  });

  it('does not take the word of a file system monitor that nothing changed', async () => {
    const { root, plan } = repository('monitored');
    writeFileSync(join(root, 'monitor'), '#!/bin/sh\nprintf "token\\0"\n', { mode: 0o755 });
    writeFileSync(join(root, '.git', 'info', 'exclude'), 'monitor\n');
    git(root, 'config', 'core.fsmonitor', join(root, 'monitor'));
    git(root, 'status');
    writeFileSync(join(root, '.gitignore'), 'runs/\n# changed\n');
    expect((await refusalOf(standing(plan, root))).items).toEqual(['.gitignore (changed)']);
  });

  it('is refused in one sentence without git, and in a repository without a commit', async () => {
    const { root, plan } = repository('gitless');
    const path = process.env.PATH;
    process.env.PATH = '/nonexistent';
    try {
      expect((await refusalOf(standing(plan, root))).message).toMatch(
        /\(there is no git here\)\. Commit it there, or run with --exploratory/,
      );
    } finally {
      process.env.PATH = path;
    }
    const unborn = join(folder.path, 'unborn');
    mkdirSync(unborn);
    git(unborn, 'init', '-q');
    writeFileSync(join(unborn, 'p.json'), '{}');
    expect((await refusalOf(standing(join(unborn, 'p.json'), unborn))).message).toMatch(
      /^No git repository with a commit was found/,
    );
  });

  it.each<[string, (root: string) => void]>([
    ['a detached HEAD', (root) => git(root, 'checkout', '-q', '--detach')],
    ['a name that needs quoting', (root) => git(root, 'mv', 'plans/deep/toy.json', 'plans/deep/tö y"*.json')],
  ])('stands with %s', async (name, change) => {
    const { root } = repository(name.replaceAll(' ', '-'));
    change(root);
    git(root, 'commit', '-q', '--allow-empty', '-m', 'change');
    const plan = join(root, 'plans', 'deep', readdirSync(join(root, 'plans', 'deep'))[0] ?? '');
    expect(await (await standing(plan, root)).atEnd()).toMatchObject({ clean_at_end: true });
    const linked = `${root}-worktree`;
    git(root, 'worktree', 'add', '-q', '--detach', linked);
    expect((await standing(join(linked, 'plans', 'deep', basename(plan)), linked)).confirmatory).toBe(true);
  });

  it('is refused outside a repository, for a plan that HEAD does not have, and for an --out that would dirty the tree', async () => {
    const loose = join(folder.path, 'loose');
    mkdirSync(loose);
    writeFileSync(join(loose, 'p.json'), '{}');
    expect((await refusalOf(standing(join(loose, 'p.json'), loose))).message).toMatch(
      /^No git repository with a commit was found around the plan .* \(fatal: not a git repository/,
    );
    const { root, plan } = repository('ignoring');
    const ignored = join(root, 'runs', 'p.json');
    mkdirSync(join(root, 'runs'));
    writeFileSync(ignored, '{}');
    expect((await refusalOf(standing(ignored, root))).items).toEqual([`${ignored} (not in HEAD)`]);
    expect((await refusalOf(standingOf(plan, join(root, 'results'), null, packaged()))).message).toMatch(/is not ignored by git/);
  });

  it('runs from an installed package to a bundle that says so', async () => {
    const { root, plan } = repository('whole');
    const result = await runPlan({
      ...requestFor(toyPlan(), folder.path, packagedWithModules()),
      planFile: plan,
      out: join(root, 'runs'),
      exploratory: false,
    });
    expect(result).toMatchObject({ confirmatory: true, voids: [] });
    const execution = readJson(result.bundle, 'data', 'execution.json');
    expect(execution).toMatchObject({
      confirmatory: true,
      exploratory_reason: null,
      git: { clean_at_start: true, clean_at_end: true },
    });
    expect(readdirSync(join(result.bundle, 'data', 'git')).sort()).toHaveLength(4);
  });

  /** The packages that a real installation would have beside it. */
  function packagedWithModules(): Installation {
    const there = packaged();
    if (!existsSync(join(there.packageRoot, 'node_modules')))
      execFileSync('ln', ['-s', join(installation.packageRoot, 'node_modules'), join(there.packageRoot, 'node_modules')]);
    return there;
  }
});

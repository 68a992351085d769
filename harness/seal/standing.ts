/**
 * The standing of a run: confirmatory, or exploratory with its reason.
 *
 * Confirmatory means: plan, schemas and sources are those of a named commit, the tree is clean without exemption, the build is made of that
 * tree, and all of it still holds at the end. Anything less is refused with the ways on, never quietly turned into the weaker thing.
 */
import { execa } from 'execa';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Execution } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import { type Installation, isCheckout, within } from '../io/installation.js';
import { blemishes, blobOf, headOf, isIgnored, objectsTo, type Repository, repositoryOf } from './git.js';

/** Compared byte for byte with HEAD, beyond what `git status` says. */
const comparedInCheckout = [
  'runtime',
  'synthetic-provider',
  'harness',
  'verifier',
  'evidence/schema',
  'preregistrations',
  'scripts',
  'package.json',
  'package-lock.json',
];

export interface Standing {
  readonly confirmatory: boolean;
  readonly reason: string | null;
  readonly plan: { path: string | null; git_blob: string | null };
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Looks again and answers what belongs in the execution record. */
  atEnd(): Promise<Execution['git']>;
}

export async function standingOf(
  planFile: string,
  out: string,
  reason: string | null,
  installation: Installation,
): Promise<Standing> {
  const repository = await repositoryOf(planFile);
  const named = repository === null ? null : await blobOf(repository, planFile);
  if (reason === null) {
    await demandConfirmatory(planFile, out, repository, named, installation);
  }
  if (repository === null) {
    return {
      confirmatory: false,
      reason,
      plan: { path: null, git_blob: null },
      objects: new Map(),
      atEnd: () => Promise.resolve(null),
    };
  }
  const head = await headOf(repository);
  const compared = [planFile];
  const cleanAtStart = reason === null || (await blemishes(repository, compared)).length === 0;
  return {
    confirmatory: reason === null,
    reason,
    plan: { path: named?.path ?? null, git_blob: named?.blob ?? null },
    objects: named === null ? new Map() : await objectsTo(repository, head.commit, named.path),
    atEnd: async () => {
      const now = await headOf(repository);
      const clean = now.commit === head.commit && (await blemishes(repository, compared)).length === 0;
      return { ...head, clean_at_start: cleanAtStart, clean_at_end: clean };
    },
  };
}

async function demandConfirmatory(
  planFile: string,
  out: string,
  repository: Repository | null,
  named: { path: string } | null,
  installation: Installation,
): Promise<void> {
  const ways = 'Commit what is listed, or run with --exploratory, which the bundle will say.';
  if (repository === null) {
    throw new HarnessError(
      'tree-dirty',
      `The plan ${planFile} lies in no git repository with a commit, so nothing can say when it was written. ${ways}`,
    );
  }
  const found = await blemishes(repository, [planFile]);
  if (named === null) found.push(`${planFile} (not in HEAD)`);
  if (isCheckout(installation)) {
    const checkout = await repositoryOf(join(installation.packageRoot, 'package.json'));
    if (checkout === null) found.push(`${installation.packageRoot} (has no commit)`);
    else found.push(...(await blemishes(checkout, comparedInCheckout)));
  }
  const items = [...new Set(found)].sort();
  if (items.length > 0)
    throw new HarnessError('tree-dirty', `The tree is not clean, so this cannot be a confirmatory run. ${ways}`, { items });
  if (isCheckout(installation)) await demandPresentBuild(installation);
  await demandIgnoredOut(out, repository);
}

/** The build must be that of the present sources. The build script answers with their folder, and builds it if it is not there. */
async function demandPresentBuild(installation: Installation): Promise<void> {
  const { stdout } = await execa(process.execPath, [join(installation.packageRoot, 'scripts', 'build.mjs')], { stdin: 'ignore' });
  if (realpathSync(stdout.trim()) !== realpathSync(installation.build)) {
    throw new HarnessError(
      'build-altered',
      `${installation.build} is not the build of the present sources (${stdout.trim()} is). Start killpoint by bin/killpoint.js.`,
    );
  }
}

/** A bundle that dirties the tree would make its own end dirty. */
async function demandIgnoredOut(out: string, repository: Repository): Promise<void> {
  let folder = out;
  while (!existsSync(folder)) folder = dirname(folder);
  const real = join(realpathSync(folder), out.slice(folder.length));
  if (within(realpathSync(repository.root), real) && !(await isIgnored(repository, join(real, 'any')))) {
    throw new HarnessError(
      'usage',
      `${out} lies in the repository of the plan and is not ignored by git: the run would dirty its own tree. Choose another --out.`,
    );
  }
}

/**
 * The standing of a run: confirmatory, or exploratory with its reason.
 *
 * Confirmatory means: plan, schemas and sources are those of a named commit, the tree is clean without exemption, the build is made of that
 * tree, and all of it still holds at the end. Anything less is refused with the ways on, never quietly turned into the weaker thing.
 */
import { execa } from 'execa';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Execution } from '../contract/types.js';
import { HarnessError } from '../errors.js';
import { type Installation, isCheckout, within } from '../io/installation.js';
import { nearestExisting } from '../io/out.js';
import {
  blemishes,
  blobOf,
  findRepository,
  headOf,
  ignoredSources,
  isIgnored,
  objectsTo,
  type Repository,
  repositoryOf,
} from './git.js';

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
  const found = await findRepository(planFile);
  const repository = 'root' in found ? found : null;
  const named = repository === null ? null : await blobOf(repository, planFile);
  if (reason === null) await demandConfirmatory(planFile, out, found, named, installation);
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
  const compared = named === null ? [] : [named.path];
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
  repository: Awaited<ReturnType<typeof findRepository>>,
  named: { path: string } | null,
  installation: Installation,
): Promise<void> {
  const ways = 'Commit what is listed, or run with --exploratory, which the bundle will say.';
  if ('why' in repository) {
    throw new HarnessError(
      'tree-dirty',
      `No git repository with a commit was found around the plan ${planFile} (${repository.why}). Commit it there, or run with --exploratory, which the bundle will say.`,
    );
  }
  const found = await blemishes(repository, named === null ? [] : [named.path]);
  if (named === null) found.push(`${planFile} (not in HEAD)`);
  if (isCheckout(installation)) {
    const checkout = await repositoryOf(join(installation.packageRoot, 'package.json'));
    if (checkout === null) found.push(`${installation.packageRoot} (has no commit)`);
    else found.push(...(await blemishes(checkout, comparedInCheckout)), ...(await ignoredSources(checkout, comparedInCheckout)));
  }
  const items = [...new Set(found)].sort();
  if (items.length > 0)
    throw new HarnessError('tree-dirty', `The tree is not clean, so this cannot be a confirmatory run. ${ways}`, { items });
  if (isCheckout(installation)) await demandPresentBuild(installation);
  await demandIgnoredOut(out, repository);
}

/** The build must be that of the present sources. The build script answers with their folder, and builds it if it is not there. */
async function demandPresentBuild(installation: Installation): Promise<void> {
  const script = join(installation.packageRoot, 'scripts', 'build.mjs');
  const { stdout, stderr, failed } = await execa(process.execPath, [script], { stdin: 'ignore', reject: false });
  if (failed) {
    const items = stderr.split('\n').filter(Boolean).slice(0, 10);
    throw new HarnessError('build-missing', 'The present sources do not build, so no run can be of them.', { items });
  }
  if (realpathSync(stdout.trim()) !== realpathSync(installation.build)) {
    throw new HarnessError(
      'build-altered',
      `${installation.build} is not the build of the present sources (${stdout.trim()} is). Start killpoint by bin/killpoint.js.`,
    );
  }
}

/** A bundle that dirties the tree would make its own end dirty. */
async function demandIgnoredOut(out: string, repository: Repository): Promise<void> {
  const folder = nearestExisting(out);
  const real = join(realpathSync(folder), out.slice(folder.length));
  if (within(realpathSync(repository.root), real) && !(await isIgnored(repository, join(real, 'any')))) {
    throw new HarnessError(
      'usage',
      `${out} lies in the repository of the plan and is not ignored by git: the run would dirty its own tree. Choose another --out.`,
    );
  }
}

/**
 * What may run: the build of the present sources, whole and as its inventory lists it, and no other.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HarnessError } from '../errors.js';
import { installationAt, type Installation } from '../io/installation.js';
import { builtInstallation, temporaryFolder, toyPlan } from '../testing/plans.js';
import { git, refusalOf } from '../testing/repositories.js';
import { checkBuild } from './build.js';
import { standingOf } from './standing.js';

let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

describe('a checkout', () => {
  /** A clone with a build script that answers what a test wants: what is under test is who believes it. */
  const checkout = (name: string, script: string): { plan: string; there: Installation } => {
    const root = join(folder.path, name);
    mkdirSync(join(root, 'scripts'), { recursive: true });
    mkdirSync(join(root, 'harness'));
    cpSync(installation.build, join(root, 'dist', 'old'), { recursive: true });
    writeFileSync(join(root, 'package.json'), '{"name":"killpoint","type":"module"}');
    writeFileSync(join(root, 'scripts', 'build.mjs'), script);
    writeFileSync(join(root, '.gitignore'), 'dist/\nruns/\nharness/planted.ts\nharness/contract/\n');
    writeFileSync(join(root, 'plan.json'), `${JSON.stringify(toyPlan())}\n`);
    git(root, 'init', '-q');
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'all');
    return { plan: join(root, 'plan.json'), there: installationAt(join(root, 'dist', 'old')) };
  };
  const saysNew = `import { mkdirSync } from 'node:fs';
    const made = new URL('../dist/new', import.meta.url);
    mkdirSync(made, { recursive: true });
    console.log(made.pathname);`;
  const standing = ({ plan, there }: ReturnType<typeof checkout>) =>
    standingOf(plan, join(there.packageRoot, 'runs'), null, there);

  it('runs only the build of its present sources: an older one is refused', async () => {
    const error = await refusalOf(standing(checkout('stale', saysNew)));
    expect([error.code, error.exitCode]).toEqual(['build-altered', 64]);
    expect(error.message).toMatch(/dist\/old is not the build of the present sources \(.*dist\/new is\)\. Start killpoint by/);
  });

  it('whose sources do not build is refused, with what the compiler said', async () => {
    const error = await refusalOf(standing(checkout('broken', `console.error('a.ts(1,1): error'); process.exit(1);`)));
    expect([error.code, error.items]).toEqual(['build-missing', ['a.ts(1,1): error']]);
  });

  it('with a source that git was told to ignore is refused: the build would hold it, HEAD does not', async () => {
    const made = checkout('ignoring-sources', `console.log(new URL('../dist/old', import.meta.url).pathname);`);
    expect((await standing(made)).confirmatory).toBe(true);
    mkdirSync(join(made.there.packageRoot, 'harness', 'contract'));
    writeFileSync(join(made.there.packageRoot, 'harness', 'contract', 'types.ts'), '');
    writeFileSync(join(made.there.packageRoot, 'harness', 'planted.ts'), '');
    expect((await refusalOf(standing(made))).items).toEqual(['harness/planted.ts (ignored by git, but a source)']);
  });
});

describe('the build', () => {
  it('is refused when a file is altered, missing or not listed, or when nothing says what it is', () => {
    const copy = join(folder.path, 'build-copy');
    cpSync(installation.build, copy, { recursive: true });
    expect(checkBuild(installationAt(copy)).facts.files).toBeGreaterThan(50);
    appendFileSync(join(copy, 'harness', 'run.js'), '\n');
    writeFileSync(join(copy, 'harness', 'planted.js'), '');
    execFileSync('rm', [join(copy, 'harness', 'verdict.js')]);
    try {
      checkBuild(installationAt(copy));
      expect.unreachable();
    } catch (error) {
      expect((error as HarnessError).items).toEqual([
        'harness/planted.js (not listed)',
        'harness/run.js (altered or missing)',
        'harness/verdict.js (altered or missing)',
      ]);
    }
    execFileSync('rm', [join(copy, 'build.json')]);
    expect(() => checkBuild(installationAt(copy))).toThrow(/cannot say what it is made of/);
  });
});

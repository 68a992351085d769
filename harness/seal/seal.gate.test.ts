/**
 * Sealing where it goes wrong: a disk that fills up at any moment leaves one sentence and a partial folder, never a bundle.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HarnessError } from '../errors.js';
import type { Installation } from '../io/installation.js';
import { runPlan } from '../run.js';
import type { RunRequest } from '../prepare.js';
import { builtInstallation, requestFor, temporaryFolder, toyPlan } from '../testing/plans.js';

let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

async function refusalOf(work: Promise<unknown>): Promise<HarnessError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof HarnessError)) throw new Error(`A refusal was expected, not ${String(error)}.`);
  return error;
}

/** Mounting needs root; elsewhere this would test nothing, so it says that it was skipped. */
const canMount = process.getuid?.() === 0;

describe.runIf(canMount)('a full disk', () => {
  const mounted: string[] = [];
  const smallDisk = (name: string, size: string): string => {
    const path = join(folder.path, name);
    mkdirSync(path);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'killpoint-test', path]);
    mounted.push(path);
    return path;
  };
  afterAll(() => mounted.forEach((path) => execFileSync('umount', [path])));

  it.each(['1k', '16k', '64k', '128k'])(
    'of %s ends the run with one sentence, keeps the partial folder and makes no bundle',
    async (spare) => {
      const out = smallDisk(`disk-${spare}`, '4m');
      // Ballast leaves exactly the spare room, whatever the file system takes for itself.
      const { bavail, bsize } = statfsSync(out);
      writeFileSync(join(out, 'ballast'), Buffer.alloc(bavail * bsize - Number(spare.replace('k', '')) * 1024));
      const error = await refusalOf(runPlan(requestFor(toyPlan(), folder.path, installation, { out })));
      expect(error.message).toMatch(
        /^The (run could not be recorded|bundle could not be sealed) \(no space left on the device\); what was recorded is in .*\.partial\.$/,
      );
      expect(error.exitCode).toBe(2);
      const left = existsSync(join(out, 'toy-plan')) ? readdirSync(join(out, 'toy-plan')) : [];
      for (const name of left) expect(name).toMatch(/\.partial$/);
    },
  );

  it('is noticed while sealing too: then the record is whole, and still no bundle appears', async () => {
    const out = smallDisk('disk-seal', '4m');
    const fill = (): void => {
      const { bavail, bsize } = statfsSync(out);
      writeFileSync(join(out, 'ballast'), Buffer.alloc(bavail * bsize));
    };
    const { publishBag } = await import('./bag.js');
    const partial = join(out, 'run.partial');
    mkdirSync(join(partial, 'bag', 'data'), { recursive: true });
    writeFileSync(join(partial, 'bag', 'data', 'plan.json'), '{}\n');
    fill();
    expect(() => publishBag(partial, join(out, 'run'), 'run', '2026-01-01')).toThrow(
      /^The bundle could not be sealed \(no space left on the device\); what was recorded is in .*run\.partial\.$/,
    );
    expect(readdirSync(out).sort()).toEqual(['ballast', 'run.partial']);
  });

  it('work files that cannot be cleared away take nothing from a bundle that is there', async () => {
    const out = join(folder.path, 'busy');
    mkdirSync(out);
    const progress: RunRequest['progress'] = ({ what, snapshot }) => {
      if (what !== 'done' || snapshot !== null || mounted.some((path) => path.startsWith(out))) return;
      const partial = readdirSync(join(out, 'toy-plan'))[0] ?? '';
      const path = join(out, 'toy-plan', partial, 'work', 'busy');
      mkdirSync(path);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'killpoint-test', path]);
      mounted.push(path);
    };
    const { bundle, runId } = await runPlan(requestFor(toyPlan(), folder.path, installation, { out, progress }));
    expect(readdirSync(join(out, 'toy-plan')).sort()).toEqual([runId, `${runId}.partial`]);
    expect(existsSync(join(bundle, 'tagmanifest-sha256.txt'))).toBe(true);
  });
});

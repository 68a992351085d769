/**
 * Kept evidence is in git, whole and as bytes.
 *
 * A global ignore rule can swallow a file of a bundle without a word, and a line-end conversion breaks every hash: so git itself
 * is asked what it tracks and what it would convert.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keptBundles } from './kept.js';

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 26 });
const kept = 'evidence/kept';

function bundles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  if (existsSync(join(folder, 'bagit.txt'))) return [folder];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? bundles(join(folder, entry.name)) : [],
  );
}

function listedFiles(bundle: string): string[] {
  const payload = readFileSync(join(bundle, 'manifest-sha256.txt'), 'utf8').trimEnd().split('\n');
  const paths = payload.map((line) => line.slice(66));
  return [...paths, 'bagit.txt', 'bag-info.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt'].map(
    (path) => `${bundle}/${path}`,
  );
}

describe('kept evidence', () => {
  it('is there', () => {
    expect(bundles(kept).length).toBeGreaterThan(0);
    expect(keptBundles().toSorted()).toEqual(bundles(kept).toSorted());
  });

  it.each(bundles(kept))('%s: git tracks exactly the files of its manifest', (bundle) => {
    const tracked = git('ls-files', '-z', '--', bundle).split('\0').filter(Boolean);
    expect(tracked.toSorted()).toEqual(listedFiles(bundle).toSorted());
  });

  it('is never converted: git says so for every kind of file', () => {
    const samples = ['evidence/kept/x/data/plan.json', 'evidence/kept/x/manifest-sha256.txt', 'evidence/schema/README.md'];
    const tracked = git('ls-files', '-z', '--', 'evidence').split('\0').filter(Boolean);
    const asked = [...samples, ...tracked];
    const answers = execFileSync('git', ['check-attr', '-z', '--stdin', 'text'], {
      input: asked.join('\0'),
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    }).split('\0');
    const values = asked.map((path, index) => [path, answers[3 * index], answers[3 * index + 2]]);
    expect(values.filter(([path, answered, value]) => answered !== path || value !== 'unset')).toEqual([]);
  });

  it('is not ignored, whatever the other rules say', () => {
    const rules = readFileSync('.gitignore', 'utf8').trimEnd().split('\n');
    expect(rules.at(-1)).toBe('!/evidence/kept/**');
    expect(git('check-ignore', '--no-index', '-v', 'evidence/kept/x/data/dist/y.tgz')).toContain('!/evidence/kept/**');
  });
});

/**
 * A disk that fails while a bag is sealed, one call at a time: each write, each sync, the rename that publishes it, once and from then on. What
 * fails leaves one sentence and the partial folder, and never a bag among the bundles.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtInstallation, temporaryFolder } from '../testing/plans.js';

const folder = temporaryFolder();
const checkout = resolve(import.meta.dirname, '..', '..');
let seal = '';
beforeAll(() => {
  seal = pathToFileURL(join(builtInstallation().build, 'harness/seal/bag.js')).href;
});
afterAll(() => folder.remove());

const program = `
const { publishBag } = await import(process.argv[1]);
try {
  publishBag(process.argv[2], process.argv[3], 'run', '2026-01-01');
  console.log('sealed');
} catch (error) {
  console.log(error.code, error.exitCode, error.message);
}`;

interface Sealed {
  readonly home: string;
  readonly partial: string;
  readonly said: string;
  /** The calls on the bag and on the folder of the bundles, each with the path below that folder. */
  readonly calls: readonly string[];
}

/** Seals a small bag under a tracer. */
function sealed(inject: string | null): Sealed {
  const home = mkdtempSync(join(folder.path, 'home-'));
  const partial = join(home, 'run.partial');
  const bag = join(partial, 'bag');
  mkdirSync(join(bag, 'data', 'cases'), { recursive: true });
  for (const name of ['plan.json', 'cases/case.json']) writeFileSync(join(bag, 'data', name), '{}\n');
  const tags = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt'];
  const payload = ['', 'data', 'data/cases', 'data/plan.json', 'data/cases/case.json'];
  const counted = [home, ...[...tags, ...payload].map((name) => join(bag, name))].flatMap((path) => [
    '-P',
    path.replace(/\/$/, ''),
  ]);
  const trace = join(home, 'trace');
  const told = [
    '-qq',
    '-y',
    '-o',
    trace,
    '-e',
    'trace=write,fsync,rename',
    ...counted,
    ...(inject === null ? [] : ['-e', `inject=${inject}`]),
  ];
  const args = [...told, process.execPath, '--input-type=module', '-e', program, seal, partial, join(home, 'run')];
  const { stdout } = spawnSync('strace', args, { encoding: 'utf8' });
  const calls = [...readFileSync(trace, 'utf8').matchAll(/^(\w+)\((?:\d+<([^>]*)>|.*, "([^"]*)")/gm)].map(
    ([, name = '', written, renamed]) => `${name} ${(written ?? renamed ?? '').slice(home.length + 1)}`.trim(),
  );
  return { home, partial, said: stdout.trim(), calls };
}

it('a bag is sealed by writes, syncs and one rename', () => {
  const { said, calls, home } = sealed(null);
  expect(said).toBe('sealed');
  expect(existsSync(join(home, 'run', 'tagmanifest-sha256.txt'))).toBe(true);
  const ofTags = ['bag-info.txt', 'bagit.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt'].flatMap((name) => [
    `write run.partial/bag/${name}`,
    `fsync run.partial/bag/${name}`,
  ]);
  expect(calls.slice(0, 8)).toEqual(ofTags);
  // Then every file before its folder, the bag last, its name, and the folder that has it.
  const place = (path: string): number => calls.lastIndexOf(`fsync run.partial/bag${path}`);
  for (const [inner, outer] of [
    ['/data/cases/case.json', '/data/cases'],
    ['/data/cases', '/data'],
    ['/data/plan.json', '/data'],
    ['/data', ''],
    ['/tagmanifest-sha256.txt', ''],
  ] as const)
    expect(place(inner), inner).toBeLessThan(place(outer));
  expect(calls.slice(-3)).toEqual(['fsync run.partial/bag', 'rename run', 'fsync']);
  expect(calls).toHaveLength(8 + 9 + 2);
});

const every = (name: string, count: number): string[] =>
  ['EIO', 'ENOSPC'].flatMap((error) =>
    ['', '+'].flatMap((lasting) =>
      Array.from({ length: count }, (_call, at) => `${name}:error=${error}:when=${at + 1}${lasting}`),
    ),
  );

describe('a seal of which one call fails', () => {
  it.each([...every('write', 4), ...every('fsync', 14), ...every('rename', 1)])('%s', (inject) => {
    const { home, partial, said } = sealed(inject);
    const reason = inject.includes('EIO') ? 'the device failed' : 'no space left on the device';
    expect(said).toBe(`seal-failed 2 The bundle could not be sealed (${reason}); what was recorded is in ${partial}.`);
    expect(readdirSync(home).sort()).toEqual(['run.partial', 'trace']);
    expect(existsSync(join(partial, 'bag', 'data', 'plan.json'))).toBe(true);
  });
});

describe('a run', () => {
  const run = (inject: string) => {
    const out = mkdtempSync(join(folder.path, 'out-'));
    // Not followed: the provider and the roles have a disk that works.
    const traced = ['-qq', '-o', '/dev/null', '-e', `trace=${inject.split(':')[0]}`, '-e', `inject=${inject}`];
    const plan = ['preregistrations/working-state.json', '--case', 'effect-unknown', '--exploratory', '--out', out];
    const program = [process.execPath, join(checkout, 'bin/killpoint.js'), 'run', ...plan];
    const { status, stderr } = spawnSync('strace', [...traced, ...program], { encoding: 'utf8', cwd: checkout });
    return { status, stderr, left: readdirSync(join(out, 'working-state')) };
  };

  it.each(['fsync:error=EIO:when=1', 'fsync:error=ENOSPC:when=20+', 'rename:error=EIO:when=1+'])(
    'whose seal fails (%s) ends with 2 and one sentence, and leaves its partial folder and no bundle',
    (inject) => {
      const { status, stderr, left } = run(inject);
      expect([status, left.length]).toEqual([2, 1]);
      expect(left[0]).toMatch(/\.partial$/);
      expect(stderr).toMatch(/The bundle could not be sealed \([^)]+\); what was recorded is in \S+\.partial\.\n/);
    },
  );
});

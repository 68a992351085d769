/**
 * The build and the installation, as real processes in folders of their own.
 *
 * Each build here is a copy with one small program in the place of four: what is tested is when a build is made, reused, refused
 * and raced for, not what it compiles.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { standalone, writeStandalone } from './standalone.mjs';

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

function temporary(): string {
  made.push(mkdtempSync(join(tmpdir(), 'killpoint-build-')));
  return made.at(-1) as string;
}

function smallProject(folder = temporary()): string {
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'bin', 'scripts']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  cpSync('evidence/schema', join(folder, 'evidence/schema'), { recursive: true });
  cpSync('preregistrations/schema', join(folder, 'preregistrations/schema'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'harness/cli'), { recursive: true });
  mkdirSync(join(folder, 'runtime/subjects/ledger'), { recursive: true });
  writeFileSync(
    join(folder, 'harness/cli/main.ts'),
    'process.stdout.write(`${process.argv.slice(2).join()}\\n`);\nprocess.exitCode = 2;\n',
  );
  writeFileSync(join(folder, 'runtime/subjects/ledger/subject.json'), '{}\n');
  return folder;
}

const build = (folder: string) => spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, encoding: 'utf8' });
const builds = (folder: string) => readdirSync(join(folder, 'dist')).filter((name) => /^\.?[0-9a-f]{16}/.test(name));

describe('the build', () => {
  it('is named by its sources, lists what it holds, and is not made twice', () => {
    const folder = smallProject();
    const target = build(folder).stdout.trim();
    const { key, source_sha256, files } = JSON.parse(readFileSync(join(target, 'build.json'), 'utf8')) as {
      key: string;
      source_sha256: string;
      files: { path: string; size: number; sha256: string }[];
    };
    expect(target).toBe(join(folder, 'dist', key));
    expect(source_sha256.startsWith(key)).toBe(true);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(paths.toSorted());
    expect(paths).toContain('harness/cli/main.js');
    expect(paths).toContain('runtime/subjects/ledger/subject.json');
    expect(paths).toContain('verifier/contract/validators.js');
    for (const { path, size, sha256 } of files) {
      const bytes = readFileSync(join(target, path));
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')], path).toEqual([size, sha256]);
    }
    writeFileSync(join(target, 'mark'), '');
    expect(build(folder).stdout.trim()).toBe(target);
    expect(existsSync(join(target, 'mark'))).toBe(true);

    writeFileSync(join(folder, 'harness/cli/main.test.ts'), 'not a source');
    expect(build(folder).stdout.trim()).toBe(target);
    writeFileSync(join(folder, 'harness/cli/other.ts'), 'export const other = 1;\n');
    const next = build(folder).stdout.trim();
    expect(next).not.toBe(target);
    expect(existsSync(join(target, 'build.json'))).toBe(true);
  });

  it('that fails says what the compiler said, exits 1 and leaves no folder', () => {
    const folder = smallProject();
    writeFileSync(join(folder, 'harness/cli/main.ts'), 'export const wrong: string = 1;\n');
    const run = build(folder);
    expect(run.status).toBe(1);
    expect(run.stderr).toContain('TS2322');
    expect(run.stdout).toBe('');
    expect(builds(folder)).toEqual([]);
  });

  it('made by two processes at once is one whole build', async () => {
    const folder = smallProject();
    const racers = [1, 2].map(() => spawn(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'ignore' }));
    const codes = await Promise.all(racers.map(async (racer) => ((await once(racer, 'exit')) as [number])[0]));
    expect(codes).toEqual([0, 0]);
    expect(builds(folder)).toHaveLength(1);
    expect(existsSync(join(folder, 'dist', builds(folder)[0] ?? '', 'build.json'))).toBe(true);
  });
});

describe('the verifier as one file', () => {
  const entry = `
import { Command } from 'commander';
import Database from 'better-sqlite3';
import ranks from 'js-tiktoken/ranks/o200k_base';
process.stdout.write([typeof Command, typeof Database, ranks.bpe_ranks.length > 1e6].join());
`;
  const withVerifier = (folder?: string): string => {
    const project = smallProject(folder);
    mkdirSync(join(project, 'verifier/cli'), { recursive: true });
    writeFileSync(join(project, 'verifier/cli/standalone.ts'), entry);
    return project;
  };

  it('lies in the build and where a person looks, is listed in the inventory, and runs with nothing around it', () => {
    const project = withVerifier();
    const target = build(project).stdout.trim();
    const bytes = readFileSync(join(target, standalone));
    const { files } = JSON.parse(readFileSync(join(target, 'build.json'), 'utf8')) as {
      files: { path: string; sha256: string }[];
    };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(files.find(({ path }) => path === standalone)?.sha256).toBe(sha256);
    expect(readFileSync(join(project, 'dist', standalone)).equals(bytes)).toBe(true);
    const alone = join(temporary(), standalone);
    writeFileSync(alone, bytes);
    expect(execFileSync(process.execPath, [alone], { encoding: 'utf8' })).toBe('function,function,true');
    expect(bytes.toString('utf8')).toContain(' *   js-tiktoken 1.0.21 (MIT)\n');
  });

  it('has the same bytes wherever the modules and the packages lie', () => {
    const shallow = temporary();
    const deep = join(temporary(), 'further', 'down');
    symlinkSync(resolve('node_modules'), join(shallow, 'node_modules'));
    for (const folder of [shallow, deep]) {
      mkdirSync(join(folder, 'verifier/cli'), { recursive: true });
      writeFileSync(join(folder, 'verifier/cli/standalone.js'), entry);
    }
    writeStandalone(shallow, join(shallow, 'node_modules'));
    writeStandalone(deep, resolve('node_modules'));
    const [one, other] = [shallow, deep].map((folder) => readFileSync(join(folder, standalone), 'utf8'));
    expect(one).toBe(other);
    expect(one).not.toMatch(/\.\.\/[^'"\n]*node_modules/);
    expect(readdirSync(shallow).sort()).toEqual([standalone, 'node_modules', 'verifier']);
  });
});

describe('the launcher', () => {
  it('runs the program of the present sources with its arguments and its exit code', () => {
    const folder = smallProject();
    const run = spawnSync(process.execPath, ['bin/killpoint.js', 'a', '--b'], { cwd: folder, encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([2, 'a,--b\n']);
  });

  it('says in one sentence that a program is missing', () => {
    const run = spawnSync(process.execPath, ['bin/killpoint-verify.js'], { cwd: smallProject(), encoding: 'utf8' });
    expect([run.status, run.stderr.trim().split('\n')]).toEqual([70, [expect.stringContaining('verifier/cli/main.js')]]);
  });

  it('refuses an older Node in one sentence with exit 64', () => {
    const older = "Object.defineProperty(process.versions, 'node', { value: '20.18.3' });";
    const folder = temporary();
    writeFileSync(join(folder, 'older.mjs'), older);
    const run = spawnSync(process.execPath, ['--import', join(folder, 'older.mjs'), 'bin/killpoint.js', '--help'], {
      encoding: 'utf8',
    });
    expect([run.status, run.stderr]).toEqual([64, 'killpoint needs Node 20.19 or newer; this is Node 20.18.3.\n']);
  });
});

describe('the lock', () => {
  it('installs as it is, with every package in the version that package.json names', () => {
    const folder = temporary();
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(name, join(folder, name));
    execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], { cwd: folder, stdio: 'pipe' });
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      const installed = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      };
      expect(installed.version, name).toBe(version);
    }
  });
});

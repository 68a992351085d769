/** What a killed process left behind is taken away by the next one, and what a living one has stays: with real processes and a real SIGKILL. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { builtInstallation } from '../testing/plans.js';
import { memoryHome } from './memory-folder.js';
import { makeWorkFolder } from './work-folder.js';

let build = '';
let home = '';
let owners: ChildProcess[] = [];

beforeAll(() => {
  ({ build } = builtInstallation());
});

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'work-folders-'));
});

afterEach(async () => {
  for (const owner of owners) await killed(owner);
  owners = [];
  rmSync(home, { recursive: true, force: true });
});

/** Another process that makes such a folder, with something in it, and lives on. */
async function anOwner(): Promise<{ owner: ChildProcess; path: string }> {
  const module = pathToFileURL(join(build, 'harness', 'io', 'work-folder.js')).href;
  const script = `
    const { makeWorkFolder } = await import(${JSON.stringify(module)});
    const { path } = makeWorkFolder(${JSON.stringify(home)}, 'killpoint-states');
    (await import('node:fs')).writeFileSync(path + '/state', 'x');
    process.stdout.write(path);
    setInterval(() => undefined, 60_000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  owners.push(owner);
  const [path] = (await once(owner.stdout as NonNullable<typeof owner.stdout>, 'data')) as [Buffer];
  return { owner, path: path.toString() };
}

async function killed(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

describe('a work folder', () => {
  it('of a process that was killed is taken away by the next one, whatever is in it', async () => {
    const { owner, path } = await anOwner();
    await killed(owner);
    expect(existsSync(join(path, 'state'))).toBe(true);
    const { path: own, remove } = makeWorkFolder(home, 'killpoint-replay');
    expect(readdirSync(home)).toEqual([own.slice(home.length + 1)]);
    remove();
    expect(readdirSync(home)).toEqual([]);
  });

  it('of a living process stays', async () => {
    const { path } = await anOwner();
    const { remove } = makeWorkFolder(home, 'killpoint-states');
    expect(existsSync(join(path, 'state'))).toBe(true);
    remove();
  });

  it('of a pid that was given to somebody else is taken away; of another namespace, or no folder, it stays', () => {
    const { path, remove } = makeWorkFolder(home, 'killpoint-states');
    const own = path.slice(home.length + 1);
    const [namespace, pid, start] = own.split('-').slice(2);
    remove();
    const named = (of: string, by: string, at: string): string => `killpoint-states-${of}-${by}-${at}-AbC123`;
    const before = named(namespace ?? '', pid ?? '', `1${start}`);
    const elsewhere = named(`1${namespace}`, '1', '1');
    const link = named(namespace ?? '', pid ?? '', `2${start}`);
    const file = named(namespace ?? '', pid ?? '', `3${start}`);
    for (const name of [before, elsewhere, 'killpoint-states-1', 'else']) mkdirSync(join(home, name));
    symlinkSync(join(home, 'else'), join(home, link));
    writeFileSync(join(home, file), '');
    makeWorkFolder(home, 'killpoint-states').remove();
    expect(readdirSync(home).sort()).toEqual([elsewhere, link, file, 'killpoint-states-1', 'else'].sort());
  });
});

describe('the home of states in memory', () => {
  it('is a file system in memory that folders can be made in', () => {
    expect([memoryHome(), memoryHome('/dev/shm')]).toEqual(['/dev/shm', '/dev/shm']);
    expect(readdirSync('/dev/shm').filter((name) => name.startsWith('killpoint-probe-'))).toEqual([]);
  });

  it.each([
    ['lies in no memory', '/proc'],
    ['is not there', '/dev/shm/nobody-made-this'],
    ['is no folder', '/dev/null'],
  ])('is that of temporary files where the folder %s', (_what, path) => expect(memoryHome(path)).toBe(tmpdir()));
});

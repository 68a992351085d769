/** Real folders and links: a name is only said where it leads to the launcher. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/plans.js';
import { ownCommand } from './own-command.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const at = (...path: string[]): string => join(folder.path, ...path);
const packageRoot = at('an app', 'node_modules', 'killpoint');
const launcher = join(packageRoot, 'bin', 'killpoint.js');
const byNode = `node '${launcher}'`;
const own = (from: string, environment: Record<string, string>): string => ownCommand({ packageRoot }, from, environment);

beforeAll(() => {
  for (const path of [
    join(packageRoot, 'bin'),
    at('an app', 'node_modules', '.bin'),
    at('an app', 'sub'),
    at('bin'),
    at('other'),
  ])
    mkdirSync(path, { recursive: true });
  writeFileSync(launcher, '');
  symlinkSync(launcher, at('an app', 'node_modules', '.bin', 'killpoint'));
  symlinkSync(launcher, at('bin', 'killpoint'));
  writeFileSync(at('other', 'killpoint'), '');
});

describe('what a printed line begins with', () => {
  const npx = { npm_command: 'exec' };

  it('is npx where it was used and finds this package', () => {
    expect(own(at('an app'), npx)).toBe('npx killpoint');
    expect(own(at('an app', 'sub'), npx)).toBe('npx killpoint');
    expect(own(join(packageRoot, 'bin'), npx)).toBe('npx killpoint');
  });

  it('is not npx where it was not used, or finds nothing or another one', () => {
    expect(own(at('an app'), {})).toBe(byNode);
    expect(own(at('other'), npx)).toBe(byNode);
    mkdirSync(at('theirs', 'node_modules', '.bin'), { recursive: true });
    symlinkSync(at('other', 'killpoint'), at('theirs', 'node_modules', '.bin', 'killpoint'));
    expect(own(at('theirs'), npx)).toBe(byNode);
  });

  it('is the name where the shell finds it, unless that is another one or the search path is npm’s', () => {
    expect(own(at('other'), { PATH: `${at('nowhere')}::${at('bin')}` })).toBe('killpoint');
    expect(own(at('other'), { PATH: `${at('other')}:${at('bin')}` })).toBe(byNode);
    expect(own(at('other'), { PATH: at('bin'), npm_command: 'run-script' })).toBe(byNode);
  });

  it('is the path by which a shell found it', () => {
    const called = './node_modules/.bin/killpoint';
    expect(own(at('an app'), { _: called })).toBe(called);
    expect(own(at('other'), { _: called })).toBe(byNode);
    expect(own(at('other'), { _: '/usr/bin/node' })).toBe(byNode);
  });
});

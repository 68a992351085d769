/**
 * What `replay` and `reduce` make of paths that cannot be used, of foreign lines in a bundle, and of what they do not look for: one sentence and
 * an exit code, with nothing written. On copies of a kept bundle.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Installation } from '../io/installation.js';
import { builtInstallation, temporaryFolder } from '../testing/plans.js';

const home = resolve(import.meta.dirname, '..', '..', 'evidence', 'kept', 'power-loss');
const kept = join(home, readdirSync(home).sort().at(-1) ?? '');
let installation: Installation;
const folder = temporaryFolder();
beforeAll(() => {
  installation = builtInstallation();
});
afterAll(() => folder.remove());

function killpoint(...args: string[]) {
  const main = join(installation.build, 'harness', 'cli', 'main.js');
  const run = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' });
  return { code: run.status, out: run.stdout, words: run.stderr };
}

const one = ['--case', 'recover-each', '--state', '5'];
const refused = (words: RegExp) => ({ code: 64, out: '', words: expect.stringMatching(words) as string });
let copies = 0;

/** Of the bundle, what one case needs, with something done to it. */
function copyWith(change: (caseFolder: string) => void): string {
  const copy = join(folder.path, `copy-${(copies += 1)}`);
  for (const path of ['bagit.txt', 'data/plan.json', 'data/cases/recover-each'])
    cpSync(join(kept, path), join(copy, path), { recursive: true });
  change(join(copy, 'data', 'cases', 'recover-each'));
  return copy;
}

describe.each(['replay', 'reduce'])('%s', (command) => {
  it.each<[string, () => string, RegExp]>([
    ['a file', () => resolve('README.md'), /README\.md is no bundle: it has no bagit\.txt\. Give the folder of a finished run/],
    ['what lies below a file', () => resolve('README.md', 'x'), /^killpoint: There is no folder .*README\.md\/x\. Give/],
    ['a name that is too long', () => join(folder.path, 'x'.repeat(300)), /is too long a name\. Check the path/],
    [
      'a line that is no JSON',
      () => copyWith((at) => writeFileSync(join(at, 'strictest', 'states.jsonl'), 'garbage\n')),
      /^killpoint: Line 1 of .*states\.jsonl is no derived state\. .*killpoint verify\.\n$/,
    ],
    [
      'a line that is another document',
      () => copyWith((at) => writeFileSync(join(at, 'strictest', 'states.jsonl'), '{"state":5}\n')),
      /Line 1 of .*states\.jsonl is no derived state/,
    ],
    [
      'a line without an end',
      () => copyWith((at) => writeFileSync(join(at, 'strictest', 'states.jsonl'), Buffer.alloc(2 ** 22, 'x'))),
      /Line 1 of .*states\.jsonl is no derived state/,
    ],
    [
      'a link in the state that the arm begins with',
      () => copyWith((at) => symlinkSync('nowhere', join(at, 'producer', 'state', 'link'))),
      /link is neither a file nor a folder.*killpoint verify\.\n$/,
    ],
    [
      'a plan that is none',
      () => {
        const copy = copyWith(() => undefined);
        writeFileSync(join(copy, 'data', 'plan.json'), 'garbage');
        return copy;
      },
      /plan\.json is not JSON in UTF-8/,
    ],
  ])('of %s says one sentence', (_what, bundle, words) => {
    expect(killpoint(command, bundle(), ...one)).toEqual(refused(words));
  });

  it('of a trace that tells nothing leaves it unknown, in one sentence', () => {
    const bundle = copyWith((at) => writeFileSync(join(at, 'strictest', 'trace.txt'), 'garbage\n'));
    expect(killpoint(command, bundle, ...one)).toEqual({
      ...refused(/^killpoint: Nothing can be derived from [^\n]*\n$/),
      code: 2,
    });
  });

  it('takes the one arm under power loss that a case has, and asks which of several', () => {
    expect(killpoint(command, kept, ...one).out).toMatch(/^State 5/);
    expect(killpoint(command, kept, '--case', 'each', '--state', '5')).toEqual(
      refused(/several arms under power loss: strictest, ext4\. Name one with --arm\.\n$/),
    );
  });
});

describe('a folder for a state', () => {
  it('that cannot be used is refused in one sentence', () => {
    const long = join(folder.path, 'y'.repeat(300));
    expect(killpoint('replay', kept, ...one, '--to', long)).toEqual(refused(/is too long a name\. Check the path/));
    expect(killpoint('replay', kept, ...one, `--to=${resolve('README.md', 'x')}`)).toEqual(
      refused(/has a part that is not a folder/),
    );
    const bundle = copyWith(() => undefined);
    const inside = join(bundle, 'data', 'new');
    expect(killpoint('replay', bundle, ...one, '--to', inside)).toEqual(
      refused(/lies in the bundle, which is not changed\. Give/),
    );
    expect(existsSync(inside)).toBe(false);
  });

  it('stays as it is where the cut is none of the state', () => {
    const to = join(folder.path, 'to');
    mkdirSync(to);
    expect(killpoint('replay', kept, ...one, '--to', to, '--cut', '9999')).toEqual(refused(/does not occur at cut 9999/));
    expect(readdirSync(to)).toEqual([]);
  });
});

describe('a state that does not fail', () => {
  it('is said to be so with what nobody looked for', () => {
    expect(killpoint('reduce', kept, ...one)).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /^State 5 fails in no way that is looked for here: the subject opened it.*\nNot looked for are record-forked and/,
      ),
    });
    const { code, out } = killpoint('reduce', kept, ...one, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ failure: null, not_looked_for: ['record-forked', 'recovery-misread'] });
    expect(killpoint('reduce', '--help').out.replaceAll(/\s+/g, ' ')).toMatch(
      /Not looked for: entries .* killpoint verify judges these/,
    );
  });
});

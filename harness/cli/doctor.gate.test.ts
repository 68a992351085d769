/** `killpoint doctor` in places where no bundle could go. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standForRuns } from '../testing/stand.js';

const stand = standForRuns();

it.each([
  ['where it stands', [], '/proc', /^killpoint: Bundles cannot go to \/proc: .* Choose another --out\.\n$/],
  ['where it is told', ['--out', `/tmp/${'x'.repeat(300)}`], '/', /: the name is too long\. Choose another --out\.\n$/],
])('says that nothing can be written %s, and not that plans can be run', (_where, args, cwd, words) => {
  const main = join(stand.installation.build, 'harness', 'cli', 'main.js');
  const run = spawnSync(process.execPath, [main, 'doctor', ...args], { cwd, encoding: 'utf8' });
  expect({ code: run.status, out: run.stdout, words: run.stderr }).toEqual({
    code: 64,
    out: '',
    words: expect.stringMatching(words) as string,
  });
});

it('without strace says which crash models cannot be run, and what to install, in its last line too; plans without them run', () => {
  const main = join(stand.installation.build, 'harness', 'cli', 'main.js');
  const { status, stdout } = spawnSync(process.execPath, [main, 'doctor'], {
    cwd: stand.folder,
    env: { PATH: stand.folder },
    encoding: 'utf8',
  });
  expect(stdout).toMatch(
    /^no {3}strace +strace is not installed \(apt-get install strace\): syscall-kill, io-fault and power-loss cannot be run/m,
  );
  expect(stdout).toMatch(/\nThis machine can run plans, but .* cannot be run: .* void\. Next: apt-get install strace\n$/);
  expect(status).toBe(0);
});
